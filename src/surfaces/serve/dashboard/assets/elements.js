/** Builds elements. Every text becomes a text node, so no title or URL can become markup. */

/** An element with attributes and children; children are elements or texts, null is left out. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for drawings. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * A table that scrolls sideways on its own. A column is { label, cell, isNumber, isName, isTime }, where `cell` makes the content of a row.
 */
export function makeTable(caption, columns, rows) {
  const classOf = ({ isNumber, isName, isTime }) => (isNumber ? "number" : isName ? "name" : isTime ? "time" : null);
  const head = make(
    "tr",
    {},
    columns.map((column) => make("th", { scope: "col", class: classOf(column) }, column.label)),
  );
  const body = rows.map((row) =>
    make(
      "tr",
      {},
      columns.map((column) => make("td", { class: classOf(column) }, column.cell(row))),
    ),
  );
  return make(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, body)),
  );
}

const MAX_NAME_CHARS = 100;

/** A name from outside, which may be of any length; all of it is shown on request. */
export function makeName(name) {
  if (name.length <= MAX_NAME_CHARS) return name;
  return make("span", { title: name }, `${name.slice(0, MAX_NAME_CHARS)}…`);
}

/** Figures with their names. */
export function makeTiles(entries) {
  return make(
    "dl",
    { class: "tiles" },
    entries.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

/** What to do where there is nothing yet, with lines to paste. */
export function makeEmpty(sentence, lines) {
  return make(
    "div",
    { class: "panel" },
    make("p", {}, sentence),
    lines.length === 0 ? null : make("pre", { tabindex: "0", "aria-label": "Lines to paste" }, lines.join("\n")),
  );
}
