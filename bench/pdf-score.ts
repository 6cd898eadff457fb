/** How much two readings of one document agree: token and bigram F1. */

/** Tokens that do not depend on how a reader spells them; scripts without spaces count by character. */
export function tokensOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().match(token) ?? [];
}

/** Pairs of neighbours, which fall apart where the reading order does. */
export function bigramsOf(tokens: readonly string[]): string[] {
  return tokens.slice(1).map((token, index) => `${tokens[index]} ${token}`);
}

/** F1 of two bags of words; two empty ones agree. */
export function f1(found: readonly string[], expected: readonly string[]): number {
  if (found.length === 0 && expected.length === 0) return 1;
  const left = new Map<string, number>();
  for (const token of expected) left.set(token, (left.get(token) ?? 0) + 1);
  let hits = 0;
  for (const token of found) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    hits += 1;
  }
  return (2 * hits) / (found.length + expected.length);
}

const spaceless = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";
const token = new RegExp(`[${spaceless}]|[[\\p{L}\\p{M}\\p{N}_]--[${spaceless}]]+`, "gv");
