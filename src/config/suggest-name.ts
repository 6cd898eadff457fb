/** Finds the most similar name, for "did you mean". */

const MIN_SUFFIX_CHARS = 4;

/**
 * The candidate closest to the input, or undefined if none is close or several are equally close. Case and
 * separators are ignored (`fit.inlineChars`), and the group may be missing (`inline_chars`).
 */
export function nearestName(input: string, candidates: readonly string[]): string | undefined {
  const inputLetters = letters(input);
  const maxDistance = Math.min(3, Math.floor(inputLetters.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distance(inputLetters, letters(candidate), maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  const [first, second] = ranked;
  return first?.distance === second?.distance ? undefined : first?.candidate;
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function distance(inputLetters: string, candidate: string, maxDistance: number): number {
  if (inputLetters.length >= MIN_SUFFIX_CHARS && inputLetters !== candidate && candidate.endsWith(inputLetters))
    return 1;
  return Math.abs(inputLetters.length - candidate.length) > maxDistance
    ? Infinity
    : editDistance(inputLetters, candidate);
}

/** Levenshtein distance: characters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = valueAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, valueAt(row, j) + 1, valueAt(next, j - 1) + 1));
    }
    row = next;
  }
  return valueAt(row, b.length);
}

function valueAt(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
