/** Fills in the vectors that an index lacks, beside its searches. Each step is stored: a later run continues from there. */
import { join } from "node:path";
import type { Session } from "../../session/session.ts";
import { takeLock } from "../../system/lock.ts";
import type { IndexStore, StoredText } from "../index/store/index-store.ts";
import { type EmbeddingService, FAILURE_PAUSE_MS, openEmbeddingService } from "./embedding-service.ts";
import { packVectors } from "./vectors.ts";

/** How filling in vectors ended: the files done in this run, and why not all of them. */
export type FillReport = { readonly files: number; readonly problem: string | null };

/** An index and its folder; null for one in memory. */
export type FilledIndex = { readonly store: IndexStore; readonly folder: string | null };

const runs = new WeakMap<object, Promise<FillReport>>();
const failureTimes = new WeakMap<object, number>();

/** Makes the missing vectors; one run at a time for an index. Never rejects. */
export function fillMissing(index: FilledIndex, session: Session): Promise<FillReport> {
  const { store } = index;
  const current = runs.get(store);
  if (current !== undefined) return current;
  if (session.now() - (failureTimes.get(store) ?? -Infinity) < FAILURE_PAUSE_MS)
    return Promise.resolve({ files: 0, problem: null });
  const run = fill(index, session).finally(() => runs.delete(store));
  runs.set(store, run);
  return run;
}

async function fill(index: FilledIndex, session: Session): Promise<FillReport> {
  let files = 0;
  try {
    const service = openEmbeddingService(session);
    if (service === null) return { files, problem: null };
    using lock = takeFillLock(index);
    if (lock === null) return { files, problem: null };
    // Each step stores something, and no file is done twice: there are never more steps than files.
    for (let steps = index.store.fileCount(); steps >= 0; steps--) {
      const done = await fillStep(index, service, session);
      files += done;
      if (done === 0) break;
    }
    return { files, problem: null };
  } catch (error) {
    failureTimes.set(index.store, session.now());
    const problem = error instanceof Error ? error.message : String(error);
    session.log(`warning: code was not embedded: ${problem}`);
    return { files, problem };
  }
}

/** One process makes the vectors of an index; others use those that are stored. */
function takeFillLock({ folder }: FilledIndex): Disposable | null {
  if (folder === null) return { [Symbol.dispose]: () => undefined };
  return takeLock(join(folder, "embed.db"));
}

/** The size of a step. What was stored before a failure or a kill stays. */
const STEP_FILES = 32;
const STEP_CHUNKS = 256;

async function fillStep(
  { store }: FilledIndex,
  { model, embed }: EmbeddingService,
  { settings, lifetime }: Session,
): Promise<number> {
  const madeBy = store.vectorsMadeBy();
  const isOtherModel = madeBy !== undefined && modelIn(madeBy) !== model;
  const ids = isOtherModel ? store.snapshot().fileIds.slice(0, STEP_FILES) : store.filesWithoutVectors(STEP_FILES);
  const files = readFiles(ids, (id) => store.text(id));
  const texts = files.flatMap(chunkTexts);
  const vectors = texts.length === 0 ? [] : await embed(texts, settings["network.timeout"], lifetime);
  const packedFiles = files.map(({ id, chunks }) => ({ id, bytes: packVectors(vectors.splice(0, chunks.length)) }));
  if (packedFiles.length === 0) return 0;
  const dimensions = texts.length > 0 ? dimensionsOf(packedFiles, texts.length) : 0;
  const isUnchanged = texts.length === 0 && madeBy !== undefined && !isOtherModel;
  store.write({ vectors: { madeBy: isUnchanged ? madeBy : formatMadeBy(model, dimensions), files: packedFiles } });
  return packedFiles.length;
}

/** The first of these files, up to STEP_CHUNKS chunks; at least one file. */
function readFiles(ids: readonly number[], read: (id: number) => StoredText | undefined): StoredText[] {
  const files: StoredText[] = [];
  let chunkCount = 0;
  for (const id of ids) {
    const file = read(id);
    if (file === undefined) continue;
    chunkCount += file.chunks.length;
    if (files.length > 0 && chunkCount > STEP_CHUNKS) break;
    files.push(file);
  }
  return files;
}

/** Each chunk follows its path, which says much about it. */
function chunkTexts({ path, text, chunks }: StoredText): string[] {
  return chunks.map(({ start, end }) => `${path}\n${text.slice(start, end)}`);
}

function dimensionsOf(packedFiles: readonly { readonly bytes: Uint8Array }[], chunkCount: number): number {
  return packedFiles.reduce((sum, { bytes }) => sum + bytes.length, 0) / chunkCount - 4;
}

/** Model and dimensions of an index's vectors, as the store keeps them. */
export function formatMadeBy(model: string, dimensions: number): string {
  return `${dimensions} ${model}`;
}

/** The parts of what formatMadeBy made. */
export const modelIn = (madeBy: string): string => madeBy.slice(madeBy.indexOf(" ") + 1);
export const dimensionsIn = (madeBy: string): number => Number(madeBy.slice(0, madeBy.indexOf(" ")));
