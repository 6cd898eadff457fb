/** The neighbours of a file: a folder in which several files match is more likely to be the right one. */

/** The best other files of a folder that count. */
const MAX_NEIGHBOURS = 3;

/** For each file, the mean of its best neighbours' scores; a file that has fewer gets less. */
export function scoreNeighbours(files: readonly { readonly path: string; readonly score: number }[]): number[] {
  const folders = new Map<string, number[]>();
  const scoresBeside = files.map(({ path, score }) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const scores = folders.get(folder) ?? [];
    if (scores.length === 0) folders.set(folder, scores);
    scores.push(score);
    return scores;
  });
  for (const scores of folders.values()) scores.sort((one, other) => other - one).splice(MAX_NEIGHBOURS + 1);
  return files.map(({ score }, index) => meanOfOthers(scoresBeside[index] ?? [], score));
}

/** The mean of the highest scores without one of this score. */
function meanOfOthers(highest: readonly number[], score: number): number {
  const place = highest.indexOf(score);
  let sum = place !== -1 && place < MAX_NEIGHBOURS ? (highest[MAX_NEIGHBOURS] ?? 0) - score : 0;
  for (let index = 0; index < MAX_NEIGHBOURS; index++) sum += highest[index] ?? 0;
  return sum / MAX_NEIGHBOURS;
}
