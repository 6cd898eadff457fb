/** Finds the most similar name, for "did you mean". */

const MIN_PART_CHARS = 4;

/**
 * The candidate closest to the input, or undefined if none is close or several are equally close. Case and
 * separators are ignored (`fit.inlineChars`), the group may be missing (`inline_chars`), and so may the end (`classify`).
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
  if (isPart(inputLetters, candidate)) return 1;
  return Math.abs(inputLetters.length - candidate.length) > maxDistance
    ? Infinity
    : editDistance(inputLetters, candidate);
}

function isPart(inputLetters: string, candidate: string): boolean {
  if (inputLetters.length < MIN_PART_CHARS || inputLetters === candidate) return false;
  return candidate.endsWith(inputLetters) || candidate.startsWith(inputLetters);
}

/** Characters to insert, delete or replace, or neighbours to swap: https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance */
function editDistance(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = valueAt(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? valueAt(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, valueAt(last, j) + 1, valueAt(row, j - 1) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return valueAt(last, b.length);
}

function valueAt(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
