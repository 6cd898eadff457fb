/** Finds the chunks of an index that are near a query in meaning, by their vectors. A search works without it. */
import type { EmbeddingFacts } from "../../contract/search-fields.ts";
import { SpillwayError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import type { IndexView } from "../index/index-view.ts";
import type { IndexStore } from "../index/store/index-store.ts";
import { MAX_NEAR_CHUNKS, type NearChunk } from "../rank/meaning.ts";
import { type EmbeddingService, FAILURE_PAUSE_MS, openEmbeddingService } from "./embedding-service.ts";
import { dimensionsIn, formatMadeBy, modelIn } from "./fill-vectors.ts";
import { createVectorTable, type VectorTable } from "./vectors.ts";

/** The query's vector, and what the reply says about it. */
type EmbeddedQuery = {
  readonly vector: Float32Array | null;
  readonly facts: EmbeddingFacts | null;
};

/** Asks for the query's vector, if a service is named and the index has vectors of its model. */
export async function embedQuery(query: string, store: IndexStore, session: Session): Promise<EmbeddedQuery> {
  try {
    const service = openEmbeddingService(session);
    if (service === null) return { vector: null, facts: null };
    return await embedWith(service, query, store, session);
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof SpillwayError)) throw error;
    return { vector: null, facts: { model: session.settings["search.embed_model"] ?? "", problem: error.message } };
  }
}

async function embedWith(
  service: EmbeddingService,
  query: string,
  store: IndexStore,
  session: Session,
): Promise<EmbeddedQuery> {
  const { model } = service;
  const madeBy = store.vectorsMadeBy();
  const without = (problem: string): EmbeddedQuery => ({ vector: null, facts: { model, problem } });
  if (madeBy === undefined) return without("The index has no vectors yet.");
  if (modelIn(madeBy) !== model)
    return without(`The index has vectors of ${modelIn(madeBy)}, which are not mixed with others.`);
  const vector = await queryVector(service, query, session);
  if (madeBy !== formatMadeBy(model, vector.length)) return without("The model's vectors have another length now.");
  return { vector, facts: { model, problem: null } };
}

const cachedVectors = new Map<string, Float32Array>();
const MAX_CACHED_VECTORS = 200;
let failure: { readonly service: string; readonly until: number; readonly error: SpillwayError } | null = null;

async function queryVector({ model, embed }: EmbeddingService, query: string, session: Session): Promise<Float32Array> {
  const { settings, signal, now } = session;
  const service = `${settings["search.embed_url"]}\n${model}`;
  const key = `${service}\n${query}`;
  const cached = cachedVectors.get(key);
  if (cached !== undefined) return cached;
  if (failure?.service === service && now() < failure.until) throw failure.error;
  try {
    const [vector = new Float32Array()] = await embed([query], settings["search.embed_wait"], signal);
    if (cachedVectors.size >= MAX_CACHED_VECTORS) cachedVectors.clear();
    cachedVectors.set(key, vector);
    failure = null;
    return vector;
  } catch (error) {
    if (error instanceof SpillwayError) failure = { service, until: now() + FAILURE_PAUSE_MS, error };
    throw error;
  }
}

/** The vectors of an index in memory, up to the one with `lastNumber`. */
type LoadedVectors = { readonly madeBy: string; readonly table: VectorTable; lastNumber: number };
const loadedVectors = new WeakMap<IndexStore, LoadedVectors>();
/** Rows of deleted files stay in the table; with more than this many rows per live chunk, the table is read again. */
const MAX_ROWS_PER_CHUNK = 2;

/** The nearest chunks of the view, the nearest first. */
export function findNearChunks(vector: Float32Array, store: IndexStore, view: IndexView): NearChunk[] {
  const firstChunks = firstChunkByFile(view);
  const { table } = refreshVectors(store, view);
  const near = table.nearest(vector, MAX_NEAR_CHUNKS, (fileId) => firstChunks.has(fileId));
  return near.map(({ fileId, index, cosine }) => ({ chunk: (firstChunks.get(fileId) ?? 0) + index, cosine }));
}

/** Reads the vectors that are new; after a change of the model, all. */
function refreshVectors(store: IndexStore, { liveChunks }: IndexView): LoadedVectors {
  const madeBy = store.vectorsMadeBy() ?? "";
  const previous = loadedVectors.get(store);
  const isUsable =
    previous?.madeBy === madeBy && previous.table.rows() <= MAX_ROWS_PER_CHUNK * Math.max(1_000, liveChunks);
  const current = isUsable ? previous : { madeBy, table: createVectorTable(dimensionsIn(madeBy)), lastNumber: 0 };
  for (const { number, id, bytes } of store.vectorsAfter(current.lastNumber)) {
    current.table.add(id, bytes);
    current.lastNumber = number;
  }
  loadedVectors.set(store, current);
  return current;
}

const firstChunksOf = new WeakMap<IndexView, ReadonlyMap<number, number>>();

/** The first chunk of each live file, by the file's id. */
function firstChunkByFile(view: IndexView): ReadonlyMap<number, number> {
  const cached = firstChunksOf.get(view);
  if (cached !== undefined) return cached;
  const firstChunks = new Map<number, number>();
  for (const { segment, firstChunk, dead } of view.parts) {
    for (const [file, id] of segment.fileIds.entries()) {
      if (dead?.[file] !== 1) firstChunks.set(id, firstChunk + (segment.fileFirstChunk[file] ?? 0));
    }
  }
  firstChunksOf.set(view, firstChunks);
  return firstChunks;
}
