/** What vectors tell about a question: which chunks of an index are near it in meaning. A search goes on without. */
import type { EmbeddingFacts } from "../../contract/search-fields.ts";
import { SpillwayError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import type { IndexStore } from "../index/index-store.ts";
import type { IndexView } from "../index/view.ts";
import type { Meaning } from "../rank/rank.ts";
import { type EmbedService, embedServiceOf } from "./embedding-service.ts";
import { dimensionsIn, madeByOf, modelIn } from "./fill.ts";
import { createVectorTable, type VectorTable } from "./vectors.ts";

/** Near chunks, and what the reply says of them; both null where no service is named. */
export type Asked = {
  readonly vector: Float32Array | null;
  readonly facts: EmbeddingFacts | null;
};

/** Asks for the question's vector, if a service is named and the index has vectors of its model. */
export async function askMeaning(query: string, store: IndexStore, session: Session): Promise<Asked> {
  try {
    const service = embedServiceOf(session);
    if (service === null) return { vector: null, facts: null };
    return await ask(service, query, store, session);
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof SpillwayError)) throw error;
    return { vector: null, facts: { model: session.settings["search.embed_model"] ?? "", problem: error.message } };
  }
}

async function ask(service: EmbedService, query: string, store: IndexStore, session: Session): Promise<Asked> {
  const { model } = service;
  const madeBy = store.vectorsMadeBy();
  const without = (problem: string): Asked => ({ vector: null, facts: { model, problem } });
  if (madeBy === undefined) return without("The index has no vectors yet.");
  if (modelIn(madeBy) !== model) return without(`The index's vectors are by ${modelIn(madeBy)}, and are not mixed.`);
  const vector = await questionVector(service, query, session);
  if (madeBy !== madeByOf(model, vector.length)) return without("The model's vectors have another length now.");
  return { vector, facts: { model, problem: null } };
}

const known = new Map<string, Float32Array>();
const mostKnown = 200;
let failed: { readonly service: string; readonly until: number; readonly error: SpillwayError } | null = null;
/** A service that failed is not waited for again so soon: searches must not become slow by it. */
const pauseMs = 30_000;

async function questionVector({ model, embed }: EmbedService, query: string, session: Session): Promise<Float32Array> {
  const { settings, signal, now } = session;
  const service = `${settings["search.embed_url"]}\n${model}`;
  const key = `${service}\n${query}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (failed?.service === service && now() < failed.until) throw failed.error;
  try {
    const [vector = new Float32Array()] = await embed([query], settings["search.embed_wait"], signal);
    if (known.size >= mostKnown) known.clear();
    known.set(key, vector);
    failed = null;
    return vector;
  } catch (error) {
    if (error instanceof SpillwayError) failed = { service, until: now() + pauseMs, error };
    throw error;
  }
}

type Loaded = { readonly madeBy: string; readonly table: VectorTable; last: number };
const loaded = new WeakMap<IndexStore, Loaded>();
/** Rows of files that are gone may be so many times those that count before all are read anew. */
const mostWorn = 2;

/** So many chunks are near; the last of them counts as not near at all. */
const mostNear = 200;

/** The nearest chunks of the view, as shares between the farthest of them and the nearest. */
export function nearChunks(vector: Float32Array, store: IndexStore, view: IndexView): Meaning {
  const places = chunkPlaces(view);
  const { table } = upToDate(store, view);
  const near = table.nearest(vector, mostNear, (fileId) => places.has(fileId));
  const [top, floor] = [near[0]?.cosine ?? 0, near.length < mostNear ? 0 : (near.at(-1)?.cosine ?? 0)];
  const shares = near.flatMap(({ fileId, index, cosine }): [number, number][] => {
    const share = top > floor ? (cosine - floor) / (top - floor) : 0;
    return share > 0 ? [[(places.get(fileId) ?? 0) + index, share]] : [];
  });
  return new Map(shares);
}

/** Only vectors that are new are read; after a change of the model, all. */
function upToDate(store: IndexStore, { liveChunks }: IndexView): Loaded {
  const madeBy = store.vectorsMadeBy() ?? "";
  const before = loaded.get(store);
  const usable = before?.madeBy === madeBy && before.table.rows() <= mostWorn * Math.max(1_000, liveChunks);
  const current = usable ? before : { madeBy, table: createVectorTable(dimensionsIn(madeBy)), last: 0 };
  for (const { number, id, bytes } of store.vectorsAfter(current.last)) {
    current.table.add(id, bytes);
    current.last = number;
  }
  loaded.set(store, current);
  return current;
}

const placesOf = new WeakMap<IndexView, ReadonlyMap<number, number>>();

/** The first chunk of each file that counts, by the file's id. */
function chunkPlaces(view: IndexView): ReadonlyMap<number, number> {
  const before = placesOf.get(view);
  if (before !== undefined) return before;
  const places = new Map<number, number>();
  for (const { segment, firstChunk, dead } of view.parts) {
    for (const [file, id] of segment.fileIds.entries()) {
      if (dead?.[file] !== 1) places.set(id, firstChunk + (segment.fileFirstChunk[file] ?? 0));
    }
  }
  placesOf.set(view, places);
  return places;
}
