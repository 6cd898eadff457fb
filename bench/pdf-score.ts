/** Measures the agreement of two readings of one document: token and bigram F1. */

/** Normalized tokens; scripts without spaces count by character. */
export function splitTokens(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(token) ?? [];
}

/** Pairs of adjacent tokens, which differ where the reading order differs. */
export function toBigrams(tokens: readonly string[]): string[] {
  return tokens.slice(1).map((token, index) => `${tokens[index]} ${token}`);
}

/** F1 of two bags of words; two empty bags agree. */
export function computeF1(actual: readonly string[], expected: readonly string[]): number {
  if (actual.length === 0 && expected.length === 0) return 1;
  const remaining = new Map<string, number>();
  for (const token of expected) remaining.set(token, (remaining.get(token) ?? 0) + 1);
  let hits = 0;
  for (const token of actual) {
    const count = remaining.get(token) ?? 0;
    if (count === 0) continue;
    remaining.set(token, count - 1);
    hits += 1;
  }
  return (2 * hits) / (actual.length + expected.length);
}

const spaceless = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";
const token = new RegExp(`[${spaceless}]|[[\\p{L}\\p{M}\\p{N}_]--[${spaceless}]]+`, "gv");

/** Rows at the edges of a page that may be running headers and footers, and pages before it that may have them. */
const EDGE_ROWS = 4;
const PAGES_BEFORE = 2;

/**
 * The text of a program that ends pages with a form feed, with running headers and footers on the first page that has
 * them only. A reader that shows them once loses no word.
 */
export function dropRunningLines(text: string): string {
  const pages = text.split("\f").map((page) => page.split("\n").filter((line) => line.trim() !== ""));
  const toKey = (line: string): string => line.replace(/\d+/g, "0").replace(/\s+/g, " ").trim();
  const isAtEdge = (row: number, rows: number): boolean => row < EDGE_ROWS || row >= rows - EDGE_ROWS;
  const edges = pages.map((lines) => new Set(lines.filter((_, row) => isAtEdge(row, lines.length)).map(toKey)));
  return pages
    .flatMap((lines, page) => {
      const before = edges.slice(Math.max(0, page - PAGES_BEFORE), page);
      return lines.filter((line, row) => !isAtEdge(row, lines.length) || !before.some((keys) => keys.has(toKey(line))));
    })
    .join("\n");
}
