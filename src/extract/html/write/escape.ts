/** Escapes the text of a page where Markdown would read it as syntax, and nowhere else. */

/**
 * Syntax inside a line: what opens code, emphasis, links, tags and entities. An underscore inside a word, an asterisk
 * between blanks, a bracket without a URL after it and a lone angle bracket are not syntax. An address stays as it is, to be
 * copied: parsers link it and read no syntax in it.
 */
const inlineSyntax = new RegExp(
  [
    "https?://[^\\s<>\\\\`[\\]]+",
    "\\\\(?=[!-/:-@[-`{-~])",
    "`",
    "\\*+(?=\\S)",
    "(?<=\\S)\\*+",
    "(?<![\\p{L}\\p{N}_])_+(?=[^\\s_])",
    "\\[(?=[^\\]\\n]{0,300}\\][([:])|\\[(?=\\^)",
    "<(?=[a-zA-Z/!?])",
    "&(?=#?\\w{1,31};)",
    "~{1,2}(?=[^\\s~](?:[^\\n]{0,300}[^\\s~])?~)|~~(?=\\S)",
  ].join("|"),
  "gu",
);

/** Escapes text inside a line. */
export function escapeText(text: string): string {
  return /[\\`*_[<&~]/.test(text) ? text.replace(inlineSyntax, escapeSyntax) : text;
}

function escapeSyntax(found: string): string {
  return found.startsWith("http") ? found : escapeEach(found);
}

/** Escapes a text of Markdown's signs, some of which may be escaped already. */
export function escapeSigns(text: string): string {
  return text.replace(/\\?(.)/g, "\\$1");
}

/** Escapes signs beside blanks, a tilde and a backslash at the ends of a text, where they would join the signs around it. */
export function escapeEdges(text: string): string {
  return escapeLastBackslash(text.replace(looseSigns, escapeEach));
}
const looseSigns = /^(?:[*~]+(?=\s)|~(?!~))|(?:(?<=\s)[*~]+|(?<![\\~])~)$/g;

function escapeLastBackslash(text: string): string {
  return text.endsWith("\\") && /(?<!\\)(?:\\\\)*\\$/.test(text) ? `${text}\\` : text;
}

function escapeEach(characters: string): string {
  return characters.replace(/./g, "\\$&");
}

/** Syntax at the start of a line: headings, quotations, items, rules, fences, rows and heads of tables, underlines. */
const blockSyntax = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|:?-[-:| ]*$|=+$|~{3}|\|)/;
const numberedItem = /^(\d{1,9})([.)](?:\s|$))/;

/** Escapes the starts of the lines of a paragraph, and a backslash at their ends, which would be a break. */
export function escapeLines(text: string): string {
  if (!/(?:^|\n)[#>+*\-=~|:\d]|\\\n/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => escapeLastBackslash(line.replace(blockSyntax, "\\$&").replace(numberedItem, "$1\\$2")))
    .join("\n");
}

/** Escapes a run of # at the end, which Markdown would read as the end of the heading's syntax. */
export function escapeHeading(text: string): string {
  return text.replace(/(^|\s)(#+)$/, "$1\\$2");
}

/** Escapes what would end the text of a link or go on after it: brackets if they are not in pairs, a last backslash. */
export function escapeLinkText(label: string): string {
  const text = escapeLastBackslash(label);
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
