/** Chooses the part of a page that is its content: where it stands, and what in that place does not belong to it. */
import { generatorOf } from "./generators.ts";
import { isHidden } from "./hidden.ts";
import { isUnread, type Measures, measure, unlinkedChars } from "./measure.ts";
import { createNameJudge, isNamed, type NameJudge } from "./names.ts";
import { prune, type Survey } from "./prune.ts";
import { type PageKind, pageKind } from "./signals.ts";
import { wordSet } from "./tags.ts";
import type { Element, Page } from "./tree.ts";

/** What of a page is written: everything under `root` but what is dropped, by element index. */
export type Choice = {
  readonly root: Element;
  readonly dropped: Uint8Array;
  /** References say the same of many things; elsewhere a paragraph that comes twice is a copy for another screen. */
  readonly keepsRepeats: boolean;
  /** Characters of the page's text that are kept. */
  readonly keptChars: number;
};

/** How much is taken for boilerplate: what its place or name says, what its tag or role says, nothing. */
export type Pruning = "strict" | "mild" | "none";

export type ChooseOptions = {
  readonly pruning: Pruning;
  readonly showsHidden: boolean;
  readonly url?: string | undefined;
};

export function choose(page: Page, { pruning, showsHidden, url }: ChooseOptions): Choice {
  const kind = pageKind(page, url);
  const verdictOn = createNameJudge();
  const isSkipped = (element: Element) =>
    isUnread(element) ||
    (!showsHidden && isHidden(element)) ||
    (pruning === "strict" && isSideMatter(element, kind, verdictOn));
  const measures = measure(page, isSkipped);
  const root = pruning === "none" ? bodyOf(page) : chooseRoot(page, kind, pruning, measures);
  const keepsComments = kind === "forum" || (kind === "unknown" && commentShare(page, root, measures, verdictOn) > 0.5);
  const survey: Survey = {
    page,
    root,
    kind,
    generator: generatorOf(page),
    measures,
    verdictOn,
    pruning,
    keepsComments,
  };
  return { root, ...prune(survey, isSkipped), keepsRepeats: kind !== "forum" && isReference(page, kind) };
}

/** Covers, comments below an article, reviews of a product: not the content however much of the text they are. */
function isSideMatter(element: Element, kind: PageKind, verdictOn: NameJudge): boolean {
  if (!isNamed(element)) return false;
  const verdict = verdictOn(element);
  return (
    verdict === "never" ||
    (verdict === "comments" && kind === "article") ||
    (verdict === "reviews" && kind === "product")
  );
}

function bodyOf(page: Page): Element {
  return page.elements.find((element) => element.tag === "body") ?? page.root;
}

function chooseRoot(page: Page, kind: PageKind, pruning: Pruning, measures: Measures): Element {
  const main = mainOf(page, measures);
  if (pruning === "mild" || kind === "listing") return main;
  if (kind === "article") return narrow(main, measures, articleShares);
  if (!isReference(page, kind)) return narrow(main, measures, otherShares);
  return withTitle(narrow(main, measures, referenceShares), page, measures);
}

const titledShare = 1.2;

/** A reference often begins outside what holds most of it: the part around that has the title too, and little else. */
function withTitle(root: Element, page: Page, measures: Measures): Element {
  const title = page.elements.find(({ tag }) => tag === "h1");
  if (title === undefined || title.index > root.index) return root;
  let around = root;
  while (around.parent !== null && title.index < around.index) around = around.parent;
  return unlinkedChars(measures, around) < titledShare * unlinkedChars(measures, root) ? around : root;
}

const mainShare = 0.4;

/** The element that calls itself the main one, if enough of the text stands there, else the body. */
function mainOf(page: Page, measures: Measures): Element {
  const body = bodyOf(page);
  let best: Element | undefined;
  for (const element of page.elements) {
    const { tag, attributes } = element;
    if (tag !== "main" && attributes.role !== "main") continue;
    if (best === undefined || unlinkedChars(measures, element) > unlinkedChars(measures, best)) best = element;
  }
  const isEnough = best !== undefined && unlinkedChars(measures, best) > mainShare * unlinkedChars(measures, body);
  return best !== undefined && isEnough ? best : body;
}

/** Shares of a parent's sentences and text that make a child its content. */
type Shares = { readonly prose: number; readonly text: number };
const articleShares: Shares = { prose: 0.8, text: 0 };
const referenceShares: Shares = { prose: 0.9, text: 0.95 };
const otherShares: Shares = { prose: 0.9, text: 0.8 };
const leastProseChars = 1000;
const undivided = wordSet("p li ul ol table tbody tr td pre blockquote dl dd a span");

/** Goes down while one child holds nearly all sentences, so that what surrounds an article is left out. */
function narrow(root: Element, measures: Measures, shares: Shares): Element {
  const { prose } = measures;
  for (let at = root; ; ) {
    const all = prose[at.index] ?? 0;
    const holds = (child: Element) => (prose[child.index] ?? 0) >= shares.prose * all;
    const next = at.children.find((child): child is Element => typeof child !== "string" && holds(child));
    if (all < leastProseChars || next === undefined || undivided.has(next.tag)) return at;
    if (unlinkedChars(measures, next) < shares.text * unlinkedChars(measures, at)) return at;
    at = next;
  }
}

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
  return kind === "documentation" || page.elements.filter((element) => element.tag === "pre").length >= 3;
}
