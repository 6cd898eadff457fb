/** Reads postings: the byte of each, how many are live, and how rare that makes a term. */
import type { TermPostings } from "../index/index-view.ts";

/** BM25's inverse document frequency. */
export function rarity(total: number, count: number): number {
  return Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5));
}

/** How often the term occurs, of a posting's byte. */
export const occurrences = (weight: number): number => weight & 63;
/** The rank of the definition that the term is part of, of a posting's byte; 0 for none. */
export const rankOf = (weight: number): number => weight >> 6;

type LiveCounts = { readonly chunks: number; readonly files: number };

/** Counts by postings: a view returns the same object for a term every time, and it never changes. */
const cachedCounts = new WeakMap<readonly TermPostings[], LiveCounts>();

/** How many live chunks and files have the term. */
export function countLive(postings: readonly TermPostings[]): LiveCounts {
  const counts = cachedCounts.get(postings) ?? countPostings(postings);
  cachedCounts.set(postings, counts);
  return counts;
}

function countPostings(postings: readonly TermPostings[]): LiveCounts {
  let [chunks, files] = [0, 0];
  for (const each of postings) {
    const { part } = each;
    const { chunkFile, fileFirstChunk } = part.segment;
    const { places, count } = part.segment.postings(each);
    for (let posting = 0; posting < count; ) {
      const file = chunkFile[places[posting] as number] as number;
      const end = fileFirstChunk[file + 1] as number;
      const first = posting;
      while (posting < count && (places[posting] as number) < end) posting++;
      if (part.dead?.[file] === 1) continue;
      chunks += posting - first;
      files++;
    }
  }
  return { chunks, files };
}
