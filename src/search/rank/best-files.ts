/** Keeps the best of many scored files. */

type ScoredFile = { readonly file: number; readonly score: number };

/** Keeps the best of many files, without storing those that cannot be among them. */
export function createBest(limit: number, pathOf: (file: number) => string) {
  const files: ScoredFile[] = [];
  const highest = createHighest(limit);
  const byScore = (one: ScoredFile, other: ScoredFile) =>
    other.score - one.score || comparePaths(pathOf(one.file), pathOf(other.file)) || one.file - other.file;
  return {
    add(file: number, score: number): void {
      if (score >= highest.least()) files.push({ file, score });
      highest.add(score);
    },
    /** Best first; equal scores are in the order of their paths. */
    listBest(): readonly ScoredFile[] {
      const least = highest.least();
      return files
        .filter(({ score }) => score >= least)
        .sort(byScore)
        .slice(0, limit);
    },
  };
}

/** The highest of many numbers, so many of them, as a heap: the least of them is its first. */
function createHighest(limit: number) {
  const heap = new Float64Array(limit);
  let count = 0;

  /** Moves a number from a place down to where none below it is less. */
  function sink(number: number, from: number): void {
    let place = from;
    for (let child = 2 * place + 1; child < count; child = 2 * place + 1) {
      if (child + 1 < count && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if ((heap[child] as number) >= number) break;
      heap[place] = heap[child] as number;
      place = child;
    }
    heap[place] = number;
  }

  return {
    /** The least of them; minus infinity while there are fewer than the limit. */
    least: (): number => (count < limit ? -Infinity : (heap[0] ?? Infinity)),
    add(number: number): void {
      if (count === limit) {
        if (number > (heap[0] ?? Infinity)) sink(number, 0);
        return;
      }
      heap[count++] = number;
      if (count === limit) for (let place = (limit >> 1) - 1; place >= 0; place--) sink(heap[place] as number, place);
    },
  };
}

/** Two indexes may have files of the same path: then the order of the indexes decides. */
function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
