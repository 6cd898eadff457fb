/**
 * Extracts the text of a page by the first strategy that yields enough. Each result is compared with all the text of
 * the page, so no page is lost silently: if too little is left, the next, milder strategy is tried. The outcome names
 * the strategy.
 */
import { type Choice, choose } from "./choose/choose.ts";
import type { Pruning } from "./choose/prune.ts";
import { isIgnored, type Measures, measureText, unlinkedChars } from "./choose/text-measures.ts";
import { findArticleBody, findProductDescription, readPayloadContent } from "./data/payloads.ts";
import { dropUnlikelyBlocks } from "./filter/block-filter.ts";
import { toPlainText } from "./plain-text.ts";
import { lettersOf } from "./tree/letters.ts";
import { parseHtml } from "./tree/parse.ts";
import { wordSet } from "./tree/tags.ts";
import { collectText, type Element, listByTag, type Page } from "./tree/tree.ts";
import { isHidden } from "./tree/visibility.ts";
import { htmlWeights } from "./weights.ts";
import { type WriteOptions, type WrittenText, writeMarkdown } from "./write/markdown.ts";

const { minTextChars, minLongTextChars, minKeptShare, gainOverShortText, gainOverOtherText } = htmlWeights.strategies;
const { minVisibleChars, maxNoticeChars, minDescriptionChars, minDescriptionShare, descriptionProbeChars } =
  htmlWeights.strategies;

/** The names of the strategies, from the best to the last resort. */
export type Method = "main" | "mild" | "hidden" | "noscript" | "json-ld" | "payload" | "full" | "linear";

/** The text of a page and how it was extracted. */
export type Outcome = Pick<WrittenText, "text" | "marks" | "linkBase"> & {
  readonly method: Method;
  /** The share of the page's text that was kept. */
  readonly keptShare: number;
  readonly needsJs: boolean;
};

/** A text, and how many characters of the page's text are in it; `dataChars` counts text that is not in the markup. */
type Candidate = WrittenText & { readonly keptChars: number; readonly dataChars?: number };
type Strategy = readonly [Method, () => Candidate | undefined];

/** Extracts a page by the first strategy that keeps enough text, else by the one that keeps most. */
export function extractBest(page: Page, html: string, options: WriteOptions): Outcome {
  if (!page.isComplete) return { text: toPlainText(html), marks: [], method: "linear", keptShare: 1, needsJs: false };
  const measures = measureText(page, isIgnored);
  const pageChars = Math.max(1, measures.text[0] ?? 0);
  let best: { readonly candidate: Candidate; readonly method: Method } | undefined;
  for (const [method, extract] of strategies(page, measures, options)) {
    const candidate = extract();
    if (candidate === undefined || (best !== undefined && !addsEnough(candidate, best.candidate))) continue;
    best = { candidate, method };
    if (!isTooShort(candidate, pageChars)) break;
  }
  const { candidate, method } = best ?? { candidate: emptyCandidate, method: "full" as const };
  const { text, marks, linkBase, keptChars, duplicateChars, dataChars = 0 } = candidate;
  const needsJs = text.length < minTextChars && (isAppShell(page) || (asksForJavaScript(text) && hasScripts(page)));
  const keptShare = shareOf(keptChars - duplicateChars, pageChars + dataChars);
  return { text, marks, linkBase, method, keptShare, needsJs };
}

function shareOf(chars: number, allChars: number): number {
  return allChars <= 1 ? 1 : Math.max(0, Math.min(1, chars / allChars));
}

/** A page with scripts that has an empty app root, a request to enable JavaScript, or hardly any text but links. */
function isAppShell(page: Page): boolean {
  if (!hasScripts(page)) return false;
  if (listByTag(page, "noscript").some(isNoscriptNotice) || page.elements.some(isAppRoot)) return true;
  return countVisibleChars(page) < minVisibleChars;
}

/** Whether a page shows no text at all, or hardly any before its scripts run. */
function showsHardlyAnyText(page: Page): boolean {
  const visibleChars = countVisibleChars(page);
  return visibleChars === 0 || isAppShell(page) || (visibleChars < minTextChars && hasScripts(page));
}

function hasScripts(page: Page): boolean {
  return listByTag(page, "script").length > 0;
}

function countVisibleChars(page: Page): number {
  return unlinkedChars(
    measureText(page, (element) => isIgnored(element) || isHidden(element)),
    page.root,
  );
}

/** Words in the ids of elements that frameworks fill. */
const appRootWords = wordSet("root app next nuxt gatsby mount main page content container spa");
/** An empty element that the buttons of a social network need. */
const otherRootIds = wordSet("fb-root");

/** An empty element that scripts fill: a custom element, or one whose id says so. */
function isAppRoot(element: Element): boolean {
  const { tag, attributes } = element;
  const { id = "" } = attributes;
  const isNamedSo =
    tag.includes("-") || (!otherRootIds.has(id) && id.split(/[-_]+/).some((word) => appRootWords.has(word)));
  return isNamedSo && /^(?:(?:loading|please wait)\b.{0,20})?$/i.test(collectText(element, maxNoticeChars).trim());
}

function isNoscriptNotice(element: Element): boolean {
  return isJavaScriptNotice(collectText(element, maxNoticeChars));
}

const emptyCandidate: Candidate = { text: "", marks: [], keptChars: 0, duplicateChars: 0 };

/** A short text, or a small share of the page unless it is long. */
function isTooShort({ text, keptChars }: Candidate, pageChars: number): boolean {
  return text.length < minTextChars || (keptChars < minLongTextChars && keptChars < minKeptShare * pageChars);
}

/** A milder strategy must yield clearly more than the better one before it. */
function addsEnough({ text }: Candidate, best: Candidate): boolean {
  return text.length > (best.text.length < minTextChars ? gainOverShortText : gainOverOtherText) * best.text.length;
}

function strategies(page: Page, measures: Measures, options: WriteOptions): readonly Strategy[] {
  const extractChosen = (pruning: Pruning, showsHidden: boolean): Candidate => {
    const choice = choose(page, measures, { pruning, showsHidden, url: options.url });
    const filteredShare = pruning === "strict" ? filterBlocks(page, choice) : 0;
    const keptChars = Math.round((1 - filteredShare) * choice.keptChars);
    return { ...writeMarkdown(page, choice, options), keptChars };
  };
  return [
    ["main", () => withNoframes(page, withDescription(page, extractChosen("strict", false), options), options)],
    ["mild", () => extractChosen("mild", false)],
    // If no script could show it, hidden text is not meant for a reader.
    ["hidden", () => (showsHardlyAnyText(page) ? extractChosen("strict", true) : undefined)],
    ["noscript", () => extractNoscript(page, options)],
    ["json-ld", () => extractData(findArticleBody(page), options)],
    ["payload", () => extractPayload(page, options)],
    ["full", () => extractChosen("none", showsHardlyAnyText(page))],
  ];
}

/**
 * Only pages that call themselves articles: elsewhere links and short lines are content as often as not, and threads need
 * their authors. Returns the share of the chosen text that is dropped.
 */
function filterBlocks(page: Page, { root, dropped, kind, isKindStated }: Choice): number {
  return kind === "article" && isKindStated ? dropUnlikelyBlocks(page, root, dropped) : 0;
}

/** Adds the product description from structured data to a page with little text: its scripts show the rest. */
function withDescription(page: Page, candidate: Candidate, options: WriteOptions): Candidate {
  const description = extractData(findProductDescription(page), { ...options, linkBase: candidate.linkBase });
  const minChars = Math.max(minDescriptionChars, minDescriptionShare * candidate.text.length);
  if (description === undefined || description.text.length < minChars) return candidate;
  const probe = lettersOf(description.text).slice(0, descriptionProbeChars);
  return lettersOf(candidate.text).includes(probe) ? candidate : joinCandidates([description, candidate]);
}

/** Adds what a page of frames shows to browsers without frames. */
function withNoframes(page: Page, candidate: Candidate, options: WriteOptions): Candidate {
  const [noframes] = listByTag(page, "noframes");
  const within = { ...options, linkBase: candidate.linkBase };
  const fallback = noframes === undefined ? undefined : extractData(collectText(noframes), within);
  return fallback === undefined ? candidate : joinCandidates([candidate, fallback]);
}

/** One candidate after the other; their links are relative to the same address. */
function joinCandidates(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((all, { text, marks, linkBase, keptChars, duplicateChars, dataChars = 0 }) => {
    const before = all.text === "" || text === "" ? all.text : `${all.text}\n\n`;
    return {
      text: before + text,
      marks: [...all.marks, ...marks.map((mark) => ({ ...mark, at: mark.at + before.length }))],
      linkBase: all.linkBase ?? linkBase,
      keptChars: all.keptChars + keptChars,
      duplicateChars: all.duplicateChars + duplicateChars,
      dataChars: (all.dataChars ?? 0) + dataChars,
    };
  }, emptyCandidate);
}

/** More `noscript` elements are not read. */
const MAX_NOSCRIPTS = 50;

/** The longest text for readers without scripts. */
function extractNoscript(page: Page, options: WriteOptions): Candidate | undefined {
  const [longest] = listByTag(page, "noscript")
    .filter(({ parent }) => parent?.tag !== "head")
    .slice(0, MAX_NOSCRIPTS)
    .map((element) => ({ element, chars: collectText(element).trim().length }))
    .sort((one, other) => other.chars - one.chars);
  if (longest === undefined || longest.chars === 0) return undefined;
  const candidate = extractWithin(page, longest.element, options);
  return isJavaScriptNotice(candidate.text) ? undefined : candidate;
}

/** What is under an element without the parts that belong to the site. */
function extractWithin(page: Page, root: Element, options: WriteOptions): Candidate {
  const isOutside = (element: Element) => element !== root && isIgnored(element);
  const choice = choose(page, measureText(page, isOutside), { pruning: "mild", showsHidden: true, root });
  return { ...writeMarkdown(page, { ...choice, keepsRepeats: true }, options), keptChars: choice.keptChars };
}

/** "You need to enable JavaScript to run this app." says nothing about the page. */
function isJavaScriptNotice(text: string): boolean {
  return text.length < maxNoticeChars && /javascript|\bscripts?\b/i.test(text);
}

/** The same for the whole text of a page, where only the request itself counts. */
function asksForJavaScript(text: string): boolean {
  return /\b(?:enable|allow|activate|turn on|requires?|needs?)\b.{0,40}\b(?:javascript|scripts)\b/i.test(text);
}

/** A text from structured data. */
function extractData(text: string, options: WriteOptions): Candidate | undefined {
  return text.trim() === "" ? undefined : { ...extractDataText(text, options), dataChars: text.length };
}

/** Text in data may be HTML, or have entities. */
function extractDataText(text: string, options: WriteOptions): Candidate {
  const isMarkup = /<(?:p|div|br|h\d|li|a|ul)\b/i.test(text);
  const hasEntities = /&(?:#x?[\da-f]{1,6}|[a-z]{2,8});/i.test(text);
  const page = isMarkup || hasEntities ? parseHtml(text) : undefined;
  if (page !== undefined && isMarkup) return extractAll(page, page.root, options);
  const plain = page === undefined ? text : collectText(page.root);
  return { text: plain.trim(), marks: [], keptChars: text.length, duplicateChars: 0 };
}

/** What the scripts would show, extracted like a page, then the paragraphs in their data. */
function extractPayload(page: Page, options: WriteOptions): Candidate | undefined {
  const { html, paragraphs, chars } = readPayloadContent(page);
  const rendered = extractRendered(html, options);
  const within = { ...options, linkBase: rendered.linkBase };
  const candidate = joinCandidates([rendered, ...paragraphs.map((text) => extractDataText(text, within))]);
  return candidate.text === "" ? undefined : { ...candidate, dataChars: (rendered.dataChars ?? 0) + chars };
}

function extractRendered(html: string, options: WriteOptions): Candidate {
  const page = parseHtml(html);
  const measures = measureText(page, isIgnored);
  const choice = choose(page, measures, { pruning: "strict", showsHidden: false, url: options.url });
  return { ...writeMarkdown(page, choice, options), keptChars: choice.keptChars, dataChars: measures.text[0] ?? 0 };
}

/** Everything under an element. */
function extractAll(page: Page, root: Element, options: WriteOptions): Candidate {
  const choice = {
    root,
    dropped: new Uint8Array(page.elements.length),
    keepsRepeats: true,
    isForum: false,
    kind: "unknown" as const,
    isKindStated: false,
    replies: new Map(),
    keptChars: 0,
  };
  const markdown = writeMarkdown(page, choice, options);
  return { ...markdown, keptChars: markdown.text.length };
}
