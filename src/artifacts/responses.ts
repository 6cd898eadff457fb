/** Stored responses: the list of refs of one reply, readable by the reply's id and its owner only. */
import { findResponseRow, keepResponseRow, markResponseUsed } from "../catalogue/response-rows.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { clip } from "../system/safe-names.ts";
import type { ArtifactStore } from "./artifact-store.ts";

/** One source of a reply, or why it has no content. */
export type ResponseEntry = {
  readonly source_url: string;
  readonly title: string;
  readonly artifact_ref: string | null;
  /** The mode of its text; offsets refer to that mode. */
  readonly mode: string;
  /** How its links were written, if not inline; offsets refer to that style too. */
  readonly links?: string;
  /** The question it was fetched for. */
  readonly query: string | null;
  readonly error: string | null;
};

type KeptResponse = { readonly responseId: string; readonly entries: readonly ResponseEntry[] };

const idForm = /^rs_[0-9a-f]{32}$/;

/** Stores the list. The same list has the same id. Null if the store cannot be written. */
export async function keepResponse(store: ArtifactStore, entries: readonly ResponseEntry[]): Promise<string | null> {
  try {
    const { catalogue, ownerId, now } = store;
    const json = JSON.stringify(entries);
    const responseId = `rs_${(await store.seal(json)).slice(0, 32)}`;
    await catalogue.transact((queries) => keepResponseRow(queries, ownerId, responseId, json, now()), {
      durable: true,
    });
    return responseId;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}

/** Finds the list and marks it as used. The format of the id is checked before the store is touched. */
export async function findResponse(store: ArtifactStore, responseId: string): Promise<KeptResponse> {
  const { catalogue, ownerId, now } = store;
  if (!idForm.test(responseId)) throw noResponse(responseId);
  const json = await findResponseRow(catalogue, ownerId, responseId);
  const entries = json === undefined ? undefined : parseEntries(json);
  if (entries === undefined) throw noResponse(responseId);
  await markResponseUsed(catalogue, ownerId, responseId, now()).catch((error: unknown) => {
    // A read-only store still serves reads, and it cannot be swept either.
    if (!isUnwritable(error)) throw error;
  });
  return { responseId, entries };
}

/** Undefined if the list is damaged. */
function parseEntries(json: string): readonly ResponseEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function noResponse(responseId: string): SpillwayError {
  const sentence = `No result found for responseId "${clip(responseId)}". Results may have expired or been cleared.`;
  return new SpillwayError("response_not_found", sentence, {
    hint: idForm.test(responseId)
      ? "Fetch the sources again to get a new responseId."
      : "A responseId is rs_ and 32 hex digits, as given by fetch_content; send a ref that begins with af_ to read_artifact.",
  });
}
