/** Words in the text: BM25 over chunks and over whole files. */
import type { IndexView, TermPostings } from "../../index/index-view.ts";
import { countLive, occurrences, rankOf, rarity } from "../postings.ts";
import type { WeightedTerm } from "../weighted-terms.ts";
import { rankWeights } from "../weights.ts";
import type { Scores } from "./scores.ts";

/** Adds the postings of a term to the scores of their chunks and files. */
export function addText(
  view: IndexView,
  scores: Scores,
  postings: readonly TermPostings[],
  { weight, trust, maxRarity }: Pick<WeightedTerm, "weight" | "trust" | "maxRarity">,
): void {
  if (postings.length === 0) return;
  const { chunks, files } = countLive(postings);
  const chunkRarity = weight * trust * Math.min(maxRarity, rarity(view.liveChunks, chunks));
  const fileRarity = weight * trust * rarity(view.liveFiles, files);
  const isOwn = weight === 1 ? 1 : 0;
  for (const each of postings) addPostings(view, scores, each, chunkRarity, fileRarity, isOwn);
}

/** The innermost loop: adds one posting after the other, and the sum of a file whenever the file changes. */
function addPostings(
  { meanChunkTokens, meanFileTokens }: IndexView,
  scores: Scores,
  { part, from, to }: TermPostings,
  chunkRarity: number,
  fileRarity: number,
  isOwn: 0 | 1,
): void {
  const { places, weights: bytes, chunkFile, chunkTokens, fileTokens } = part.segment;
  const { chunkSaturation, chunkLength, fileSaturation, fileLength, defined } = rankWeights;
  const chunkFloor = chunkSaturation * (1 - chunkLength);
  const chunkSlope = (chunkSaturation * chunkLength) / meanChunkTokens;
  const fileFloor = fileSaturation * (1 - fileLength);
  const fileSlope = (fileSaturation * fileLength) / meanFileTokens;
  for (let posting = from; posting < to; ) {
    const file = chunkFile[places[posting] ?? 0] ?? 0;
    const isLive = part.dead?.[file] !== 1;
    let sum = 0;
    for (; posting < to; posting++) {
      const chunk = places[posting] ?? 0;
      if (chunkFile[chunk] !== file) break;
      if (!isLive) continue;
      const weight = bytes[posting] ?? 0;
      const rank = rankOf(weight);
      const count = occurrences(weight) + (defined[rank] ?? 0);
      const place = part.firstChunk + chunk;
      const slack = chunkFloor + chunkSlope * (chunkTokens[chunk] ?? 0);
      scores.chunk[place] =
        (scores.chunk[place] ?? 0) + (chunkRarity * count * (chunkSaturation + 1)) / (count + slack);
      if (rank > 0) scores.defined[place] = (scores.defined[place] ?? 0) + chunkRarity;
      sum += count;
    }
    if (sum === 0) continue;
    const slack = fileFloor + fileSlope * (fileTokens[file] ?? 0);
    const place = part.firstFile + file;
    scores.ownTerms[place] = (scores.ownTerms[place] ?? 0) + isOwn;
    scores.file[place] = (scores.file[place] ?? 0) + (fileRarity * sum * (fileSaturation + 1)) / (sum + slack);
  }
}
