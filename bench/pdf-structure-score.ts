/** Scores a reading against the structure a document was made from: headings, rows of tables, order and words. */
import { computeF1, splitTokens, toBigrams } from "./pdf-score.ts";

/** The structure of a document: its headings, the cells of each row, and its words in order. */
export type Structure = {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly tokens: readonly string[];
};

/** Counts, so that documents can be added up. */
export type StructureScore = {
  readonly headings: number;
  readonly headingsFound: number;
  readonly headingsMarked: number;
  readonly headingsRight: number;
  readonly rows: number;
  readonly rowsFound: number;
  readonly order: number;
  readonly words: number;
};

/** Reads the structure of HTML that was made from Markdown. */
export function parseHtml(html: string): Structure {
  const body = html.replace(/^[\s\S]*<body>/, "");
  const rows = [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd]\b[^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => toText(cell)),
  );
  const headings = [...body.matchAll(/<h[1-6]\b[^>]*>([\s\S]*?)<\/h[1-6]>/g)].map(([, text = ""]) => toText(text));
  return {
    headings: headings.filter(hasWords),
    rows: rows.filter((row) => row.some(hasWords)),
    tokens: splitTokens(toText(body)),
  };
}

/** Reads the structure of Markdown: ATX headings outside code, and rows between pipes. */
export function parseMarkdown(markdown: string): Structure {
  const headings: string[] = [];
  const rows: string[][] = [];
  const words: string[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else if (isCode) words.push(line);
    else if (/^#{1,6}\s/.test(line)) headings.push(stripMarks(line.replace(/^#+/, "")));
    else if (/^\s*\|.*\|\s*$/.test(line) && !/^[\s|:-]+$/.test(line)) rows.push(splitRow(line));
    if (!/^[\s|:-]+$/.test(line)) words.push(isCode ? "" : stripMarks(line.replaceAll(/(?<!\\)\|/g, " ")));
  }
  return { headings: headings.filter(hasWords), rows, tokens: splitTokens(words.join("\n")) };
}

/** How much of the expected structure a reading has. */
export function scoreStructure(actual: Structure, expected: Structure): StructureScore {
  const headingsFound = countMatches(expected.headings, actual.headings);
  return {
    headings: expected.headings.length,
    headingsFound,
    headingsMarked: actual.headings.length,
    headingsRight: countMatches(actual.headings, expected.headings),
    rows: expected.rows.length,
    rowsFound: countMatches(expected.rows.map(rowKey), actual.rows.map(rowKey)),
    order: computeF1(toBigrams(actual.tokens), toBigrams(expected.tokens)),
    words: countRecall(actual.tokens, expected.tokens),
  };
}

const hasWords = (text: string): boolean => splitTokens(text).length > 0;

/** Two texts are the same heading or row if they have the same letters and digits. */
const toKey = (text: string): string => splitTokens(text).join("");

/** A row is found if all its cells are, in order; empty cells do not count. */
const rowKey = (cells: readonly string[]): string => cells.map(toKey).filter(Boolean).join("|");

function countMatches(wanted: readonly string[], given: readonly string[]): number {
  const remaining = new Map<string, number>();
  for (const text of given) remaining.set(keyOf(text), (remaining.get(keyOf(text)) ?? 0) + 1);
  return wanted.filter((text) => {
    const count = remaining.get(keyOf(text)) ?? 0;
    remaining.set(keyOf(text), count - 1);
    return count > 0;
  }).length;
}

const keyOf = (text: string): string => (text.includes("|") ? text : toKey(text));

function countRecall(actual: readonly string[], expected: readonly string[]): number {
  const remaining = new Map<string, number>();
  for (const token of actual) remaining.set(token, (remaining.get(token) ?? 0) + 1);
  let found = 0;
  for (const token of expected) {
    const count = remaining.get(token) ?? 0;
    if (count === 0) continue;
    remaining.set(token, count - 1);
    found += 1;
  }
  return expected.length === 0 ? 1 : found / expected.length;
}

function splitRow(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => stripMarks(cell));
}

/** Emphasis, code marks, links and escapes are not words. */
function stripMarks(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<br\s*\/?>/g, " ")
    .replace(/(?:\*\*|__|`|~~)/g, "")
    .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, "$1");
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

function toText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(?:br|\/p|\/li|\/h[1-6]|\/tr|\/td|\/th|\/pre|hr)\b[^>]*>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|amp|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
}
