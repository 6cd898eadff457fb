/** Decides which elements inside the content are not content. */

import { headingTags, wordSet } from "../tree/tags.ts";
import { collectText, type Element, isInside, type Node, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { classifyHeading } from "./boilerplate-headings.ts";
import { findBoilerplateSection } from "./boilerplate-sections.ts";
import { hasAuthorBoxName, hasMeaningfulName, type NameClassifier } from "./class-names.ts";
import { type Generator, hasClass, isNamed } from "./generators.ts";
import { dropLinkTail } from "./link-tail.ts";
import type { PageKind } from "./page-kind.ts";
import { isAdvertisementLine, isControlLine, isThreadControl, readShortLine, type ShortLine } from "./short-lines.ts";
import { isPlainTable } from "./table-kind.ts";
import { type Measures, unlinkedChars } from "./text-measures.ts";

const { minArticleProseChars, maxDroppedProseShare, maxDroppedTextShare, maxLinkShare } = htmlWeights.prune;
const { maxPullQuoteLinkShare, minDoubtfulChars, minCharsPerLink, maxAuthorShare } = htmlWeights.prune;

/**
 * What counts as boilerplate. "strict": what its tag, role, name or place says. "mild": only its tag, its role and what
 * is known of the page's generator. "none": nothing.
 */
export type Pruning = "strict" | "mild" | "none";

/** What is known about the page while one of its elements is tested. */
export type PageContext = {
  readonly page: Page;
  readonly url: string | undefined;
  readonly root: Element;
  readonly kind: PageKind;
  readonly generator: Generator | undefined;
  readonly measures: Measures;
  readonly classifyName: NameClassifier;
  readonly pruning: Pruning;
  readonly keepsComments: boolean;
  readonly keepsReviews: boolean;
  /** A page that shows code and may repeat itself; its headings mean what they say. */
  readonly isReference: boolean;
  readonly containsHeading: ElementTest;
  readonly containsCode: ElementTest;
  /** Whether a reader could fill in something there; some programs wrap forms around text. */
  readonly containsField: ElementTest;
  /** Whether an element contains the first H1 of the page. */
  readonly containsTitle: ElementTest;
  /** Whether an element names who wrote one of several notes or posts. */
  readonly isAttribution: ElementTest;
  readonly containsAuthor: ElementTest;
  /** Whether a text is the name of the author that the page states. */
  readonly isAuthorName: (text: string) => boolean;
  /** Whether an element frames the content of a page that does not say so. */
  readonly isFrame: ElementTest;
  /** Whether most of an element's text is footnotes that the page refers to. */
  readonly isFootnoteList: ElementTest;
};
type ElementTest = (element: Element) => boolean;

/** Finding a section may visit all siblings of its heading. */
const MAX_SECTIONS = 60;

/** Marks the elements to drop under the root, each with its descendants, and counts the characters that are kept. */
export function prune(
  context: PageContext,
  isSkipped: ElementTest,
  isInvisible: ElementTest,
): { dropped: Uint8Array; keptChars: number } {
  const { page, root, measures, pruning, keepsReviews } = context;
  const dropped = new Uint8Array(page.elements.length);
  const minCharsBefore = htmlWeights.boilerplate.minTextShareBefore * unlinkedChars(measures, root);
  const dropsSections = pruning === "strict" && !context.isReference;
  let sections = 0;
  let keptChars = measures.own[root.index] ?? 0;
  for (let index = root.index + 1; index < root.end; ) {
    const element = page.elements[index] as Element;
    if (isSkipped(element)) dropped[index] = isFoldButton(element) ? 0 : 1;
    else if (pruning !== "none" && isBoilerplate(element, context)) dropped[index] = 1;
    else if (dropsSections && sections < MAX_SECTIONS) {
      const boilerplate = classifyHeading(element, context.kind === "product");
      const isSection =
        boilerplate === "controls" ||
        (boilerplate !== undefined && keptChars > minCharsBefore && !(boilerplate === "reviews" && keepsReviews));
      if (isSection) {
        sections += 1;
        for (const each of findBoilerplateSection(element, boilerplate, context)) dropped[each.index] = 1;
      }
    }
    const isWhole = !dropped[index] && isVerbatim(element, page);
    if (isWhole) dropInvisible(element, page, isInvisible, dropped);
    if (!dropped[index]) keptChars += (isWhole ? measures.text : measures.own)[index] ?? 0;
    index = dropped[index] || isWhole ? element.end : index + 1;
  }
  if (dropsSections && hasTail(context)) dropLinkTail(context, dropped);
  return { dropped, keptChars };
}

/** Lists of links are the content of a listing, and of a page without much prose. */
function hasTail({ kind, root, measures }: PageContext): boolean {
  return kind !== "listing" && kind !== "forum" && (measures.prose[root.index] ?? 0) >= minArticleProseChars;
}

/** Code and tables are kept whole, except for what a browser does not show. */
function dropInvisible(ancestor: Element, page: Page, isInvisible: ElementTest, dropped: Uint8Array): void {
  for (let index = ancestor.index + 1; index < ancestor.end; ) {
    const element = page.elements[index] as Element;
    if (isInvisible(element)) dropped[index] = 1;
    index = dropped[index] ? element.end : index + 1;
  }
}

/** A button that is all of a heading unfolds the section and is its title; beside other words it is a control. */
function isFoldButton(element: Element): boolean {
  const { tag, parent } = element;
  if (tag !== "button" || parent === null || !(headingTags.has(parent.tag) || foldTags.has(parent.tag))) return false;
  return parent.children.every((child) => child === element || isBlank(child));
}
const foldTags = wordSet("dt summary");

function isBlank(node: Node): boolean {
  return (typeof node === "string" ? node : collectText(node)).trim() === "";
}

/** Nothing is pruned inside these. */
function isVerbatim(element: Element, page: Page): boolean {
  const { tag } = element;
  return tag === "pre" || tag === "code" || (tag === "table" && isPlainTable(page, element));
}

function isBoilerplate(element: Element, context: PageContext): boolean {
  const line = readShortLine(element, context.measures);
  if (line !== undefined && isBoilerplateLine(line, context)) return true;
  if (context.isFootnoteList(element)) return isNeverContent(element, context);
  if (context.generator?.keeps?.some((name) => hasClass(element, name))) return false;
  if (context.pruning !== "strict")
    return !hasMostText(element, context) && (isKnownPart(element, context) || isSitePart(element, context));
  if (isNeverContent(element, context)) return true;
  if (hasMostText(element, context)) return false;
  return isSitePart(element, context) || isDoubtful(element, context) || context.isFrame(element);
}

function isBoilerplateLine(line: ShortLine, { kind }: PageContext): boolean {
  if (isAdvertisementLine(line)) return true;
  // A manual says what to do on other pages.
  if (kind !== "documentation" && isControlLine(line)) return true;
  return kind === "forum" && isThreadControl(line);
}

/**
 * Parts that the page's generator is known for, the footer of the page, and boilerplate around a product. They are not
 * content however much of the text they are: descriptions are short.
 */
function isNeverContent(element: Element, { kind, generator, classifyName }: PageContext): boolean {
  if (isKnownPart(element, { generator })) return true;
  if (element.tag === "footer" && element.parent?.tag === "body") return true;
  return kind === "product" && hasMeaningfulName(element) && classifyName(element) === "boilerplate";
}

function isKnownPart(element: Element, { generator }: Pick<PageContext, "generator">): boolean {
  return generator?.drops.some((name) => isNamed(element, name)) === true;
}

/**
 * The element with most of the prose is kept whatever its name; on a page with little prose, the one with most text.
 * An aside is one however long it is, if there is enough prose for an article outside.
 */
function hasMostText(element: Element, { root, measures }: PageContext): boolean {
  const pageProse = measures.prose[root.index] ?? 0;
  const ownProse = measures.prose[element.index] ?? 0;
  if (besideTags.has(element.tag) && pageProse - ownProse >= minArticleProseChars) return false;
  if (pageProse > minArticleProseChars) return ownProse > maxDroppedProseShare * pageProse;
  return unlinkedChars(measures, element) > maxDroppedTextShare * Math.max(1, unlinkedChars(measures, root));
}

const besideTags = wordSet("aside nav footer");

const siteTags = wordSet("nav footer dialog");
const siteRoles = wordSet("navigation contentinfo complementary search banner dialog alertdialog menu menubar toolbar");

/** Parts of the site rather than of the page, by their tag or role. */
function isSitePart(element: Element, { page, pruning, measures, containsTitle }: PageContext): boolean {
  const { tag, attributes } = element;
  // The footer of a quotation names its author.
  if (siteTags.has(tag)) return !isInside(element, "blockquote");
  if (tag === "aside") return !isPullQuote(element, page, measures);
  if (tag === "header" && !isInside(element, "article") && !isInside(element, "main")) return !containsTitle(element);
  if (attributes.role !== undefined && siteRoles.has(attributes.role)) return true;
  // Publishers mark text this way that must not represent the page in search results.
  return attributes["data-nosnippet"] !== undefined && pruning === "strict";
}

/** An aside between paragraphs of the text with few links, or around a quotation; others are about something else. */
function isPullQuote(element: Element, { elements }: Page, { text, links, prose }: Measures): boolean {
  const { parent, index, end, children } = element;
  if (children.some((child) => typeof child !== "string" && child.tag === "blockquote")) return true;
  let before = elements[index - 1];
  while (before !== undefined && before !== parent && before.parent !== parent) before = before.parent ?? undefined;
  const after = elements[end];
  if (before === undefined || before === parent || after?.parent !== parent) return false;
  const isBetween = (prose[before.index] ?? 0) > 0 || (prose[after.index] ?? 0) > 0;
  return isBetween && (links[index] ?? 0) < maxPullQuoteLinkShare * (text[index] ?? 0);
}

/** Forms, and elements whose name is that of boilerplate. */
function isDoubtful(element: Element, context: PageContext): boolean {
  const { tag, attributes } = element;
  if (tag === "form" || tag === "fieldset")
    return context.containsField(element) && (context.kind === "product" || isShortOrLinks(element, context.measures));
  if (attributes["data-callout"] !== undefined || !hasMeaningfulName(element)) return false;
  // The label of a checkbox in a list of tasks.
  if (tag === "label" && context.measures.text[element.index] === 0) return false;
  return hasBoilerplateName(element, context);
}

function hasBoilerplateName(element: Element, context: PageContext): boolean {
  const { kind, keepsComments, keepsReviews, containsHeading, containsCode, containsAuthor } = context;
  const { classifyName, isAttribution, measures } = context;
  const nameClass = classifyName(element);
  switch (nameClass) {
    case "none":
      return false;
    case "boilerplate":
      return !containsCode(element);
    case "signature":
      return kind === "forum";
    case "comments":
      return !keepsComments;
    case "author":
      if (kind === "forum" || isAttribution(element)) return false;
      return isShortOrLinks(element, measures) || (kind === "article" && isAuthorBox(element, context));
    case "shop":
      return kind === "product";
    default:
      if (nameClass === "reviews" && keepsReviews) return false;
      if (isAttribution(element) && containsAuthor(element)) return false;
      return !containsHeading(element) && !containsCode(element) && isShortOrLinks(element, measures);
  }
}

/** A small part of an article without a topic of its own: a page about a person may use such names for its text. */
function isAuthorBox(element: Element, context: PageContext): boolean {
  const { page, root, measures, containsHeading, isAuthorName } = context;
  if (unlinkedChars(measures, element) >= maxAuthorShare * unlinkedChars(measures, root)) return false;
  if (!hasAuthorBoxName(element)) return false;
  if (!containsHeading(element)) return true;
  const heading = page.elements.slice(element.index, element.end).find(({ tag }) => headingTags.has(tag));
  const text = heading === undefined ? "" : collectText(heading, MAX_AUTHOR_HEADING_CHARS).trim();
  // Titles of sections look like names of people: only a name that the page states elsewhere counts.
  return authorHeading.test(text) || isAuthorName(text);
}
const authorHeading = /^(?:about|meet|written by|by)\b/i;
const MAX_AUTHOR_HEADING_CHARS = 100;

/** Little text, or mostly links of a few words. */
function isShortOrLinks({ index }: Element, { text, links, anchors }: Measures): boolean {
  const [chars, linkChars] = [text[index] ?? 0, links[index] ?? 0];
  return (
    chars < minDoubtfulChars ||
    (linkChars > maxLinkShare * chars && linkChars < minCharsPerLink * (anchors[index] ?? 0))
  );
}
