/** Rates chunks by how near they are to a query in meaning, over all indexes that are searched together. */

/** A chunk and the cosine between its vector and the query's. */
export type NearChunk = { readonly chunk: number; readonly cosine: number };

/** How near chunks of a view are to the query, from 0 to 1. */
export type Meaning = ReadonlyMap<number, number>;

/** The chunks that count as near; the last of them counts as not near at all. */
export const MAX_NEAR_CHUNKS = 200;

/** The nearest of these chunks, rated from 0 (the farthest of them) to 1 (the nearest). */
export function rateChunks(chunks: readonly NearChunk[]): Meaning {
  const near = chunks.toSorted((one, other) => other.cosine - one.cosine).slice(0, MAX_NEAR_CHUNKS);
  const [top, floor] = [near[0]?.cosine ?? 0, near.length < MAX_NEAR_CHUNKS ? 0 : (near.at(-1)?.cosine ?? 0)];
  const shares = near.flatMap(({ chunk, cosine }): [number, number][] => {
    const share = top > floor ? (cosine - floor) / (top - floor) : 0;
    return share > 0 ? [[chunk, share]] : [];
  });
  return new Map(shares);
}
