/** Tells tables of data from tables used for layout and for code. */
import { words } from "../choose/class-names.ts";
import { type Element, flatText, type Page } from "../tree/tree.ts";

export type TableKind = "data" | "layout" | "code";

/** What a table is for. Looks at its own cells, not at those of tables inside it. */
export function tableKind(page: Page, table: Element): TableKind {
  const { role, class: className = "" } = table.attributes;
  let cells = 0;
  let rows = 0;
  let headers = 0;
  let blocks = 0;
  let filled = 0;
  let gutter = false;
  let pre = false;
  for (let at = table.index + 1; at < table.end; at += 1) {
    const element = page.elements[at] as Element;
    const { tag, attributes } = element;
    if (tag === "table") return "layout";
    if (tag === "tr") rows += 1;
    else if (tag === "td") {
      cells += 1;
      if (flatText(element, 1) !== "") filled += 1;
    } else if (tag === "th" || tag === "caption") headers += 1;
    else if (blockTags.has(tag)) blocks += 1;
    else if (tag === "pre" || tag === "code") pre = true;
    if ((tag === "td" || tag === "th") && words(attributes.class ?? "", "").some((word) => gutterCells.has(word)))
      gutter = true;
  }
  if (gutter && (pre || insideCode(table) || words(className, "").includes("highlight"))) return "code";
  if (insideCode(table) || words(className, "").some((word) => codeTables.has(word))) return "code";
  if (role === "presentation" || role === "none") return "layout";
  if (rows < 2 && headers === 0) return "layout";
  if (cells + headers <= rows) return "layout";
  if (headers === 0 && filled <= cells / 2) return "layout";
  if (blocks > (cells + headers) / 2 && headers < 2) return "layout";
  return "data";
}

/** A table of data with nothing but text in its cells. */
export function isPlainTable(page: Page, table: Element): boolean {
  for (let at = table.index + 1; at < table.end; at += 1)
    if (widgetTags.has(page.elements[at]?.tag ?? "")) return false;
  return tableKind(page, table) === "data";
}
const widgetTags = new Set(["div", "table", "form", "button", "input", "nav", "section", "article"]);

const blockTags = new Set(["h1", "h2", "h3", "h4", "h5", "form", "article", "section", "blockquote", "hr"]);
const gutterCells = new Set(["gutter", "blob", "gl", "lineno", "linenos", "lineno", "lntd", "num", "numbers"]);
const codeTables = new Set(["highlighttable", "rouge", "lntable"]);

function insideCode(table: Element): boolean {
  for (let one = table.parent, up = 0; one !== null && up < 3; one = one.parent, up += 1) {
    if (one.tag === "pre" || one.tag === "code") return true;
  }
  return false;
}
