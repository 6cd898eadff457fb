/** Escapes the text of a page where Markdown would read it as syntax, and nowhere else. */

/**
 * Syntax inside a line: what opens code, emphasis, links, tags and entities. An underscore inside a word, an asterisk
 * between blanks, a bracket without a URL after it and a lone angle bracket are not syntax.
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

/** Escapes text inside a line. */
export function escapeText(text: string): string {
  return /[\\`*_[<&~]/.test(text) ? text.replace(inlineSyntax, escapeEach) : text;
}

/** Escapes a text of Markdown's signs, some of which may be escaped already. */
export function escapeSigns(text: string): string {
  return text.replace(/\\?(.)/g, "\\$1");
}

function escapeEach(characters: string): string {
  return characters.replace(/./g, "\\$&");
}

/** Syntax at the start of a line: headings, quotations, items, rules, fences, table rows and heading underlines. */
const blockSyntax = /^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|-[- ]*$|=+$|~{3}|\|)/;
const numberedItem = /^(\d{1,9})([.)](?:\s|$))/;

/** Escapes the starts of the lines of a paragraph. */
export function escapeLineStarts(text: string): string {
  if (!/(?:^|\n)[#>+\-=~|\d]/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => line.replace(blockSyntax, "\\$&").replace(numberedItem, "$1\\$2"))
    .join("\n");
}

/** Escapes a run of # at the end, which Markdown would read as the end of the heading's syntax. */
export function escapeHeading(text: string): string {
  return text.replace(/(^|\s)(#+)$/, "$1\\$2");
}

/** Escapes brackets if they are not in pairs: they would end the text of a link. */
export function escapeLinkText(text: string): string {
  let open = 0;
  for (const [token] of text.matchAll(/\\.|[[\]]/g)) {
    if (token === "[") open += 1;
    if (token === "]") open -= 1;
    if (open < 0) break;
  }
  return open === 0 ? text : text.replace(/\\.|[[\]]/g, (token) => (token.length > 1 ? token : `\\${token}`));
}

/** The label of a longer heading is its beginning. */
export const MAX_LABEL_CHARS = 300;

/** The text of a heading without Markdown's syntax, as a label. */
export function toPlainLabel(text: string): string {
  return text
    .slice(0, MAX_LABEL_CHARS)
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(?<!\\)[*`]/g, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .trim();
}
