/** Chooses the part of a page that is its content: one element, and what inside it is dropped. */

import { findAuthor } from "../data/page-metadata.ts";
import { findFootnotes } from "../tree/footnotes.ts";
import { headingTags, inlineTags, wordSet } from "../tree/tags.ts";
import { createContains, type Element, isInside, listByTag, type Page } from "../tree/tree.ts";
import { isForSmallScreens, isHidden } from "../tree/visibility.ts";
import { htmlWeights } from "../weights.ts";
import { hasArticleShape } from "./article-shape.ts";
import {
  createNameClassifier,
  hasMeaningfulName,
  hasScreenReaderName,
  type NameClassifier,
  tagAndClass,
} from "./class-names.ts";
import { findGenerator } from "./generators.ts";
import { createFrameTest } from "./page-frame.ts";
import { detectPageKind, type PageKind } from "./page-kind.ts";
import { type PageContext, type Pruning, prune } from "./prune.ts";
import { findReplies, type Replies } from "./replies.ts";
import { findStatedBody } from "./stated-body.ts";
import { createTeaserTest } from "./teasers.ts";
import { isIgnored, type Measures, measureText, unlinkedChars } from "./text-measures.ts";
import { findTitleElement } from "./title-element.ts";

const { minMainShare, minArticleProseChars, maxTitledGrowth, minLeadChars, maxCommentShare, maxIconLevels } =
  htmlWeights.choose;

/** What is written of a page: everything under `root` except the dropped elements, by index. */
export type Choice = {
  readonly root: Element;
  readonly dropped: Uint8Array;
  /** A reference may repeat a paragraph; elsewhere the second one is a copy for another screen. */
  readonly keepsRepeats: boolean;
  readonly isForum: boolean;
  readonly kind: PageKind;
  /** False if the kind was concluded from the text. */
  readonly isKindStated: boolean;
  /** The levels of quotation that begin at elements which answer others. */
  readonly replies: Replies;
  /** Characters of the page's text that are kept. */
  readonly keptChars: number;
};

type ChooseOptions = {
  readonly pruning: Pruning;
  readonly showsHidden: boolean;
  readonly url?: string | undefined;
  /** The element that the content is in, if it is known. */
  readonly root?: Element;
};

/** Chooses the content of a page; `pageMeasures` are those of the whole page. */
export function choose(page: Page, pageMeasures: Measures, options: ChooseOptions): Choice {
  const { pruning, showsHidden, url } = options;
  const statedKind = detectPageKind(page, url);
  const kind = statedKind === "unknown" ? concludeKind(page, url, pageMeasures) : statedKind;
  const classifyName = createNameClassifier();
  const isInvisible = (element: Element) =>
    element !== options.root &&
    (isIgnored(element) || (!showsHidden && (isHidden(element) || isForSmallScreens(element))));
  const keepsReviews = kind === "product" && hasFewReviews(page, classifyName, pageMeasures);
  const isTeaser = kind === "article" ? createTeaserTest(page, pageMeasures) : () => false;
  const isExcluded = (element: Element) =>
    isInvisible(element) ||
    (pruning === "strict" &&
      (isSideMatter(element, { kind, keepsReviews, classifyName }, pageMeasures) || isTeaser(element)));
  const excluded = new Uint8Array(page.elements.length);
  for (const element of page.elements) excluded[element.index] = isExcluded(element) ? 1 : 0;
  const measures = measureText(page, ({ index }) => excluded[index] === 1, pageMeasures);
  const isFootnoteList = createFootnoteListTest(page, measures);
  const containsHeading = createContains(page, ({ tag }) => headingTags.has(tag));
  const containsCode = createContains(page, ({ tag }) => tag === "pre");
  const parts = { measures, classifyName, isFootnoteList, containsHeading, containsCode };
  const isContentPart = createContentPartTest(parts);
  const known = options.root ?? (pruning === "none" ? bodyOf(page) : undefined);
  const bounds = known === undefined ? chooseBounds(page, kind, pruning, measures, isContentPart) : boundsOf(known);
  const { root } = bounds;
  const containsFigure = createContains(page, ({ tag }) => tag === "figure");
  const isSkipped = (element: Element) =>
    excluded[element.index] === 1 || isOutside(element, bounds, measures, containsFigure);
  const keepsComments =
    kind === "forum" || (kind === "unknown" && commentShare(page, root, measures, classifyName) > maxCommentShare);
  const containsField = createContains(page, isField);
  const context: PageContext = {
    page,
    url,
    root,
    kind,
    generator: findGenerator(page),
    measures,
    classifyName,
    pruning,
    keepsComments,
    keepsReviews,
    isReference: isReference(page, kind),
    containsHeading,
    containsCode,
    containsField,
    containsTitle: createTitleTest(page, pageMeasures),
    isAttribution: createAttributionTest(page, kind),
    isAuthorName: createAuthorNameTest(page),
    containsAuthor: createContains(page, ({ attributes }) => authorName.test(attributes.class ?? "")),
    isFrame: createFrameTest(page, measures, containsField),
    isFootnoteList,
  };
  return {
    root,
    ...prune(context, isSkipped, isInvisible),
    keepsRepeats: kind !== "forum" && context.isReference,
    isForum: kind === "forum",
    kind,
    isKindStated: kind === statedKind,
    replies: kind === "forum" || keepsComments ? findReplies(page) : noReplies,
  };
}
const noReplies: Replies = new Map();

/** The kind that the text of a page shows. */
function concludeKind(page: Page, url: string | undefined, measures: Measures): PageKind {
  const isManual = isReference(page, "unknown") || (url !== undefined && manualAddress.test(url));
  return !isManual && hasArticleShape(page, measures) ? "article" : "unknown";
}
/** Manuals have lists of links and short lines that an article would not have. */
const manualAddress = /\/(?:docs?|documentation|manual|reference|api)\/|^https?:\/\/(?:docs?|developers?)\./i;

/** Makes a test for elements with the title of the page, which is looked for at its first use. */
function createTitleTest(page: Page, measures: Measures): ElementTest {
  let titleIndex: number | undefined;
  return ({ index, end }) => {
    titleIndex ??= findTitleElement(page, measures)?.index ?? -1;
    return titleIndex >= index && titleIndex < end;
  };
}

/** Makes a test for the name of the page's author, which is looked for at its first use. */
function createAuthorNameTest(page: Page): (text: string) => boolean {
  let names: ReadonlySet<string> | undefined;
  return (text) => {
    names ??= new Set(findAuthor(page)?.toLowerCase().split(", "));
    return names.has(text.replace(/\s+/g, " ").toLowerCase());
  };
}

/** Makes a test for the names of authors below which several posts follow; an article has one author. */
function createAttributionTest({ elements }: Page, kind: PageKind): ElementTest {
  if (kind !== "unknown" && kind !== "documentation") return () => false;
  let counts: Map<string, number> | undefined;
  return (element) => {
    // The authors of teasers, on pages of unknown kind, are of other pages.
    if (kind === "unknown" && !isInComment(element)) return false;
    counts ??= countNames(elements);
    return (counts.get(tagAndClass(element)) ?? 0) >= htmlWeights.choose.minPosts;
  };
}

function isInComment(element: Element): boolean {
  for (let each: Element | null = element; each !== null; each = each.parent)
    if (commentName.test(each.attributes.class ?? "")) return true;
  return false;
}
const commentName = /comment|review|repl(?:y|ies)|\bnotes?\b/i;

function countNames(elements: readonly Element[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const element of elements) counts.set(tagAndClass(element), (counts.get(tagAndClass(element)) ?? 0) + 1);
  return counts;
}

const authorName = /\b(?:author|username)\b/i;

/** Covers, comments below an article, reviews of a product: not content, however much of the text they are. */
function isSideMatter(
  element: Element,
  { kind, keepsReviews, classifyName }: Pick<PageContext, "kind" | "keepsReviews" | "classifyName">,
  { text }: Measures,
): boolean {
  if (element.tag === "span") return hasScreenReaderName(element) && !isCellText(element, text);
  if (!hasMeaningfulName(element)) return false;
  switch (classifyName(element)) {
    case "never":
      return !isCellText(element, text);
    case "notice":
      return (text[element.index] ?? 0) < htmlWeights.choose.maxNoticeShare * (text[0] ?? 0);
    case "comments":
      return kind === "article";
    case "reviews":
      return kind === "product" && !keepsReviews;
    default:
      return false;
  }
}

/** Whether a product has some reviews, but not so many that they are most of what its page says. */
function hasFewReviews(page: Page, classifyName: NameClassifier, { text }: Measures): boolean {
  let chars = 0;
  for (let index = 0; index < page.elements.length; ) {
    const element = page.elements[index] as Element;
    const areReviews = hasMeaningfulName(element) && classifyName(element) === "reviews";
    if (areReviews) chars += text[index] ?? 0;
    index = areReviews ? element.end : index + 1;
  }
  return chars > 0 && chars <= htmlWeights.choose.maxReviewChars;
}

/** Whether an element has all the text of its cell: what a screen reader says there is what an icon shows. */
function isCellText({ index, parent }: Element, text: Int32Array): boolean {
  let cell = parent;
  for (let level = 0; level < maxIconLevels && cell !== null && !cellTags.has(cell.tag); level += 1) cell = cell.parent;
  return cell !== null && cellTags.has(cell.tag) && text[cell.index] === text[index];
}
const cellTags = wordSet("td th");

function bodyOf(page: Page): Element {
  return listByTag(page, "body")[0] ?? page.root;
}

/** Where the content is: under `root`, from index `start` up to `end`; of an article, also its title and body. */
type Bounds = {
  readonly root: Element;
  readonly start: number;
  readonly end: number;
  readonly title?: Element;
  readonly body?: Element;
};

function boundsOf(root: Element): Bounds {
  return { root, start: root.index, end: root.end };
}

/** Outside the content, or a short line between the title and the body of an article that shows no picture. */
function isOutside(
  element: Element,
  { start, end, title, body }: Bounds,
  measures: Measures,
  containsFigure: ElementTest,
): boolean {
  const { index } = element;
  if (element.end <= start || index >= end) return true;
  if (title === undefined || body === undefined || inlineTags.has(element.tag)) return false;
  if (index < title.end || element.end > body.index || (measures.text[index] ?? 0) >= minLeadChars) return false;
  return !containsFigure(element) && !isInside(element, "figure");
}

type ElementTest = (element: Element) => boolean;

function chooseBounds(
  page: Page,
  kind: PageKind,
  pruning: Pruning,
  measures: Measures,
  isContentPart: ElementTest,
): Bounds {
  const main = mainOf(page, measures);
  if (pruning === "mild" || kind === "listing") return boundsOf(main);
  if (kind === "article") return startAtTitle(findBody(page, main, measures, isContentPart), main, page);
  if (kind === "forum")
    return startAtPost(narrow(main, measures, htmlWeights.choose.other, isContentPart), page, measures);
  if (!isReference(page, kind)) return boundsOf(narrow(main, measures, htmlWeights.choose.other, isContentPart));
  return boundsOf(widenToTitle(narrow(main, measures, htmlWeights.choose.reference, isContentPart), page, measures));
}

function findBody(page: Page, main: Element, measures: Measures, isContentPart: ElementTest): Element {
  const stated = findStatedBody(page, measures, main);
  return narrow(stated ?? main, measures, htmlWeights.choose.article, isContentPart);
}

/** An article with its title and what is between the two: the author and a summary. */
function startAtTitle(body: Element, main: Element, page: Page): Bounds {
  const title = listByTag(page, "h1").find(({ index }) => index > main.index);
  if (title === undefined || title.index > body.index) return boundsOf(body);
  return { root: ancestorWith(title, body), start: title.index, end: body.end, title, body };
}

/** A thread begins with the title of its post, which may be outside of what holds the comments. */
function startAtPost(comments: Element, page: Page, measures: Measures): Bounds {
  const title = findTitleElement(page, measures);
  if (title === undefined || title.index >= comments.index || measures.text[title.index] === 0)
    return boundsOf(comments);
  return { root: ancestorWith(title, comments), start: title.index, end: comments.end };
}

/** The title of a reference is often outside of its text: takes the ancestor with both if that adds little else. */
function widenToTitle(root: Element, page: Page, measures: Measures): Element {
  const [title] = listByTag(page, "h1");
  if (title === undefined || title.index > root.index) return root;
  const ancestor = ancestorWith(title, root);
  return unlinkedChars(measures, ancestor) < maxTitledGrowth * unlinkedChars(measures, root) ? ancestor : root;
}

/** The innermost ancestor of an element that also contains a title before it. */
function ancestorWith(title: Element, element: Element): Element {
  let ancestor = element;
  while (ancestor.parent !== null && title.index < ancestor.index) ancestor = ancestor.parent;
  return ancestor;
}

/** The element that is marked as the main one, if enough of the text is in it, else the body. */
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
const undividedTags = wordSet("p li ul ol table tbody tr td pre blockquote dl dd h1 h2 h3 h4 h5 h6");

/** Goes down while one child has nearly all the prose, so that what surrounds an article is left out. */
function narrow(root: Element, measures: Measures, shares: Shares, isContentPart: ElementTest): Element {
  const { prose } = measures;
  for (let element = root; ; ) {
    const { children } = element;
    const proseChars = prose[element.index] ?? 0;
    const hasMostProse = (child: Element) => (prose[child.index] ?? 0) >= shares.proseShare * proseChars;
    const next = children.find((child): child is Element => typeof child !== "string" && hasMostProse(child));
    if (proseChars < minArticleProseChars || next === undefined) return element;
    if (undividedTags.has(next.tag) || inlineTags.has(next.tag)) return element;
    if (unlinkedChars(measures, next) < shares.textShare * unlinkedChars(measures, root)) return element;
    if (children.some((child) => child !== next && typeof child !== "string" && isContentPart(child))) return element;
    element = next;
  }
}

/** Makes a test for elements whose text is mostly footnotes. */
function createFootnoteListTest(page: Page, { text }: Measures): ElementTest {
  const noteChars = new Int32Array(page.elements.length);
  for (const note of findFootnotes(page).notes.keys())
    for (let ancestor: Element | null = note; ancestor !== null; ancestor = ancestor.parent)
      noteChars[ancestor.index] = (noteChars[ancestor.index] ?? 0) + (text[note.index] ?? 0);
  return ({ index }) => (noteChars[index] ?? 0) > htmlWeights.choose.minFootnoteShare * (text[index] ?? 0);
}

type ContentPartContext = Pick<
  PageContext,
  "measures" | "classifyName" | "isFootnoteList" | "containsHeading" | "containsCode"
>;

/** Makes a test for siblings of the main text that belong to it: code, or prose under a heading. */
function createContentPartTest({
  measures: { prose, text, anchors },
  classifyName,
  isFootnoteList,
  containsHeading,
  containsCode,
}: ContentPartContext): ElementTest {
  return (element) => {
    const { tag, index } = element;
    const chars = text[index] ?? 0;
    if (isFootnoteList(element)) return chars > htmlWeights.choose.minFootnoteListChars;
    if (siteTags.has(tag) || classifyName(element) !== "none") return false;
    if (chars < htmlWeights.measure.cardCharsPerLink * (anchors[index] ?? 0)) return false;
    return containsCode(element) || (containsHeading(element) && (prose[index] ?? 0) > 0);
  };
}
const siteTags = wordSet("nav aside footer header");

function isField({ tag, attributes }: Element): boolean {
  return fieldTags.has(tag) && attributes.type !== "hidden";
}
const fieldTags = wordSet("input select textarea button");

/** The share of the text outside links that is in elements named after comments. */
function commentShare(page: Page, root: Element, measures: Measures, classifyName: NameClassifier): number {
  let chars = 0;
  for (let index = root.index + 1; index < root.end; ) {
    const element = page.elements[index] as Element;
    const areComments = classifyName(element) === "comments";
    if (areComments) chars += unlinkedChars(measures, element);
    index = areComments ? element.end : index + 1;
  }
  return chars / Math.max(1, unlinkedChars(measures, root));
}

/** Documentation, and other pages with several blocks of code. */
function isReference(page: Page, kind: PageKind): boolean {
  const { minReferenceCodeBlocks } = htmlWeights.pageKind;
  return kind === "documentation" || listByTag(page, "pre").length >= minReferenceCodeBlocks;
}
