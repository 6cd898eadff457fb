/** Distinguishes tables of data from tables used for layout and for code with a gutter. */

import { isDiffLine } from "../tree/diffs.ts";
import { collectText, type Element, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { listNameWords } from "./class-names.ts";

type TableKind = "data" | "layout" | "code";

/** What a table is used for. A table that contains another is layout. */
export function classifyTable(page: Page, table: Element): TableKind {
  const parts = countParts(page, table);
  if (parts === undefined) return "layout";
  if (isListing(table, parts)) return "code";
  return layoutChecks.some((isLayout) => isLayout(parts, table)) ? "layout" : "data";
}

/** Whether a table contains data and only text in its cells. */
export function isPlainTable(page: Page, table: Element): boolean {
  for (let index = table.index + 1; index < table.end; index += 1)
    if (widgetTags.has(page.elements[index]?.tag ?? "")) return false;
  return classifyTable(page, table) === "data";
}

const widgetTags = new Set(["div", "table", "form", "button", "input", "nav", "section", "article"]);
const blockTags = new Set(["h1", "h2", "h3", "h4", "h5", "form", "article", "section", "blockquote", "hr"]);
const gutterWords = new Set(["gutter", "blob", "gl", "lineno", "linenos", "lntd", "num", "numbers"]);
const codeTableWords = new Set(["highlighttable", "rouge", "lntable"]);

/** What a table contains; `headers` counts header cells and captions, `cells` the others. */
type TableParts = {
  rows: number;
  cells: number;
  filledCells: number;
  /** Cells that contain nothing but code or lists, and cells that contain something else. */
  blockCells: number;
  otherCells: number;
  headers: number;
  blocks: number;
  hasGutter: boolean;
  hasCode: boolean;
  isDiff: boolean;
};

/** Counts what is in a table; undefined if there is another table in it. */
function countParts(page: Page, table: Element): TableParts | undefined {
  const parts = {
    rows: 0,
    cells: 0,
    filledCells: 0,
    blockCells: 0,
    otherCells: 0,
    headers: 0,
    blocks: 0,
    hasGutter: false,
    hasCode: false,
    isDiff: false,
  };
  for (let index = table.index + 1; index < table.end; index += 1) {
    const element = page.elements[index] as Element;
    if (element.tag === "table") return undefined;
    countPart(element, parts);
  }
  return parts;
}

function countPart(element: Element, parts: TableParts): void {
  const { tag } = element;
  if (tag === "tr") parts.rows += 1;
  else if (tag === "td") {
    parts.cells += 1;
    if (collectText(element, 1) !== "") parts.filledCells += 1;
    countCell(element, parts);
  } else if (tag === "th" || tag === "caption") parts.headers += 1;
  else if (blockTags.has(tag)) parts.blocks += 1;
  else if (tag === "pre" || tag === "code") parts.hasCode = true;
  parts.isDiff ||= isDiffLine(element);
  if ((tag === "td" || tag === "th") && hasClassWord(element, gutterWords)) parts.hasGutter = true;
}

function countCell({ children }: Element, parts: TableParts): void {
  const contents = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  if (contents.length === 0) return;
  const isBlock = contents.every((child) => typeof child !== "string" && cellBlockTags.has(child.tag));
  if (isBlock) parts.blockCells += 1;
  else parts.otherCells += 1;
}
const cellBlockTags = new Set(["pre", "ul", "ol", "dl"]);

/** A diff, a table inside code, one with a class name of highlighters, or one with a gutter beside code. */
function isListing(table: Element, { hasGutter, hasCode, isDiff }: TableParts): boolean {
  if (isDiff || isInsideCode(table) || hasClassWord(table, codeTableWords)) return true;
  return hasGutter && (hasCode || hasClassWord(table, highlightWord));
}
const highlightWord = new Set(["highlight"]);

function isInsideCode(table: Element): boolean {
  let ancestor = table.parent;
  for (let level = 0; ancestor !== null && level < htmlWeights.code.maxListingLevels; level += 1) {
    if (ancestor.tag === "pre" || ancestor.tag === "code") return true;
    ancestor = ancestor.parent;
  }
  return false;
}

function hasClassWord({ attributes }: Element, words: ReadonlySet<string>): boolean {
  return listNameWords(attributes.class ?? "", "").some((word) => words.has(word));
}

type LayoutCheck = (parts: TableParts, table: Element) => boolean;

/** A table is layout if one of these is true. */
const layoutChecks: readonly LayoutCheck[] = [
  hasPresentationRole,
  hasTooFewRows,
  hasOneColumn,
  isMostlyEmpty,
  containsMostlyBlocks,
  containsOnlyCodeOrLists,
];

function hasPresentationRole(_: TableParts, { attributes: { role } }: Element): boolean {
  return role === "presentation" || role === "none";
}

function hasTooFewRows({ rows, headers }: TableParts): boolean {
  return headers === 0 && rows < htmlWeights.tables.minDataRows;
}

function hasOneColumn({ rows, cells, headers }: TableParts): boolean {
  return cells + headers <= rows;
}

function isMostlyEmpty({ cells, filledCells, headers }: TableParts): boolean {
  return headers === 0 && filledCells <= htmlWeights.tables.minFilledShare * cells;
}

function containsMostlyBlocks({ cells, headers, blocks }: TableParts): boolean {
  return headers < htmlWeights.tables.minHeaders && blocks > htmlWeights.tables.maxBlocksPerCell * (cells + headers);
}

/** Without a header cell that says what they are, such cells are columns of a page. */
function containsOnlyCodeOrLists({ blockCells, otherCells, headers }: TableParts): boolean {
  return headers === 0 && blockCells > 0 && otherCells === 0;
}
