/** Measures the agreement of two readings of one document: token and bigram F1. */

/** Normalized tokens; scripts without spaces count by character. */
export function splitTokens(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(token) ?? [];
}

/** Pairs of adjacent tokens, which differ where the reading order differs. */
export function toBigrams(tokens: readonly string[]): string[] {
  return tokens.slice(1).map((token, index) => `${tokens[index]} ${token}`);
}

/**
 * F1 of two bags of words; two empty bags agree. Words of `optional` are expected as often as they are there, so that a
 * reader may have them or not.
 */
export function computeF1(
  actual: readonly string[],
  expected: readonly string[],
  optional: readonly string[] = [],
): number {
  const [required, allowed] = [countTokens(expected), countTokens(optional)];
  let hits = 0;
  let optionalHits = 0;
  for (const token of actual) {
    if (take(required, token)) hits += 1;
    else if (take(allowed, token)) optionalHits += 1;
  }
  const total = actual.length + expected.length + optionalHits;
  return total === 0 ? 1 : (2 * (hits + optionalHits)) / total;
}

function countTokens(tokens: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, token: string): boolean {
  const count = counts.get(token) ?? 0;
  if (count > 0) counts.set(token, count - 1);
  return count > 0;
}

const spaceless = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";
const token = new RegExp(`[${spaceless}]|[[\\p{L}\\p{M}\\p{N}_]--[${spaceless}]]+`, "gv");

/** Lines at each edge of a page that may be running headers and footers, and pages before it that may have them. */
const MAX_RUNNING_LINES = 8;
const PAGES_BEFORE = 2;

/** A text with its running headers and footers apart, except on the first page that has them. */
export type SplitText = { readonly text: string; readonly repeated: string };

/**
 * Splits the text of a program that ends pages with a form feed. Running lines are those at the edge of a page which an
 * earlier page has at the same edge, up to the first that is not. A reader that shows them once loses no word.
 */
export function splitRunningLines(text: string): SplitText {
  const pages = text.split("\f").map((page) => page.split("\n").filter((line) => line.trim() !== ""));
  const tops = pages.map((lines) => lines.slice(0, MAX_RUNNING_LINES));
  const bottoms = pages.map((lines) => lines.slice(-MAX_RUNNING_LINES).reverse());
  const texts: string[] = [];
  const repeated: string[] = [];
  for (const [page, lines] of pages.entries()) {
    const first = countRepeated(tops, page);
    const last = Math.max(first, lines.length - countRepeated(bottoms, page));
    texts.push(...lines.slice(first, last));
    repeated.push(...lines.slice(0, first), ...lines.slice(last));
  }
  return { text: texts.join("\n"), repeated: repeated.join("\n") };
}

/** How many lines from an edge inwards are at the same edge of one of the pages before. */
function countRepeated(edges: readonly (readonly string[])[], page: number): number {
  const before = new Set(edges.slice(Math.max(0, page - PAGES_BEFORE), page).flatMap((lines) => lines.map(toKey)));
  const lines = edges[page] ?? [];
  const other = lines.findIndex((line) => !before.has(toKey(line)));
  return other === -1 ? lines.length : other;
}

function toKey(line: string): string {
  return line.replace(/\d+/g, "0").replace(/\s+/g, " ").trim();
}
