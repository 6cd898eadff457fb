/** The programs that generate pages: how to recognize them, and which parts of their pages are content or not. */

import { wordSet } from "../tree/tags.ts";
import { type Element, listByTag, type Page } from "../tree/tree.ts";

export type Generator = {
  readonly name: string;
  /** The kind of its pages, one of `PageKind`. */
  readonly kind: "documentation" | "forum" | "product";
  readonly matches: (page: Page) => boolean;
  /** Class names, ids and test ids of parts that are never content. */
  readonly drops: readonly string[];
  /** Class names of parts that are content although their name says otherwise. */
  readonly keeps?: readonly string[];
};

/** What surrounds threads and files on GitHub. */
const gitHubDrops = [
  "Layout-sidebar",
  "partial-discussion-sidebar",
  "issue-viewer-metadata-pane",
  "issue-metadata-sticky",
  "gh-header-sticky",
  "gh-header-actions",
  "timeline-comment-actions",
  "comment-reactions",
  "js-comment-edit-history",
  "discussion-timeline-actions",
  "signed-out-comment",
  "js-signed-out-comment",
  "TimelineItem-avatar",
  "js-stale-session-flash",
  "file-actions",
  "tabnav-tabs",
] as const;

/** Tried in this order; the first match counts. */
const generators: readonly Generator[] = [
  {
    name: "Discourse",
    kind: "forum",
    matches: hasGenerator(/^discourse/i),
    drops: [
      "topic-map",
      "post-menu-area",
      "topic-category",
      "post-likes",
      "crawler-linkback-list",
      "more-topics__container",
      "more-topics__list",
    ],
    keeps: ["crawler-post-meta"],
  },
  {
    name: "phpBB",
    kind: "forum",
    matches: (page) => someRoot(page, (element) => element.attributes.id === "phpbb"),
    drops: ["postprofile", "signature", "post-buttons", "action-bar", "jumpbox", "notice"],
  },
  {
    name: "XenForo",
    kind: "forum",
    matches: (page) => someRoot(page, (element) => element.attributes.id === "XF"),
    drops: [
      "message-avatar",
      "message-userTitle",
      "message-userBanner",
      "message-userExtras",
      "userBanner",
      "userTitle",
      "message-attribution-opposite",
      "message-signature",
      "actionBar",
      "message-actionBar",
      "bbCodeBlock-expandLink",
      "p-description",
      "message-lastEdit",
    ],
  },
  {
    name: "Invision",
    kind: "forum",
    matches: (page) => someRoot(page, (element) => /\bipsApp\b|\bipsLayout/.test(element.attributes.class ?? "")),
    drops: [
      "cAuthorPane_info",
      "cAuthorPane_photo",
      "cTopicOverviewContainer",
      "ipsEntry__authorStats",
      "ipsEntry__authorGroup",
      "ipsComment_tools",
      "ipsComment_controls",
      "ipsPageHeader__meta",
    ],
  },
  {
    name: "vBulletin",
    kind: "forum",
    matches: hasGenerator(/^vbulletin/i),
    drops: ["userinfo_extra", "usertitle", "signature", "signaturecontainer", "postfoot", "threadtools"],
  },
  {
    name: "Stack Exchange",
    kind: "forum",
    matches: (page) => someRoot(page, (element) => hasClass(element, "question-page")),
    drops: [
      "d-none",
      "aside-cta",
      "js-voting-container",
      "js-post-menu",
      "post-taglist",
      "user-gravatar32",
      "-flair",
      "comment-score",
      "comments-link",
      "js-add-link",
      "post-form",
      "js-bottom-notice",
      "js-sort-preference-change",
    ],
    keeps: ["post-signature"],
  },
  {
    name: "Hacker News",
    kind: "forum",
    matches: (page) => listByTag(page, "table").some(({ attributes }) => attributes.id === "hnmain"),
    drops: ["pagetop", "yclinks", "votelinks", "navs", "reply"],
  },
  {
    name: "Reddit",
    kind: "forum",
    matches: (page) =>
      someRoot(page, (element) => hasClass(element, "comments-page")) || listByTag(page, "shreddit-app").length > 0,
    // Three scores are written for each comment: as it is, and for readers who vote it up or down.
    drops: ["side", "midcol", "likes", "dislikes", "expand", "numchildren", "panestack-title", "menuarea", "flat-list"],
  },
  {
    name: "Lobsters",
    kind: "forum",
    matches: (page) => listByTag(page, "li").some((element) => hasClass(element, "comments_subtree")),
    drops: ["voters", "comment_folder_button", "comment_folder", "flagger"],
  },
  {
    name: "GitHub, a thread",
    kind: "forum",
    matches: (page) =>
      isGitHub(page) &&
      (/\/(?:issues|pull|discussions)\/\d+/.test(readMeta(page, "og:url")) ||
        page.elements.some((element) => hasClass(element, "gh-header-title"))),
    drops: [...gitHubDrops],
    keeps: ["timeline-comment-header", "gh-header-show", "gh-header-title", "gh-header-meta", "file-header"],
  },
  {
    name: "GitHub, a document",
    kind: "documentation",
    matches: (page) =>
      isGitHub(page) &&
      (listByTag(page, "article").some(isRenderedFile) || readMeta(page, "og:url").includes("/releases/")),
    drops: [...gitHubDrops, "file-navigation", "BorderGrid"],
    // The files of a release.
    keeps: ["Box-footer"],
  },
  {
    name: "WooCommerce",
    kind: "product",
    matches: (page) => someRoot(page, (element) => hasClass(element, "single-product")),
    drops: [],
  },
  {
    name: "MediaWiki",
    kind: "documentation",
    matches: hasGenerator(/^mediawiki/i),
    drops: [
      "mw-editsection",
      "mw-cite-backlink",
      "navbox",
      "catlinks",
      "mw-jump-link",
      "vector-toc",
      "printfooter",
      "reference-text-hidden",
      "mw-indicators",
      "ambox",
      "siteSub",
      "siteNotice",
    ],
  },
  {
    name: "Docusaurus",
    kind: "documentation",
    matches: hasGenerator(/^docusaurus/i),
    drops: [
      "theme-doc-toc-mobile",
      "theme-doc-toc-desktop",
      "theme-doc-breadcrumbs",
      "pagination-nav",
      "theme-doc-footer",
      "hash-link",
    ],
  },
  {
    name: "rustdoc",
    kind: "documentation",
    matches: hasGenerator(/^rustdoc$/i),
    drops: ["out-of-band", "src", "anchor", "doc-anchor", "hideme", "test-arrow", "tooltip", "scrape-help"],
  },
  {
    name: "MkDocs",
    kind: "documentation",
    matches: hasGenerator(/^mkdocs/i),
    drops: ["headerlink", "md-source-file", "md-content__button"],
  },
  {
    name: "Sphinx",
    kind: "documentation",
    matches: (page) =>
      listByTag(page, "div").some(
        (element) => hasClass(element, "sphinxsidebar") || hasClass(element, "wy-nav-content"),
      ),
    drops: ["headerlink", "sphinxsidebar", "rst-footer-buttons"],
  },
];

/** Words in the names that consent tools give to their notices. */
export const consentTools = wordSet("onetrust truste usercentrics didomi");

/** Class names of what code hides until a reader asks: popups (Verso, twoslash), lines around an example (mdBook). */
export const codeOverlays = wordSet(
  "hover-info hover-container twoslash-popup-container twoslash-popup-info twoslash-popup-docs boring",
);

/** Words in the names of what other programs insert into pages: advertisements, share buttons, forms. */
export const insertedTools = wordSet(
  "outbrain taboola sharethis addtoany addthis adsbygoogle colorbox gform gfield wpcf",
);

const generatorsByPage = new WeakMap<Page, { readonly generator: Generator | undefined }>();

/** The program that generated a page, if it is a known one. */
export function findGenerator(page: Page): Generator | undefined {
  const entry = generatorsByPage.get(page) ?? { generator: generators.find(({ matches }) => matches(page)) };
  generatorsByPage.set(page, entry);
  return entry.generator;
}

/** The content of the first meta element with a name or property, or "". */
export function readMeta(page: Page, name: string): string {
  return listByTag(page, "meta").find((element) => isMetaNamed(element, name))?.attributes.content ?? "";
}

function isMetaNamed({ attributes }: Element, name: string): boolean {
  return attributes.name?.toLowerCase() === name || attributes.property?.toLowerCase() === name;
}

function isGitHub(page: Page): boolean {
  return readMeta(page, "og:site_name") === "GitHub";
}

function isRenderedFile(element: Element): boolean {
  return hasClass(element, "markdown-body");
}

function hasGenerator(pattern: RegExp): (page: Page) => boolean {
  return (page) =>
    listByTag(page, "meta").some(
      ({ attributes }) => attributes.name === "generator" && pattern.test(attributes.content ?? ""),
    );
}

/** Whether the root or the body passes a test. */
function someRoot(page: Page, test: (element: Element) => boolean): boolean {
  const [body] = listByTag(page, "body");
  return test(page.root) || (body !== undefined && test(body));
}

/** Whether a name is the id, the test id or a class of an element. */
export function isNamed(element: Element, name: string): boolean {
  const { id, "data-testid": testId } = element.attributes;
  return id === name || testId === name || hasClass(element, name);
}

/** Whether an element has this class. */
export function hasClass(element: Element, name: string): boolean {
  const className = element.attributes.class;
  return className?.includes(name) === true && className.split(/\s+/).includes(name);
}
