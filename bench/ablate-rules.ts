/** The rules of HTML extraction that `npm run bench -- ablate` switches off, each with its neutral replacement. */
import type { Rule } from "./ablate-hook.ts";

/** A function that always returns this value. */
const always = (value: unknown) => () => () => value;
/** A function that returns its first argument. */
const first = () => (value: unknown) => value;
const second = () => (_: unknown, value: unknown) => value;
const never = () => /(?!)/;
const none = () => new Set<string>();

type Weights = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
/** The thresholds with one changed so that nothing passes it. */
const threshold = (group: string, name: string, value: number) => (weights: Weights) => ({
  ...weights,
  [group]: { ...weights[group], [name]: value },
});
const withoutWord = (word: string) => (words: ReadonlySet<string>) => new Set([...words].filter((one) => one !== word));
const withoutRow = (index: number) => (rows: readonly unknown[]) => rows.filter((_, row) => row !== index);

type Body = { readonly index: number; readonly end: number };
type PageLike = { readonly root: object; readonly elements: readonly { readonly tag: string }[] };

const strategies: readonly Rule[] = [
  ...["mild", "hidden", "noscript", "json-ld", "payload", "full"].map((method) => ({
    name: `strategy-${method}`,
    module: "extract/html/strategies.ts",
    target: "strategies",
    off:
      (original: (...args: readonly unknown[]) => readonly (readonly [string])[]) =>
      (...args: readonly unknown[]) =>
        original(...args).filter(([name]) => name !== method),
  })),
  { name: "product-description", module: "extract/html/strategies.ts", target: "withDescription", off: second },
  { name: "noframes", module: "extract/html/strategies.ts", target: "withNoframes", off: second },
  { name: "app-shell", module: "extract/html/strategies.ts", target: "isAppShell", off: always(false) },
  { name: "javascript-notice", module: "extract/html/strategies.ts", target: "isJavaScriptNotice", off: always(false) },
];

/** The classes of names; without one its names say nothing. */
const nameClasses = [
  "never",
  "notice",
  "signature",
  "boilerplate",
  "comments",
  "reviews",
  "shop",
  "author",
  "doubtful",
].map((nameClass) => ({
  name: `names-${nameClass}`,
  module: "extract/html/choose/class-names.ts",
  target: "classifyName",
  off: (original: (name: string) => string) => (name: string) => {
    const found = original(name);
    return found === nameClass ? "none" : found;
  },
}));

/** The languages of `otherPhrases`, in the order of its rows. */
const headingLanguages = ["fr", "de", "es", "pt", "it", "nl", "pl", "cs", "ru", "ja", "zh", "ko"];

const generatorNames = [
  "Discourse",
  "phpBB",
  "XenForo",
  "Invision",
  "vBulletin",
  "Stack Exchange",
  "Hacker News",
  "Reddit",
  "Lobsters",
  "GitHub, a thread",
  "GitHub, a document",
  "WooCommerce",
  "MediaWiki",
  "Docusaurus",
  "rustdoc",
  "MkDocs",
  "Sphinx",
];

const choosing: readonly Rule[] = [
  { name: "teasers", module: "extract/html/choose/teasers.ts", target: "createTeaserTest", off: always(() => false) },
  {
    name: "link-tail",
    module: "extract/html/choose/link-tail.ts",
    target: "dropLinkTail",
    off: always(undefined),
    mutates: true,
  },
  {
    name: "learnt-filter",
    module: "extract/html/filter/block-filter.ts",
    target: "dropUnlikelyBlocks",
    off: always(0),
    mutates: true,
  },
  {
    name: "advertisement-lines",
    module: "extract/html/choose/short-lines.ts",
    target: "isAdvertisementLine",
    off: always(false),
  },
  {
    name: "control-lines",
    module: "extract/html/choose/short-lines.ts",
    target: "isControlLine",
    off: always(false),
  },
  { name: "frame-ends", module: "extract/html/choose/page-frame.ts", target: "isHeadOrFoot", off: always(false) },
  { name: "frame-cells", module: "extract/html/choose/page-frame.ts", target: "isFrameCell", off: always(false) },
  { name: "few-reviews", module: "extract/html/choose/choose.ts", target: "hasFewReviews", off: always(false) },
  {
    name: "thread-controls",
    module: "extract/html/choose/short-lines.ts",
    target: "isThreadControl",
    off: always(false),
  },
  { name: "replies", module: "extract/html/choose/replies.ts", target: "findReplies", off: always(new Map()) },
  {
    name: "post-titles",
    module: "extract/html/choose/title-element.ts",
    target: "findTitleElement",
    off: always(undefined),
  },
  { name: "side-matter", module: "extract/html/choose/choose.ts", target: "isSideMatter", off: always(false) },
  ...nameClasses,
  { name: "consent-tools", module: "extract/html/choose/generators.ts", target: "consentTools", off: none },
  { name: "inserted-tools", module: "extract/html/choose/generators.ts", target: "insertedTools", off: none },
  { name: "cookie-notice", module: "extract/html/choose/class-names.ts", target: "cookieNotice", off: never },
  {
    name: "screen-reader-spans",
    module: "extract/html/choose/class-names.ts",
    target: "hasScreenReaderName",
    off: always(false),
  },
  { name: "heading-ids", module: "extract/html/choose/class-names.ts", target: "isHeadingId", off: always(false) },
  {
    name: "title-start",
    module: "extract/html/choose/choose.ts",
    target: "startAtTitle",
    off: () => (body: Body) => ({ root: body, start: body.index, end: body.end }),
  },
  { name: "title-widening", module: "extract/html/choose/choose.ts", target: "widenToTitle", off: first },
  {
    name: "short-leads",
    module: "extract/html/weights.ts",
    target: "htmlWeights",
    off: threshold("choose", "minLeadChars", 0),
  },
  {
    name: "main-element",
    module: "extract/html/choose/choose.ts",
    target: "mainOf",
    off: () => (page: PageLike) => page.elements.find(({ tag }) => tag === "body") ?? page.root,
  },
  { name: "narrowing", module: "extract/html/choose/choose.ts", target: "narrow", off: first },
  {
    name: "content-parts",
    module: "extract/html/choose/choose.ts",
    target: "createContentPartTest",
    off: always(() => false),
  },
  {
    name: "footnote-lists",
    module: "extract/html/choose/choose.ts",
    target: "createFootnoteListTest",
    off: always(() => false),
  },
  { name: "comment-pages", module: "extract/html/choose/choose.ts", target: "commentShare", off: always(0) },
  { name: "reference-pages", module: "extract/html/choose/choose.ts", target: "isReference", off: always(false) },
  { name: "page-kind", module: "extract/html/choose/page-kind.ts", target: "detectPageKind", off: always("unknown") },
  {
    name: "article-shape",
    module: "extract/html/choose/article-shape.ts",
    target: "hasArticleShape",
    off: always(false),
  },
  {
    name: "stated-body",
    module: "extract/html/choose/stated-body.ts",
    target: "findStatedBody",
    off: always(undefined),
  },
  { name: "thread-address", module: "extract/html/choose/page-kind.ts", target: "threadAddress", off: never },
  { name: "offers", module: "extract/html/choose/page-kind.ts", target: "hasOffer", off: always(false) },
  { name: "buy-button", module: "extract/html/choose/page-kind.ts", target: "hasBuyButton", off: always(false) },
  { name: "generators", module: "extract/html/choose/generators.ts", target: "findGenerator", off: always(undefined) },
  ...generatorNames.map((name) => ({
    name: `generator-${name.toLowerCase().replaceAll(/\W+/g, "-")}`,
    module: "extract/html/choose/generators.ts",
    target: "findGenerator",
    off: (original: (page: unknown) => { readonly name: string } | undefined) => (page: unknown) => {
      const found = original(page);
      return found?.name === name ? undefined : found;
    },
  })),
  { name: "generator-drops", module: "extract/html/choose/prune.ts", target: "isKnownPart", off: always(false) },
  { name: "fold-buttons", module: "extract/html/choose/prune.ts", target: "isFoldButton", off: always(false) },
  { name: "author-boxes", module: "extract/html/choose/prune.ts", target: "isAuthorBox", off: always(false) },
  {
    name: "media-fallback",
    module: "extract/html/choose/text-measures.ts",
    target: "isIgnored",
    off: (original: (element: { readonly tag: string }) => boolean) => (element: { readonly tag: string }) =>
      !["video", "audio", "canvas"].includes(element.tag) && original(element),
  },
  { name: "verbatim", module: "extract/html/choose/prune.ts", target: "isVerbatim", off: always(false) },
  { name: "most-text", module: "extract/html/choose/prune.ts", target: "hasMostText", off: always(false) },
  { name: "site-parts", module: "extract/html/choose/prune.ts", target: "isSitePart", off: always(false) },
  { name: "pull-quotes", module: "extract/html/choose/prune.ts", target: "isPullQuote", off: always(false) },
  { name: "forms-and-names", module: "extract/html/choose/prune.ts", target: "isDoubtful", off: always(false) },
  {
    name: "no-snippet",
    module: "extract/html/tree/tree-builder.ts",
    target: "usedAttributes",
    off: withoutWord("data-nosnippet"),
  },
  {
    name: "boilerplate-headings",
    module: "extract/html/choose/boilerplate-headings.ts",
    target: "classifyHeading",
    off: always(undefined),
  },
  ...headingLanguages.map((language, index) => ({
    name: `headings-${language}`,
    module: "extract/html/choose/boilerplate-headings.ts",
    target: "otherPhrases",
    off: withoutRow(index),
  })),
  {
    name: "shop-headings",
    module: "extract/html/choose/boilerplate-headings.ts",
    target: "shopEndingHeading",
    off: never,
  },
  {
    name: "control-headings",
    module: "extract/html/choose/boilerplate-headings.ts",
    target: "controlsHeading",
    off: never,
  },
];

const parsing: readonly Rule[] = [
  {
    name: "react-streaming",
    module: "extract/html/tree/react-streaming.ts",
    target: "moveStreamedParts",
    off: first,
  },
  {
    name: "aria-tables",
    module: "extract/html/tree/aria-tables.ts",
    target: "setTableTags",
    off: always(undefined),
    mutates: true,
  },
  {
    name: "transparent",
    module: "extract/html/tree/visibility.ts",
    target: "hideTransparent",
    off: always(undefined),
    mutates: true,
  },
  {
    name: "aria-hidden-page",
    module: "extract/html/tree/visibility.ts",
    target: "showAriaHidden",
    off: always(undefined),
    mutates: true,
  },
  { name: "hidden-elements", module: "extract/html/tree/visibility.ts", target: "isHidden", off: always(false) },
  {
    name: "folded-parts",
    module: "extract/html/tree/visibility.ts",
    target: "isHidden",
    off: () => (element: { readonly hidden: boolean }) => element.hidden,
  },
  ...["display", "off-screen", "clipped", "scaled", "collapsed", "tiny", "colorless"].map((style, index) => ({
    name: `hidden-${style}`,
    module: "extract/html/tree/visibility.ts",
    target: "hidingStyles",
    off: withoutRow(index),
  })),
  {
    name: "hidden-same-color",
    module: "extract/html/tree/text-colors.ts",
    target: "hideSameColor",
    off: always(undefined),
    mutates: true,
  },
  {
    name: "custom-elements",
    module: "extract/html/tree/custom-elements.ts",
    target: "setInlineTags",
    off: always(undefined),
    mutates: true,
  },
  { name: "small-screens", module: "extract/html/tree/visibility.ts", target: "isForSmallScreens", off: always(false) },
  { name: "diffs", module: "extract/html/tree/diffs.ts", target: "isDiffLine", off: always(false) },
  { name: "embeds", module: "extract/html/tree/embeds.ts", target: "findEmbed", off: always(undefined) },
  { name: "service-frames", module: "extract/html/tree/embeds.ts", target: "serviceLabel", off: never },
  { name: "skip-links", module: "extract/html/tree/links.ts", target: "isSkipLink", off: always(false) },
  { name: "anchor-signs", module: "extract/html/tree/links.ts", target: "isAnchorSign", off: always(false) },
  {
    name: "unclosed-comment",
    module: "extract/html/tree/tokenizer.ts",
    target: "findCommentEnd",
    off: (original: (source: string, start: number) => number) => (source: string, start: number) => {
      const end = original(source, start);
      return end < 0 ? source.length : end;
    },
  },
];

const writing: readonly Rule[] = [
  {
    name: "duplicates",
    module: "extract/html/weights.ts",
    target: "htmlWeights",
    off: threshold("writing", "minDuplicateChars", Number.POSITIVE_INFINITY),
  },
  {
    name: "superscripts",
    module: "extract/html/write/superscripts.ts",
    target: "findScriptSigns",
    off: always(undefined),
  },
  {
    name: "linked-footnotes",
    module: "extract/html/tree/footnotes.ts",
    target: "addLinkedNotes",
    off: always(undefined),
    mutates: true,
  },
  { name: "labelled-notes", module: "extract/html/tree/footnotes.ts", target: "labelAndNote", off: always(undefined) },
  { name: "wordless-links", module: "extract/html/tree/footnotes.ts", target: "isCount", off: always(false) },
  { name: "back-references", module: "extract/html/tree/footnotes.ts", target: "isBackReference", off: always(false) },
  {
    name: "reference-brackets",
    module: "extract/html/write/markdown.ts",
    target: "removeReferenceBrackets",
    off: first,
  },
  { name: "side-notes", module: "extract/html/tree/footnotes.ts", target: "isSideNote", off: always(false) },
  { name: "formulas", module: "extract/html/math/formulas.ts", target: "readFormula", off: always(undefined) },
  { name: "formula-drawings", module: "extract/html/math/formulas.ts", target: "isFormulaDrawing", off: always(false) },
  { name: "mathml", module: "extract/html/math/mathml.ts", target: "convertMathml", off: always("") },
  { name: "tex-annotation", module: "extract/html/math/formulas.ts", target: "texAnnotation", off: always(undefined) },
  { name: "tex-in-alt", module: "extract/html/tree/tex-images.ts", target: "findTexInAlt", off: always(undefined) },
  { name: "tex-in-url", module: "extract/html/tree/tex-images.ts", target: "findTexInUrl", off: always(undefined) },
  {
    name: "tex-attribute",
    module: "extract/html/tree/tree-builder.ts",
    target: "usedAttributes",
    off: withoutWord("data-latex"),
  },
  { name: "image-file-names", module: "extract/html/write/images.ts", target: "isFileName", off: always(false) },
  {
    name: "repeated-images",
    module: "extract/html/weights.ts",
    target: "htmlWeights",
    off: threshold("writing", "minImageLabelChars", Number.POSITIVE_INFINITY),
  },
  {
    name: "ruby",
    module: "extract/html/write/delimiters.ts",
    target: "rubyDelimiters",
    off: () => ({ before: "", after: "" }),
  },
  {
    name: "inline-quotes",
    module: "extract/html/write/delimiters.ts",
    target: "quoteDelimiters",
    off: () => ({ before: "", after: "" }),
  },
  { name: "adjacent-labels", module: "extract/html/write/line-builder.ts", target: "labelStart", off: never },
  { name: "separate-tags", module: "extract/html/write/line-builder.ts", target: "separateTags", off: none },
  {
    name: "callouts",
    module: "extract/html/tree/tree-builder.ts",
    target: "usedAttributes",
    off: withoutWord("data-callout"),
  },
  { name: "item-sections", module: "extract/html/write/list-items.ts", target: "isSection", off: always(false) },
  {
    name: "line-numbers",
    module: "extract/html/write/code-blocks.ts",
    target: "findLineNumbers",
    off: () => () => new Set(),
  },
  { name: "labelled-code", module: "extract/html/write/code-blocks.ts", target: "isLabelledCode", off: always(false) },
  { name: "bare-code", module: "extract/html/write/code-blocks.ts", target: "isCodeBlock", off: always(false) },
  { name: "code-gutters", module: "extract/html/write/code-blocks.ts", target: "isNotCode", off: always(false) },
  { name: "line-elements", module: "extract/html/write/code-blocks.ts", target: "isLineElement", off: always(false) },
  { name: "named-lines", module: "extract/html/write/code-blocks.ts", target: "isNamedLine", off: always(false) },
  { name: "code-overlays", module: "extract/html/choose/generators.ts", target: "codeOverlays", off: none },
  { name: "split-listings", module: "extract/html/write/fences.ts", target: "continuesListing", off: always(false) },
  { name: "code-language", module: "extract/html/write/code-language.ts", target: "findCodeLanguage", off: always("") },
  ...[
    "hasPresentationRole",
    "hasTooFewRows",
    "hasOneColumn",
    "isMostlyEmpty",
    "containsMostlyBlocks",
    "containsOnlyCodeOrLists",
    "isListing",
  ].map((target) => ({
    name: `table-${target.replaceAll(/([A-Z])/g, "-$1").toLowerCase()}`,
    module: "extract/html/choose/table-kind.ts",
    target,
    off: always(false),
  })),
];

const data: readonly Rule[] = [
  {
    name: "flight",
    module: "extract/html/data/flight.ts",
    target: "readFlight",
    off: () => () => ({ html: "", data: [] }),
  },
  {
    name: "json-prose",
    module: "extract/html/data/prose-in-json.ts",
    target: "findProse",
    off: () => () => ({ paragraphs: [], chars: 0 }),
  },
];

/** Every rule, in the order of the steps that use it. */
export const htmlRules: readonly Rule[] = [...parsing, ...choosing, ...writing, ...strategies, ...data];
