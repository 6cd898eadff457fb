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
  const isOwn = weight === 1;
  for (const each of postings) addPostings(view, scores, each, chunkRarity, fileRarity, isOwn);
}

/** What each byte of a posting counts for: its occurrences, and more for a name that is defined. */
const countsByByte = Float64Array.from(
  { length: 256 },
  (_, byte) => occurrences(byte) + (rankWeights.defined[rankOf(byte)] ?? 0),
);

/**
 * The innermost loop: adds one posting after the other, and the sum of a file whenever the file changes. Scores only grow,
 * so that the highest score a chunk of a file has had is that of its best chunk.
 */
function addPostings(
  { meanChunkTokens, meanFileTokens }: IndexView,
  scores: Scores,
  postings: TermPostings,
  chunkRarity: number,
  fileRarity: number,
  isOwn: boolean,
): void {
  const { dead, firstChunk, firstFile, segment } = postings.part;
  const { chunkFile, chunkTokens, fileTokens, fileFirstChunk } = segment;
  const { places, weights: bytes, count: postingCount } = segment.postings(postings);
  const { chunk: chunkScores, defined: definedScores, file: fileScores, bestChunk, ownTerms, touched } = scores;
  const { chunkSaturation, chunkLength, fileSaturation, fileLength } = rankWeights;
  const chunkFloor = chunkSaturation * (1 - chunkLength);
  const chunkSlope = (chunkSaturation * chunkLength) / meanChunkTokens;
  const fileFloor = fileSaturation * (1 - fileLength);
  const fileSlope = (fileSaturation * fileLength) / meanFileTokens;
  for (let posting = 0; posting < postingCount; ) {
    const file = chunkFile[places[posting] as number] as number;
    const end = fileFirstChunk[file + 1] as number;
    const isLive = dead === null || dead[file] !== 1;
    let sum = 0;
    let best = 0;
    for (; posting < postingCount; posting++) {
      const chunk = places[posting] as number;
      if (chunk >= end) break;
      if (!isLive) continue;
      const byte = bytes[posting] as number;
      const count = countsByByte[byte] as number;
      const place = firstChunk + chunk;
      const slack = chunkFloor + chunkSlope * (chunkTokens[chunk] as number);
      const score = (chunkScores[place] as number) + (chunkRarity * count * (chunkSaturation + 1)) / (count + slack);
      chunkScores[place] = score;
      if (score > best) best = score;
      if (rankOf(byte) > 0) definedScores[place] = (definedScores[place] as number) + chunkRarity;
      sum += count;
    }
    if (sum === 0) continue;
    const slack = fileFloor + fileSlope * (fileTokens[file] as number);
    const place = firstFile + file;
    const fileScore = fileScores[place] as number;
    if (fileScore === 0) touched.add(place);
    if (best > (bestChunk[place] as number)) bestChunk[place] = best;
    if (isOwn) ownTerms[place] = (ownTerms[place] as number) + 1;
    fileScores[place] = fileScore + (fileRarity * sum * (fileSaturation + 1)) / (sum + slack);
  }
}
