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
