/** The neighbours of a file: a folder in which several files match is more likely to be the right one. */
import { dirname } from "node:path/posix";

/** The best other files of a folder that count. */
const MAX_NEIGHBOURS = 3;

/** For each file, the mean of its best neighbours' scores; a file that has fewer gets less. */
export function scoreNeighbours(files: readonly { readonly path: string; readonly score: number }[]): number[] {
  const folders = new Map<string, number[]>();
  for (const { path, score } of files) {
    const folder = dirname(path);
    const scores = folders.get(folder);
    if (scores === undefined) folders.set(folder, [score]);
    else scores.push(score);
  }
  for (const scores of folders.values()) scores.sort((one, other) => other - one).splice(MAX_NEIGHBOURS + 1);
  return files.map(({ path, score }) => meanOfOthers(folders.get(dirname(path)) ?? [], score));
}

/** The mean of the highest scores without one of this score. */
function meanOfOthers(highest: readonly number[], score: number): number {
  const sum = highest.slice(0, MAX_NEIGHBOURS).reduce((total, each) => total + each, 0);
  const isAmong = highest.indexOf(score) !== -1 && highest.indexOf(score) < MAX_NEIGHBOURS;
  return (isAmong ? sum - score + (highest[MAX_NEIGHBOURS] ?? 0) : sum) / MAX_NEIGHBOURS;
}
