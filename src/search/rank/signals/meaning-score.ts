/** Vectors of an embeddings service: files and chunks that are near to the query in meaning. */
import type { IndexView } from "../../index/index-view.ts";
import type { Meaning } from "../meaning.ts";
import { rankWeights } from "../weights.ts";
import { addToChunk, findMax, type Scores } from "./scores.ts";

/** How near each file is, by its nearest chunk. The chunks gain too, so that they are the ones shown. */
export function addMeaning(view: IndexView, scores: Scores, meaning: Meaning): Float64Array {
  const near = new Float64Array(view.fileCount);
  const best = findMax(scores.bestChunk, scores) || 1;
  for (const [chunk, share] of meaning) {
    const part = view.parts.findLast(({ firstChunk }) => firstChunk <= chunk);
    if (part === undefined) continue;
    const file = part.firstFile + (part.segment.chunkFile[chunk - part.firstChunk] ?? 0);
    near[file] = Math.max(near[file] ?? 0, share);
    addToChunk(scores, chunk, file, share * rankWeights.meaningChunk * best);
  }
  return near;
}
