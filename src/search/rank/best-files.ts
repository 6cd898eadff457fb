/** Keeps the best of many scored files. */

type ScoredFile = { readonly file: number; readonly score: number };

/** Keeps the best of many files, without storing those that cannot be among them. */
export function createBest(limit: number, pathOf: (file: number) => string) {
  let files: ScoredFile[] = [];
  let minScore = -1;
  const byScore = (one: ScoredFile, other: ScoredFile) =>
    other.score - one.score || comparePaths(pathOf(one.file), pathOf(other.file)) || one.file - other.file;
  const cut = () => {
    files = files.sort(byScore).slice(0, limit);
    if (files.length === limit) minScore = files.at(-1)?.score ?? -1;
  };
  return {
    add(file: number, score: number): void {
      if (score < minScore) return;
      files.push({ file, score });
      if (files.length >= limit * 4) cut();
    },
    listBest(): readonly ScoredFile[] {
      cut();
      return files;
    },
  };
}

/** Two indexes may have files of the same path: then the order of the indexes decides. */
function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
