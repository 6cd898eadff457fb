/**
 * Never lose a page in silence: what was chosen is compared with all the text there is, and where too little is left
 * the next, milder way of reading is tried. Says which one gave the answer.
 */
import { choose } from "./choose/choose.ts";
import type { Pruning } from "./choose/prune.ts";
import { isUnread, type Measures, measure, unlinkedChars } from "./choose/text-measures.ts";
import { articleBody, payloadContent, productDescription } from "./data/payloads.ts";
import { linearText } from "./plain-text.ts";
import { parseHtml } from "./tree/parse.ts";
import { wordSet } from "./tree/tags.ts";
import { type Element, flatText, type Page } from "./tree/tree.ts";
import { isHidden } from "./tree/visibility.ts";
import { weights } from "./weights.ts";
import { type WriteOptions, type Written, writeMarkdown } from "./write/markdown.ts";

const { minTextChars, minLongTextChars, minKeptShare, gainOverShortText, gainOverOtherText } = weights.strategies;
const { minVisibleChars, maxNoticeChars, minDescriptionChars, descriptionProbeChars } = weights.strategies;

/** The ways of reading a page, from the best to the last resort. */
export type Method = "main" | "mild" | "hidden" | "noscript" | "json-ld" | "payload" | "full" | "linear";

export type Climbed = Pick<Written, "text" | "marks"> & {
  readonly method: Method;
  /** Share of the page's text that was kept. */
  readonly keptShare: number;
  readonly needsJs: boolean;
};

/** A text, how many characters of what the page says are in it, and of how many where that is not the page's markup. */
type Reading = Written & { readonly keptChars: number; readonly dataChars?: number };
type Rung = readonly [Method, () => Reading | undefined];

/** The text of a page by the first way that does not leave too little, else by the one that leaves most. */
export function climb(page: Page, html: string, options: WriteOptions): Climbed {
  if (!page.isComplete) return { text: linearText(html), marks: [], method: "linear", keptShare: 1, needsJs: false };
  const whole = measure(page, isUnread);
  const pageChars = Math.max(1, whole.text[0] ?? 0);
  let best: { readonly reading: Reading; readonly method: Method } | undefined;
  for (const [method, read] of rungs(page, whole, options)) {
    const reading = read();
    if (reading === undefined || (best !== undefined && !isRicher(reading, best.reading))) continue;
    best = { reading, method };
    if (!isPoor(reading, pageChars)) break;
  }
  const { reading, method } = best ?? { reading: nothing, method: "full" as const };
  const { text, marks, keptChars, copiedChars, dataChars = 0 } = reading;
  const needsJs = text.length < minTextChars && (isShell(page) || (isPlea(text) && hasScripts(page)));
  return { text, marks, method, keptShare: share(keptChars - copiedChars, pageChars + dataChars), needsJs };
}

function share(part: number, whole: number): number {
  return whole <= 1 ? 1 : Math.max(0, Math.min(1, part / whole));
}

/** Scripts, and hardly any text but links, an empty place for them to fill, or the plea to switch them on. */
function isShell(page: Page): boolean {
  if (!hasScripts(page)) return false;
  if (page.elements.some((element) => isMount(element) || asksForScripts(element))) return true;
  return seenChars(page) < minVisibleChars;
}

/** Shows no text at all, or has scripts and hardly any text that shows without them. */
function hidesItsText(page: Page): boolean {
  const seen = seenChars(page);
  return seen === 0 || isShell(page) || (seen < minTextChars && hasScripts(page));
}

function hasScripts(page: Page): boolean {
  return page.elements.some(({ tag }) => tag === "script");
}

function seenChars(page: Page): number {
  return unlinkedChars(
    measure(page, (element) => isUnread(element) || isHidden(element)),
    page.root,
  );
}

/** Words in the ids of what frameworks fill. */
const mountWords = wordSet("root app next nuxt gatsby mount main page content container spa");
/** An empty element that a button of a social network asks for. */
const notMounts = wordSet("fb-root");

/** An empty place that scripts fill: an element of their own making, or one whose id says so. */
function isMount(element: Element): boolean {
  const { tag, attributes } = element;
  const { id = "" } = attributes;
  const isNamed = tag.includes("-") || (!notMounts.has(id) && id.split(/[-_]+/).some((word) => mountWords.has(word)));
  return isNamed && /^(?:(?:loading|please wait)\b.{0,20})?$/i.test(flatText(element, maxNoticeChars).trim());
}

function asksForScripts(element: Element): boolean {
  return element.tag === "noscript" && isNotice(flatText(element, maxNoticeChars));
}

const nothing: Reading = { text: "", marks: [], keptChars: 0, copiedChars: 0 };

function isPoor({ text, keptChars }: Reading, pageChars: number): boolean {
  return text.length < minTextChars || (keptChars < minLongTextChars && keptChars < minKeptShare * pageChars);
}

/** A milder way must bring clearly more than the better one before it. */
function isRicher({ text }: Reading, best: Reading): boolean {
  return text.length > (best.text.length < minTextChars ? gainOverShortText : gainOverOtherText) * best.text.length;
}

function rungs(page: Page, whole: Measures, options: WriteOptions): readonly Rung[] {
  const readChosen = (pruning: Pruning, showsHidden: boolean): Reading => {
    const choice = choose(page, whole, { pruning, showsHidden, url: options.url });
    return { ...writeMarkdown(page, choice, options), keptChars: choice.keptChars };
  };
  return [
    ["main", () => withUnframed(page, withDescription(page, readChosen("strict", false), options), options)],
    ["mild", () => readChosen("mild", false)],
    // Without scripts that could show it, what is hidden is not meant for a reader.
    ["hidden", () => (hidesItsText(page) ? readChosen("strict", true) : undefined)],
    ["noscript", () => readNoscript(page, options)],
    ["json-ld", () => readData(articleBody(page), options)],
    ["payload", () => readPayload(page, options)],
    ["full", () => readChosen("none", hidesItsText(page))],
  ];
}

/** Shops often show the description of a product only after scripts ran; their structured data has it. */
function withDescription(page: Page, reading: Reading, options: WriteOptions): Reading {
  const told = readData(productDescription(page), options);
  if (told === undefined || told.text.length < minDescriptionChars) return reading;
  if (lettersOf(reading.text).includes(lettersOf(told.text).slice(0, descriptionProbeChars))) return reading;
  return joined([told, reading]);
}

/** A page of frames with what it shows to browsers without them. */
function withUnframed(page: Page, reading: Reading, options: WriteOptions): Reading {
  const unframed = page.elements.find(({ tag }) => tag === "noframes");
  const told = unframed === undefined ? undefined : readData(flatText(unframed), options);
  return told === undefined ? reading : joined([reading, told]);
}

/** Readings one after the other. */
function joined(readings: readonly Reading[]): Reading {
  return readings.reduce((all, { text, marks, keptChars, copiedChars, dataChars = 0 }) => {
    const lead = all.text === "" || text === "" ? all.text : `${all.text}\n\n`;
    return {
      text: lead + text,
      marks: [...all.marks, ...marks.map((mark) => ({ ...mark, at: mark.at + lead.length }))],
      keptChars: all.keptChars + keptChars,
      copiedChars: all.copiedChars + copiedChars,
      dataChars: (all.dataChars ?? 0) + dataChars,
    };
  }, nothing);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The longest text for readers without scripts. */
function readNoscript(page: Page, options: WriteOptions): Reading | undefined {
  const readings = page.elements
    .filter(({ tag, parent }) => tag === "noscript" && parent?.tag !== "head")
    .slice(0, mostNoscripts)
    .map((element) => readWhole(page, element, options));
  const longest = readings.reduce((best, one) => (one.text.length > best.text.length ? one : best), nothing);
  return longest === nothing || isNotice(longest.text) ? undefined : longest;
}

const mostNoscripts = 50;

/** "You need to enable JavaScript to run this app." says nothing about the page. */
function isNotice(text: string): boolean {
  return text.length < maxNoticeChars && /javascript|\bscripts?\b/i.test(text);
}

/** The same where it is all that a page shows. */
function isPlea(text: string): boolean {
  return /\b(?:enable|allow|activate|turn on|requires?|needs?)\b.{0,40}\b(?:javascript|scripts)\b/i.test(text);
}

/** Text found in structured data; some of it is HTML itself. */
function readData(text: string, options: WriteOptions): Reading | undefined {
  return text.trim() === "" ? undefined : { ...readPiece(text, options), dataChars: text.length };
}

function readPiece(text: string, options: WriteOptions): Reading {
  const isMarkup = /<(?:p|div|br|h\d|li|a|ul)\b/i.test(text);
  const hasEntities = /&(?:#x?[\da-f]{1,6}|[a-z]{2,8});/i.test(text);
  const page = isMarkup || hasEntities ? parseHtml(text) : undefined;
  if (page !== undefined && isMarkup) return readWhole(page, page.root, options);
  const plain = page === undefined ? text : flatText(page.root);
  return { text: plain.trim(), marks: [], keptChars: text.length, copiedChars: 0 };
}

/** What the scripts would show, read like a page, then the paragraphs in their data. */
function readPayload(page: Page, options: WriteOptions): Reading | undefined {
  const { html, paragraphs, chars } = payloadContent(page);
  const shown = readShown(html, options);
  const pieces = paragraphs.map((text) => readPiece(text, options));
  const told = joined([shown, ...pieces]);
  return told.text === "" ? undefined : { ...told, dataChars: (shown.dataChars ?? 0) + chars };
}

function readShown(html: string, options: WriteOptions): Reading {
  const page = parseHtml(html);
  const whole = measure(page, isUnread);
  const choice = choose(page, whole, { pruning: "strict", showsHidden: false, url: options.url });
  return { ...writeMarkdown(page, choice, options), keptChars: choice.keptChars, dataChars: whole.text[0] ?? 0 };
}

function readWhole(page: Page, root: Element, options: WriteOptions): Reading {
  const choice = {
    root,
    dropped: new Uint8Array(page.elements.length),
    keepsRepeats: true,
    isForum: false,
    keptChars: 0,
  };
  const written = writeMarkdown(page, choice, options);
  return { ...written, keptChars: written.text.length };
}
