/** Decides which elements inside the content are not content. */

import { headings, wordSet } from "../tree/tags.ts";
import { type Element, flatText, isInside, type Node, type Page } from "../tree/tree.ts";
import { weights } from "../weights.ts";
import { isPlainTable } from "../write/table-kind.ts";
import { sideSection } from "./boilerplate-headings.ts";
import { sideElements } from "./boilerplate-sections.ts";
import { isNamed, type NameJudge } from "./class-names.ts";
import { type Generator, hasClass, isCalled } from "./generators.ts";
import type { PageKind } from "./page-kind.ts";
import { type Measures, unlinkedChars } from "./text-measures.ts";

const { minArticleProseChars, maxDroppedProseShare, maxDroppedTextShare, maxLinkShare } = weights.prune;
const { maxPullQuoteLinkShare, minDoubtfulChars, minCharsPerLink, minGroupSize } = weights.prune;

/**
 * What counts as boilerplate. "strict": what its tag, role, name or place says. "mild": only tag, role and what is known
 * of the page's generator. "none": nothing.
 */
export type Pruning = "strict" | "mild" | "none";

/** What is known about the page while one of its elements is judged. */
export type Survey = {
  readonly page: Page;
  readonly root: Element;
  readonly kind: PageKind;
  readonly generator: Generator | undefined;
  readonly measures: Measures;
  readonly verdictOn: NameJudge;
  readonly pruning: Pruning;
  readonly keepsComments: boolean;
  /** Says the same of many things, and shows code: headings there mean what they say. */
  readonly isReference: boolean;
  readonly holdsHeading: Holds;
  readonly holdsCode: Holds;
  /** Whether a reader could fill in something there; programs also wrap forms around text. */
  readonly holdsField: Holds;
  /** Whether an element holds the first H1 of the page. */
  readonly holdsTitle: Holds;
  /** Whether most of an element's text is footnotes that the page refers to. */
  readonly areNotes: Holds;
};
type Holds = (element: Element) => boolean;

/** Each look at a section may walk all its siblings. */
const mostSections = 60;

/** Marks what is dropped under the root, whole elements at a time, and counts what is left. */
export function prune(
  survey: Survey,
  isSkipped: (element: Element) => boolean,
  isUnseen: (element: Element) => boolean,
): { dropped: Uint8Array; keptChars: number } {
  const { page, root, measures, pruning } = survey;
  const dropped = new Uint8Array(page.elements.length);
  const isPoorGroup = createGroupJudge(measures);
  const closingAfter = weights.boilerplate.minTextShareBefore * unlinkedChars(measures, root);
  const looksForSections = pruning === "strict" && !survey.isReference;
  let sections = 0;
  let keptChars = measures.own[root.index] ?? 0;
  for (let at = root.index + 1; at < root.end; ) {
    const element = page.elements[at] as Element;
    if (isSkipped(element)) dropped[at] = isFoldButton(element) ? 0 : 1;
    else if (pruning !== "none" && isOutOfPlace(element, survey, isPoorGroup)) dropped[at] = 1;
    else if (looksForSections && sections < mostSections) {
      const side = sideSection(element, survey.kind === "product");
      if (side === "controls" || (side === "closing" && keptChars > closingAfter)) {
        sections += 1;
        for (const { index } of sideElements(element, side, survey)) dropped[index] = 1;
      }
    }
    const isWhole = !dropped[at] && isVerbatim(element, page);
    if (isWhole) dropUnseen(element, page, isUnseen, dropped);
    if (!dropped[at]) keptChars += (isWhole ? measures.text : measures.own)[at] ?? 0;
    at = dropped[at] || isWhole ? element.end : at + 1;
  }
  return { dropped, keptChars };
}

/** Nothing is judged inside code and tables, yet what a browser does not show is not there either. */
function dropUnseen(whole: Element, page: Page, isUnseen: (element: Element) => boolean, dropped: Uint8Array): void {
  for (let at = whole.index + 1; at < whole.end; ) {
    const element = page.elements[at] as Element;
    if (isUnseen(element)) dropped[at] = 1;
    at = dropped[at] ? element.end : at + 1;
  }
}

/** The button of a folded part carries its heading; one beside other words of the heading does something with it. */
function isFoldButton(element: Element): boolean {
  const { tag, parent } = element;
  if (tag !== "button" || parent === null || !(headings.has(parent.tag) || foldTags.has(parent.tag))) return false;
  return parent.children.every((child) => child === element || isBlank(child));
}
const foldTags = wordSet("dt summary");

function isBlank(node: Node): boolean {
  return (typeof node === "string" ? node : flatText(node)).trim() === "";
}

/** Nothing is pruned inside these. */
function isVerbatim(element: Element, page: Page): boolean {
  const { tag } = element;
  return tag === "pre" || tag === "code" || (tag === "table" && isPlainTable(page, element));
}

function isOutOfPlace(element: Element, survey: Survey, isPoorGroup: GroupJudge): boolean {
  if (survey.areNotes(element)) return isNeverContent(element, survey);
  if (survey.generator?.keeps?.some((name) => hasClass(element, name))) return false;
  if (survey.pruning !== "strict")
    return !holdsMost(element, survey) && (isKnownPart(element, survey) || isSitePart(element, survey));
  if (isNeverContent(element, survey)) return true;
  return !holdsMost(element, survey) && (isSitePart(element, survey) || isPoorPart(element, survey, isPoorGroup));
}

/**
 * What is known of the program that made the page, the foot of the page, and what surrounds a product, however much of
 * the text they are: descriptions are short.
 */
function isNeverContent(element: Element, { kind, generator, verdictOn }: Survey): boolean {
  if (isKnownPart(element, { generator })) return true;
  if (element.tag === "footer" && element.parent?.tag === "body") return true;
  return kind === "product" && isNamed(element) && verdictOn(element) === "boilerplate";
}

function isKnownPart(element: Element, { generator }: Pick<Survey, "generator">): boolean {
  return generator?.drops.some((name) => isCalled(element, name)) === true;
}

/** The element with most of the sentences is kept whatever its name; on a page without sentences, with most text. */
function holdsMost(element: Element, { root, measures }: Survey): boolean {
  const sentences = measures.prose[root.index] ?? 0;
  const own = measures.prose[element.index] ?? 0;
  if (besideTags.has(element.tag) && sentences - own >= minArticleProseChars) return false;
  if (sentences > minArticleProseChars) return own > maxDroppedProseShare * sentences;
  return unlinkedChars(measures, element) > maxDroppedTextShare * Math.max(1, unlinkedChars(measures, root));
}

const besideTags = wordSet("aside nav footer");

const siteTags = wordSet("nav footer dialog");
const siteRoles = wordSet("navigation contentinfo complementary search banner dialog alertdialog menu menubar toolbar");

/** Parts of a site by their tag or role. */
function isSitePart(element: Element, { page, pruning, measures, holdsTitle }: Survey): boolean {
  const { tag, attributes } = element;
  // The foot of a quotation names who is quoted.
  if (siteTags.has(tag)) return !isInside(element, "blockquote");
  if (tag === "aside") return !isRemark(element, page, measures);
  if (tag === "header" && !isInside(element, "article") && !isInside(element, "main"))
    return !holdsTitle(element) || mostlyLinks(element, measures);
  if (attributes.role !== undefined && siteRoles.has(attributes.role)) return true;
  // Publishers mark with this what must not stand for the page in search results.
  return attributes["data-nosnippet"] !== undefined && pruning === "strict";
}

function mostlyLinks({ index }: Element, { text, links }: Measures): boolean {
  return (links[index] ?? 0) > maxLinkShare * (text[index] ?? 0);
}

/** An aside of a few words beside a paragraph of the text, or around what somebody said; others are about something else. */
function isRemark(element: Element, { elements }: Page, { text, links, prose }: Measures): boolean {
  const { parent, index, end, children } = element;
  if (children.some((child) => typeof child !== "string" && child.tag === "blockquote")) return true;
  let before = elements[index - 1];
  while (before !== undefined && before !== parent && before.parent !== parent) before = before.parent ?? undefined;
  const after = elements[end];
  if (before === undefined || before === parent || after?.parent !== parent) return false;
  const isBetween = (prose[before.index] ?? 0) > 0 || (prose[after.index] ?? 0) > 0;
  return isBetween && (links[index] ?? 0) < maxPullQuoteLinkShare * (text[index] ?? 0);
}

/** Parts that their name gives away, and forms. */
function isPoorPart(element: Element, survey: Survey, isPoorGroup: GroupJudge): boolean {
  const { tag, attributes } = element;
  if (tag === "form" || tag === "fieldset")
    return survey.holdsField(element) && (survey.kind === "product" || isPoor(element, survey.measures));
  return attributes["data-callout"] === undefined && isNamed(element) && isPoorName(element, survey, isPoorGroup);
}

function isPoorName(
  element: Element,
  { kind, verdictOn, keepsComments, holdsHeading, holdsCode }: Survey,
  isPoorGroup: GroupJudge,
): boolean {
  switch (verdictOn(element)) {
    case "none":
      return false;
    case "boilerplate":
      return !holdsCode(element);
    case "signature":
      return kind === "forum";
    case "comments":
      return !keepsComments;
    case "author":
      return kind !== "forum" && isPoorGroup(element);
    case "shop":
      return kind === "product";
    default:
      return !holdsHeading(element) && !holdsCode(element) && isPoorGroup(element);
  }
}

type GroupJudge = (element: Element) => boolean;

/** What alike children of one parent have together. */
type Group = { count: number; text: number; links: number; anchors: number };

/** Entries of a list are judged together: one short card says nothing, twenty are a listing. */
function createGroupJudge(measures: Measures): GroupJudge {
  const known = new Map<Element, ReadonlyMap<string, Group>>();
  return (element) => {
    const { parent } = element;
    if (parent === null) return isPoor(element, measures);
    const groups = known.get(parent) ?? groupsIn(parent, measures);
    known.set(parent, groups);
    const group = groups.get(likeness(element));
    return group === undefined || group.count < minGroupSize ? isPoor(element, measures) : isPoorText(group);
  };
}

function groupsIn({ children }: Element, { text, links, anchors }: Measures): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const child of children) {
    if (typeof child === "string") continue;
    const group = groups.get(likeness(child)) ?? { count: 0, text: 0, links: 0, anchors: 0 };
    group.count += 1;
    group.text += text[child.index] ?? 0;
    group.links += links[child.index] ?? 0;
    group.anchors += anchors[child.index] ?? 0;
    groups.set(likeness(child), group);
  }
  return groups;
}

function likeness({ tag, attributes }: Element): string {
  return `${tag} ${attributes.class ?? ""}`;
}

function isPoor({ index }: Element, { text, links, anchors }: Measures): boolean {
  return isPoorText({ text: text[index] ?? 0, links: links[index] ?? 0, anchors: anchors[index] ?? 0 });
}

/** Little text, or mostly links of a few words. */
function isPoorText({ text, links, anchors }: Omit<Group, "count">): boolean {
  return text < minDoubtfulChars || (links > maxLinkShare * text && links < minCharsPerLink * anchors);
}
