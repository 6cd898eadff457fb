/** Words in the path: the file's name and its folders, and a path that the query names. */
import { termKinds } from "../../index/index-segment.ts";
import { findTerm, type IndexView, type TermPostings } from "../../index/index-view.ts";
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
    forEachPlace(postings, (place, byte) => {
      if (rankOf(byte) === 0) return;
      if (isOwn) scores.stemHits[place] = (scores.stemHits[place] ?? 0) + 1;
      if (scores.stemWord[place] === mark) return;
      scores.stemWord[place] = mark;
      scores.stem[place] = Math.min(1, (scores.stem[place] ?? 0) + weight);
    });
  }
  for (const { postings, weight } of paths) {
    forEachPlace(postings, (place, byte) => {
      if (occurrences(byte) === 0 || scores.folderWord[place] === mark) return;
      scores.folderWord[place] = mark;
      const factor = scores.stemWord[place] === mark ? rankWeights.folderBesideStem : 1;
      scores.folder[place] = Math.min(1, (scores.folder[place] ?? 0) + weight * factor);
    });
  }
}

/** Visits the file of each posting of a path's word, and the posting's byte. */
function forEachPlace(postings: readonly TermPostings[], visit: (place: number, byte: number) => void): void {
  for (const { part, from, to } of postings) {
    for (let posting = from; posting < to; posting++) {
      visit(part.firstFile + (part.segment.places[posting] ?? 0), part.segment.weights[posting] ?? 0);
    }
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
      scores.name[firstFile + file] = rankWeights.named[3];
      scores.stem[firstFile + file] = 1;
    }
  }
}
