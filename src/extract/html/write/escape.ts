/** Text of a page written so that Markdown reads it as text: only what would mean something else is escaped. */

/**
 * Signs that mean something inside a line: what opens code, emphasis, links, tags and entities. An underscore inside a
 * word, a star between blanks, a bracket that no address follows and a lone angle are left as they are.
 */
const inlineSyntax = new RegExp(
  [
    "\\\\(?=[!-/:-@[-`{-~])",
    "`",
    "\\*+(?=\\S)",
    "(?<=\\S)\\*+",
    "(?<![\\p{L}\\p{N}_])_+(?=[^\\s_])",
    "\\[(?=[^\\]\\n]{0,300}\\][([:])|\\[(?=\\^)",
    "<(?=[a-zA-Z/!?])",
    "&(?=#?\\w{1,31};)",
    "~~(?=\\S)",
  ].join("|"),
  "gu",
);

/** Escapes a piece of text that stands inside a line. */
export function escapeText(text: string): string {
  return /[\\`*_[<&~]/.test(text) ? text.replace(inlineSyntax, escapeEach) : text;
}

function escapeEach(signs: string): string {
  return signs.replace(/./g, "\\$&");
}

/** What makes a line a heading, a quotation, an item, a rule, a fence, a row or the underline of a heading. */
const blockSyntax = /^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|-[- ]*$|=+$|~{3}|\|)/;
const numberedItem = /^(\d{1,9})([.)](?:\s|$))/;

/** Escapes the beginnings of a paragraph's lines. */
export function escapeLineStarts(text: string): string {
  if (!/(?:^|\n)[#>+\-=~|\d]/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => line.replace(blockSyntax, "\\$&").replace(numberedItem, "$1\\$2"))
    .join("\n");
}

/** A run of # at the end would be read as part of the heading's sign. */
export function escapeHeading(text: string): string {
  return text.replace(/(^|\s)(#+)$/, "$1\\$2");
}

/** Brackets that do not pair would end the text of a link. */
export function escapeLinkText(text: string): string {
  let open = 0;
  for (const [sign] of text.matchAll(/\\.|[[\]]/g)) {
    if (sign === "[") open += 1;
    if (sign === "]") open -= 1;
    if (open < 0) break;
  }
  return open === 0 ? text : text.replace(/\\.|[[\]]/g, (sign) => (sign.length > 1 ? sign : `\\${sign}`));
}

/** Longer headings are found by how they begin. */
export const MAX_LABEL_CHARS = 300;

/** The words of a heading without its marks. */
export function toPlainLabel(text: string): string {
  return text
    .slice(0, MAX_LABEL_CHARS)
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(?<!\\)[*`]/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .trim();
}
