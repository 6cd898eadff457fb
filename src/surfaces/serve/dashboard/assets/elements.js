/** Builds elements. Every text becomes a text node, so no title or URL can become markup. */

/** @typedef {Node | string | null | undefined | readonly Child[]} Child Elements or texts; null is left out. */
/** @typedef {Readonly<Record<string, string | number | null | undefined>>} Attributes */
/** @typedef {Readonly<Record<string, (event: Event) => unknown>>} Listeners By the name of their event. */

/**
 * An element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * The same for drawings.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/**
 * @template {Element} Filled
 * @param {Filled} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(name, showDirections(String(value)));
  element.append(...flatten(children));
  return element;
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
const flatten = (children) =>
  children.flatMap((child) => {
    if (child === null || child === undefined) return [];
    if (typeof child === "string") return [showDirections(child)];
    return child instanceof Node ? [child] : flatten(child);
  });

/**
 * Characters that change the direction of what follows are written as `\u{202e}`: with them, `gpj.exe` looks like a picture.
 * @param {string} text
 */
const showDirections = (text) =>
  text.replace(/[\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);

/**
 * The element or other target, which calls these functions.
 * @template {EventTarget} Heard
 * @param {Heard} element
 * @param {Listeners} listeners
 */
export function listen(element, listeners) {
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
  return element;
}

/**
 * A column of a table: `cell` makes the content of a row.
 * @template Row
 * @typedef {{
 *   label: string,
 *   cell: (row: Row) => Child,
 *   isNumber?: boolean,
 *   isName?: boolean,
 *   isTime?: boolean,
 *   isHeading?: boolean,
 * }} Column
 */

/**
 * A table that scrolls sideways on its own; on a phone each row is a list of its cells with their labels. Roles are
 * written out, because a table whose rows are not shown as rows would not be one for screen readers.
 * @template Row
 * @param {string} caption
 * @param {readonly Column<Row>[]} columns
 * @param {readonly Row[]} rows
 */
export function makeTable(caption, columns, rows) {
  const head = make(
    "tr",
    { role: "row" },
    columns.map((column) => make("th", { scope: "col", role: "columnheader", class: classOf(column) }, column.label)),
  );
  const body = rows.map((row) =>
    make(
      "tr",
      { role: "row" },
      columns.map((column) => makeCell(column, row)),
    ),
  );
  return make(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    make(
      "table",
      { role: "table" },
      make("caption", { role: "caption" }, caption),
      make("thead", { role: "rowgroup" }, head),
      make("tbody", { role: "rowgroup" }, body),
    ),
  );
}

/**
 * A screen reader says the heading of a row with each of its cells.
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 */
function makeCell(column, row) {
  const attributes = { class: classOf(column), "data-label": column.label };
  const content = make("div", {}, column.cell(row));
  return column.isHeading
    ? make("th", { scope: "row", role: "rowheader", ...attributes }, content)
    : make("td", { role: "cell", ...attributes }, content);
}

/** @param {Pick<Column<never>, "isNumber" | "isName" | "isTime">} column */
function classOf({ isNumber, isName, isTime }) {
  if (isNumber) return "number";
  if (isName) return "name";
  return isTime ? "time" : null;
}

const MAX_NAME_CHARS = 100;

/**
 * A name from outside, which may be of any length and in any direction; all of a long one is shown on request.
 * @param {string} name
 */
export function makeName(name) {
  if (name.length <= MAX_NAME_CHARS) return make("bdi", {}, name);
  return make("details", { class: "long" }, make("summary", {}, makeShortName(name)), make("bdi", {}, name));
}

/**
 * The beginning of a name, for places with room for one line.
 * @param {string} name
 */
export const makeShortName = (name) =>
  make("bdi", {}, name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS)}…`);

/**
 * Figures with their names.
 * @param {readonly (readonly [name: string, value: string])[]} entries
 */
export function makeTiles(entries) {
  return make(
    "dl",
    { class: "tiles" },
    entries.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

/**
 * What to do where there is nothing yet, with lines to paste.
 * @param {string} sentence
 * @param {readonly string[]} lines
 */
export function makeEmpty(sentence, lines) {
  const blocks = lines.map((line) => make("pre", { tabindex: "0", "aria-label": "Line to paste" }, line));
  return make("div", { class: "panel" }, make("p", {}, sentence), blocks);
}
