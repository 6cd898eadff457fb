/** Names: files and chunks that define what the query names. */

import { findTerm, type IndexView } from "../../index/index-view.ts";
import { termKinds } from "../../index/segments/index-segment.ts";
import { countLive, rankOf } from "../postings.ts";
import type { ParsedQuery } from "../query.ts";
import { rankWeights } from "../weights.ts";
import { addToChunk, findMax, type Scores } from "./scores.ts";

/** Adds for definitions of the query's names. A name that many files define says little about each. */
export function addNames(view: IndexView, scores: Scores, { names }: ParsedQuery): void {
  const best = findMax(scores.bestChunk, scores);
  for (const { text, certainty } of names) {
    const postings = findTerm(view, termKinds.definition + text);
    if (postings.length === 0) continue;
    const strength = rankWeights.certainty[certainty] / (1 + Math.log(Math.max(1, countLive(postings).files)));
    for (const each of postings) {
      const { part } = each;
      const { places, weights, count } = part.segment.postings(each);
      for (let posting = 0; posting < count; posting++) {
        const chunk = places[posting] ?? 0;
        const segmentFile = part.segment.chunkFile[chunk] ?? 0;
        if (part.dead?.[segmentFile] === 1) continue;
        const file = part.firstFile + segmentFile;
        const value = strength * (rankWeights.named[rankOf(weights[posting] ?? 0)] ?? 0);
        scores.name[file] = Math.max(scores.name[file] ?? 0, value);
        addToChunk(scores, part.firstChunk + chunk, file, value * rankWeights.namedChunk * best);
      }
    }
  }
}
