/** The embeddings plug-in as searches and jobs use it: its code is loaded only where the settings name a service. */
import type { EmbeddingFacts } from "../../contract/search-fields.ts";
import type { Session } from "../../session/session.ts";
import type { IndexView } from "../index/index-view.ts";
import type { IndexStore } from "../index/store/index-store.ts";
import type { NearChunk } from "../rank/meaning.ts";
import type { FilledIndex, FillReport } from "./fill-vectors.ts";

/** What the vectors of an index add to a search. */
type QueryMeaning = {
  /** Finds the chunks of a view that are nearest to the query; null where words alone have to do. */
  readonly findNear: ((view: IndexView) => readonly NearChunk[]) | null;
  /** What the reply says about it; null where no service is named. */
  readonly facts: EmbeddingFacts | null;
};

/** Asks the service for the query's vector, if the index has vectors of its model. A failure is a fact, not an error. */
export async function findMeaning(query: string, store: IndexStore, session: Session): Promise<QueryMeaning> {
  if (!isConfigured(session)) return { findNear: null, facts: null };
  const { embedQuery, findNearChunks } = await import("./query-meaning.ts");
  const { vector, facts } = await embedQuery(query, store, session);
  return { findNear: vector && ((view) => findNearChunks(vector, store, view)), facts };
}

/** Makes the vectors that an index lacks. Never rejects: a search does not need them. */
export async function fillVectors(index: FilledIndex, session: Session): Promise<FillReport> {
  if (!isConfigured(session)) return { files: 0, problem: null };
  const { fillMissing } = await import("./fill-vectors.ts");
  return await fillMissing(index, session);
}

function isConfigured({ settings }: Session): boolean {
  return settings["search.embed_url"] !== null && settings["search.embed_model"] !== null;
}
