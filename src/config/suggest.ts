/** Finds the name that somebody probably meant. */

const shortestEnding = 4;

/**
 * The one candidate closest to what was written, or undefined when none is close or several are equally so. Case and
 * separators do not count (`fit.inlineChars`), and a name may lack its group (`inline_chars`).
 */
export function nearestName(written: string, candidates: readonly string[]): string | undefined {
  const wanted = letters(written);
  const most = Math.min(3, Math.floor(wanted.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, letters(candidate), most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  const [first, second] = ranked;
  return first?.distance === second?.distance ? undefined : first?.candidate;
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function distance(wanted: string, candidate: string, most: number): number {
  if (wanted.length >= shortestEnding && wanted !== candidate && candidate.endsWith(wanted)) return 1;
  return Math.abs(wanted.length - candidate.length) > most ? Infinity : editDistance(wanted, candidate);
}

/** Levenshtein's: how many characters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
