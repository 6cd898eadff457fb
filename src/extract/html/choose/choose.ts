/** Chooses the part of a page that is its content: where it stands, and what in that place does not belong to it. */

import { headings, inlineTags, wordSet } from "../tree/tags.ts";
import { createContains, type Element, type Page } from "../tree/tree.ts";
import { isHidden } from "../tree/visibility.ts";
import { weights } from "../weights.ts";
import { findFootnotes } from "../write/footnotes.ts";
import { createNameJudge, isNamed, isUnseenName, type NameJudge } from "./class-names.ts";
import { generatorOf } from "./generators.ts";
import { type PageKind, pageKind } from "./page-kind.ts";
import { type Pruning, prune, type Survey } from "./prune.ts";
import { createTeaserJudge } from "./teasers.ts";
import { isUnread, type Measures, measure, unlinkedChars } from "./text-measures.ts";

const { minMainShare, minArticleProseChars, maxTitledGrowth, minLeadChars, maxCommentShare } = weights.choose;

/** What of a page is written: everything under `root` but what is dropped, by element index. */
export type Choice = {
  readonly root: Element;
  readonly dropped: Uint8Array;
  /** References say the same of many things; elsewhere a paragraph that comes twice is a copy for another screen. */
  readonly keepsRepeats: boolean;
  readonly isForum: boolean;
  /** Characters of the page's text that are kept. */
  readonly keptChars: number;
};

export type ChooseOptions = {
  readonly pruning: Pruning;
  readonly showsHidden: boolean;
  readonly url?: string | undefined;
};

/** Chooses, given how much text there is in all. */
export function choose(page: Page, whole: Measures, { pruning, showsHidden, url }: ChooseOptions): Choice {
  const kind = pageKind(page, url);
  const verdictOn = createNameJudge();
  const isUnseen = (element: Element) => isUnread(element) || (!showsHidden && isHidden(element));
  const isTeaser = kind === "article" ? createTeaserJudge(page, whole) : () => false;
  const isSkipped = (element: Element) =>
    isUnseen(element) || (pruning === "strict" && (isSideMatter(element, kind, verdictOn, whole) || isTeaser(element)));
  const measures = measure(page, isSkipped);
  const areNotes = createNotesJudge(page, measures);
  const isPart = createPartJudge(page, measures, verdictOn, areNotes);
  const place = pruning === "none" ? wholeOf(bodyOf(page)) : choosePlace(page, kind, pruning, measures, isPart);
  const { root } = place;
  const isLeftOut = (element: Element) => isSkipped(element) || isOutside(element, place, measures);
  const keepsComments =
    kind === "forum" || (kind === "unknown" && commentShare(page, root, measures, verdictOn) > maxCommentShare);
  const title = page.elements.find(({ tag }) => tag === "h1");
  const survey: Survey = {
    page,
    root,
    kind,
    generator: generatorOf(page),
    measures,
    verdictOn,
    pruning,
    keepsComments,
    isReference: isReference(page, kind),
    holdsHeading: createContains(page, ({ tag }) => headings.has(tag)),
    holdsCode: createContains(page, ({ tag }) => tag === "pre"),
    holdsField: createContains(page, isField),
    holdsTitle: createContains(page, (element) => element === title),
    areNotes,
  };
  return {
    root,
    ...prune(survey, isLeftOut, isUnseen),
    keepsRepeats: kind !== "forum" && survey.isReference,
    isForum: kind === "forum",
  };
}

/** Covers, comments below an article, reviews of a product: not the content however much of the text they are. */
function isSideMatter(element: Element, kind: PageKind, verdictOn: NameJudge, { text }: Measures): boolean {
  if (element.tag === "span") return isUnseenName(element);
  if (!isNamed(element)) return false;
  switch (verdictOn(element)) {
    case "never":
      return true;
    case "notice":
      return (text[element.index] ?? 0) < weights.choose.maxNoticeShare * (text[0] ?? 0);
    case "comments":
      return kind === "article";
    case "reviews":
      return kind === "product";
    default:
      return false;
  }
}

function bodyOf(page: Page): Element {
  return page.elements.find((element) => element.tag === "body") ?? page.root;
}

/** Where the content stands: under an element, from one place in document order up to another. */
type Place = {
  readonly root: Element;
  readonly from: number;
  readonly to: number;
  readonly title?: Element;
  readonly text?: Element;
};

function wholeOf(root: Element): Place {
  return { root, from: root.index, to: root.end };
}

function isOutside({ tag, index, end }: Element, { from, to, title, text }: Place, measures: Measures): boolean {
  if (end <= from || index >= to) return true;
  if (title === undefined || text === undefined || inlineTags.has(tag)) return false;
  return index >= title.end && end <= text.index && (measures.text[index] ?? 0) < minLeadChars;
}

type Judge = (element: Element) => boolean;

function choosePlace(page: Page, kind: PageKind, pruning: Pruning, measures: Measures, isPart: Judge): Place {
  const main = mainOf(page, measures);
  if (pruning === "mild" || kind === "listing") return wholeOf(main);
  if (kind === "article") return fromTitle(narrow(main, measures, weights.choose.article, isPart), main, page);
  if (!isReference(page, kind)) return wholeOf(narrow(main, measures, weights.choose.other, isPart));
  return wholeOf(withTitle(narrow(main, measures, weights.choose.reference, isPart), page, measures));
}

/** An article with its title, and what stands between the two: who wrote it, and what it is about. */
function fromTitle(root: Element, main: Element, page: Page): Place {
  const title = page.elements.find(({ tag, index }) => tag === "h1" && index > main.index);
  if (title === undefined || title.index > root.index) return wholeOf(root);
  let around = root;
  while (around.parent !== null && title.index < around.index) around = around.parent;
  return { root: around, from: title.index, to: root.end, title, text: root };
}

/** A reference often begins outside what holds most of it: the part around that has the title too, and little else. */
function withTitle(root: Element, page: Page, measures: Measures): Element {
  const title = page.elements.find(({ tag }) => tag === "h1");
  if (title === undefined || title.index > root.index) return root;
  let around = root;
  while (around.parent !== null && title.index < around.index) around = around.parent;
  return unlinkedChars(measures, around) < maxTitledGrowth * unlinkedChars(measures, root) ? around : root;
}

/** The element that calls itself the main one, if enough of the text stands there, else the body. */
function mainOf(page: Page, measures: Measures): Element {
  const body = bodyOf(page);
  let best: Element | undefined;
  for (const element of page.elements) {
    const { tag, attributes } = element;
    if (tag !== "main" && attributes.role !== "main") continue;
    if (best === undefined || unlinkedChars(measures, element) > unlinkedChars(measures, best)) best = element;
  }
  const isEnough = best !== undefined && unlinkedChars(measures, best) > minMainShare * unlinkedChars(measures, body);
  return best !== undefined && isEnough ? best : body;
}

/** Shares of a parent's prose and text that make a child its content. */
type Shares = { readonly proseShare: number; readonly textShare: number };
const undivided = wordSet("p li ul ol table tbody tr td pre blockquote dl dd h1 h2 h3 h4 h5 h6");

/** Goes down while one child holds nearly all sentences, so that what surrounds an article is left out. */
function narrow(root: Element, measures: Measures, shares: Shares, isPart: Judge): Element {
  const { prose } = measures;
  for (let at = root; ; ) {
    const all = prose[at.index] ?? 0;
    const holds = (child: Element) => (prose[child.index] ?? 0) >= shares.proseShare * all;
    const next = at.children.find((child): child is Element => typeof child !== "string" && holds(child));
    if (all < minArticleProseChars || next === undefined || undivided.has(next.tag) || inlineTags.has(next.tag))
      return at;
    if (unlinkedChars(measures, next) < shares.textShare * unlinkedChars(measures, at)) return at;
    if (at.children.some((child) => child !== next && typeof child !== "string" && isPart(child))) return at;
    at = next;
  }
}

/** Tells whether most of an element's text stands in footnotes. */
function createNotesJudge(page: Page, { text }: Measures): Judge {
  const chars = new Int32Array(page.elements.length);
  for (const note of findFootnotes(page).notes.keys())
    for (let one: Element | null = note; one !== null; one = one.parent)
      chars[one.index] = (chars[one.index] ?? 0) + (text[note.index] ?? 0);
  return ({ index }) => (chars[index] ?? 0) > weights.choose.minFootnoteShare * (text[index] ?? 0);
}

/** Tells whether what stands beside most of the text is a part of it: code, a table, or sentences under a heading. */
function createPartJudge(page: Page, { prose, text, anchors }: Measures, verdictOn: NameJudge, areNotes: Judge): Judge {
  const holdsCode = createContains(page, ({ tag }) => tag === "pre");
  const holdsHeading = createContains(page, ({ tag }) => headings.has(tag));
  return (element) => {
    const { tag, index } = element;
    if (areNotes(element)) return (text[index] ?? 0) > weights.choose.minFootnoteListChars;
    if (
      siteTags.has(tag) ||
      verdictOn(element) !== "none" ||
      (text[index] ?? 0) < weights.measure.cardCharsPerLink * (anchors[index] ?? 0)
    )
      return false;
    return holdsCode(element) || (holdsHeading(element) && (prose[index] ?? 0) > 0);
  };
}
const siteTags = wordSet("nav aside footer header");

function isField({ tag, attributes }: Element): boolean {
  return fieldTags.has(tag) && attributes.type !== "hidden";
}
const fieldTags = wordSet("input select textarea button");

/** How much of the text outside links stands in elements named after comments. */
function commentShare(page: Page, root: Element, measures: Measures, verdictOn: NameJudge): number {
  let chars = 0;
  for (let at = root.index + 1; at < root.end; ) {
    const element = page.elements[at] as Element;
    const isComments = verdictOn(element) === "comments";
    if (isComments) chars += unlinkedChars(measures, element);
    at = isComments ? element.end : at + 1;
  }
  return chars / Math.max(1, unlinkedChars(measures, root));
}

function isReference(page: Page, kind: PageKind): boolean {
  return (
    kind === "documentation" ||
    page.elements.filter((element) => element.tag === "pre").length >= weights.pageKind.minReferenceCodeBlocks
  );
}
