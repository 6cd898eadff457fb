/** Words in the path: the file's name and its folders, and a path that the query names. */

import { findTerm, type IndexView, type TermPostings } from "../../index/index-view.ts";
import { termKinds } from "../../index/segments/index-segment.ts";
import { occurrences, rankOf } from "../postings.ts";
import type { WeightedTerm } from "../weighted-terms.ts";
import { rankWeights } from "../weights.ts";
import type { Scores } from "./scores.ts";

/**
 * Rarity does not matter in a path: the author of the file chose the word deliberately. A word of the query counts once
 * for each file, with all its family: in the name, or else in the folders.
 */
export function addPath(
  view: IndexView,
  scores: Scores,
  word: number,
  group: readonly WeightedTerm[],
  share: number,
): void {
  const paths = group.map(({ text, pathWeight }) => ({
    postings: findTerm(view, termKinds.path + text),
    weight: pathWeight * share,
    isOwn: pathWeight === 1,
  }));
  const mark = word + 1;
  for (const { postings, weight, isOwn } of paths) {
    for (const each of postings) addStems(scores, each, mark, weight, isOwn ? 1 : 0);
  }
  for (const { postings, weight } of paths) for (const each of postings) addFolders(scores, each, mark, weight);
}

/** Adds for the files that have the word in their name. */
function addStems(
  { stem, stemHits, stemWord, touched }: Scores,
  each: TermPostings,
  mark: number,
  weight: number,
  ownHits: 0 | 1,
): void {
  const { firstFile, segment } = each.part;
  const { places, weights, count } = segment.postings(each);
  for (let posting = 0; posting < count; posting++) {
    if (rankOf(weights[posting] as number) === 0) continue;
    const file = firstFile + (places[posting] as number);
    touched.add(file);
    stemHits[file] = (stemHits[file] as number) + ownHits;
    if (stemWord[file] === mark) continue;
    stemWord[file] = mark;
    stem[file] = Math.min(1, (stem[file] as number) + weight);
  }
}

/** Adds for the files that have the word in their folders. */
function addFolders(
  { folder, folderWord, stemWord, touched }: Scores,
  each: TermPostings,
  mark: number,
  weight: number,
): void {
  const { firstFile, segment } = each.part;
  const { places, weights, count } = segment.postings(each);
  for (let posting = 0; posting < count; posting++) {
    const file = firstFile + (places[posting] as number);
    if (occurrences(weights[posting] as number) === 0 || folderWord[file] === mark) continue;
    touched.add(file);
    folderWord[file] = mark;
    const factor = stemWord[file] === mark ? rankWeights.folderBesideStem : 1;
    folder[file] = Math.min(1, (folder[file] as number) + weight * factor);
  }
}

/** Whether a path is the one that the query names, or ends with it. */
export function matchesPath(path: string, namedPath: string): boolean {
  return `/${path.toLowerCase()}`.endsWith(`/${namedPath.toLowerCase()}`);
}

/** A query that names a path means that file. */
export function addNamedPath({ parts }: IndexView, scores: Scores, namedPath: string): void {
  for (const { segment, firstFile } of parts) {
    for (const file of segment.filesEnding(namedPath.toLowerCase())) {
      if (!matchesPath(segment.path(file), namedPath)) continue;
      scores.touched.add(firstFile + file);
      scores.name[firstFile + file] = rankWeights.named[3];
      scores.stem[firstFile + file] = 1;
    }
  }
}
