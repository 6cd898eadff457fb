/** Brings an index's vectors up to date beside its searches: in small steps that are kept, so that it goes on where it was. */
import { join } from "node:path";
import type { Session } from "../../session/session.ts";
import { takeLock } from "../../system/lock.ts";
import type { StoredText } from "../index/index-store.ts";
import type { IndexPlace } from "../index/update.ts";
import { type EmbedService, embedServiceOf } from "./embedding-service.ts";
import { packVectors } from "./vectors.ts";

/** How filling in ended: files done now, and why not all of them. */
export type Filled = { readonly files: number; readonly problem: string | null };

const filling = new WeakMap<object, Promise<Filled>>();
const failedAt = new WeakMap<object, number>();
/** A service that failed is left alone for so long. */
const pauseMs = 30_000;

/** Makes the vectors that are missing. One at a time for an index, and never an error: a search needs none of it. */
export function fillVectors(place: IndexPlace, session: Session): Promise<Filled> {
  const { store } = place;
  const known = filling.get(store);
  if (known !== undefined) return known;
  if (session.now() - (failedAt.get(store) ?? -Infinity) < pauseMs) return Promise.resolve({ files: 0, problem: null });
  const work = fill(place, session).finally(() => filling.delete(store));
  filling.set(store, work);
  return work;
}

async function fill(place: IndexPlace, session: Session): Promise<Filled> {
  let files = 0;
  try {
    const service = embedServiceOf(session);
    if (service === null) return { files, problem: null };
    using lock = lockOf(place);
    if (lock === null) return { files, problem: null };
    // Each step stores something; a file is never asked for twice.
    for (let steps = place.store.fileCount(); steps >= 0; steps--) {
      const done = await fillSome(place, service, session);
      files += done;
      if (done === 0) break;
    }
    return { files, problem: null };
  } catch (error) {
    failedAt.set(place.store, session.now());
    const problem = error instanceof Error ? error.message : String(error);
    session.log(`warning: code was not embedded: ${problem}`);
    return { files, problem };
  }
}

/** One process makes the vectors of an index; others use what is there. */
function lockOf({ segmentFolder }: IndexPlace): Disposable | null {
  if (segmentFolder === null) return { [Symbol.dispose]: () => undefined };
  return takeLock(join(segmentFolder, "embed.db"));
}

/** Text of one step; what was done before a failure or a kill stays. */
const stepFiles = 32;
const stepChunks = 256;

async function fillSome(
  { store }: IndexPlace,
  { model, embed }: EmbedService,
  { settings, lifetime }: Session,
): Promise<number> {
  const made = store.vectorsMadeBy();
  const otherModel = made !== undefined && modelIn(made) !== model;
  const ids = otherModel ? store.snapshot().fileIds.slice(0, stepFiles) : store.filesWithoutVectors(stepFiles);
  const files = upTo(stepChunks, ids, (id) => store.text(id));
  const texts = files.flatMap(textsOf);
  const vectors = texts.length === 0 ? [] : await embed(texts, settings["network.timeout"], lifetime);
  const put = files.map(({ id, chunks }) => ({ id, bytes: packVectors(vectors.splice(0, chunks.length)) }));
  if (put.length === 0) return 0;
  const dimensions = texts.length > 0 ? dimensionsOf(put, texts.length) : 0;
  const same = texts.length === 0 && made !== undefined && !otherModel;
  store.write({ vectors: { madeBy: same ? made : madeByOf(model, dimensions), put } });
  return put.length;
}

/** Files in their order until they have so many chunks; at least one. */
function upTo(chunks: number, ids: readonly number[], read: (id: number) => StoredText | undefined): StoredText[] {
  const files: StoredText[] = [];
  let sum = 0;
  for (const id of ids) {
    const file = read(id);
    if (file === undefined) continue;
    sum += file.chunks.length;
    if (files.length > 0 && sum > chunks) break;
    files.push(file);
  }
  return files;
}

/** The path says much of what a chunk is about. */
function textsOf({ path, text, chunks }: StoredText): string[] {
  return chunks.map(({ start, end }) => `${path}\n${text.slice(start, end)}`);
}

function dimensionsOf(put: readonly { readonly bytes: Uint8Array }[], chunks: number): number {
  return put.reduce((sum, { bytes }) => sum + bytes.length, 0) / chunks - 4;
}

/** What an index says of its vectors. */
export function madeByOf(model: string, dimensions: number): string {
  return `${dimensions} ${model}`;
}

/** The model that made vectors, and how long they are. */
export const modelIn = (madeBy: string): string => madeBy.slice(madeBy.indexOf(" ") + 1);
export const dimensionsIn = (madeBy: string): number => Number(madeBy.slice(0, madeBy.indexOf(" ")));
