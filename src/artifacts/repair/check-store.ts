/** Checks that every artifact and every code index has its bytes, and that every object belongs to something. */
import { type BlobRow, findBlob, isGarbage, pageOfBlobs, refsOfBlob } from "../../catalogue/blob-rows.ts";
import { isListedSegment, pageOfSegments } from "../../catalogue/segment-rows.ts";
import { CatalogueError } from "../../catalogue/sql.ts";
import { wasReplaced } from "../backup/snapshots.ts";
import { hashObject } from "../blobs.ts";
import { blobOfKey, blobPrefix, segmentHashOf, segmentPrefix } from "../keys.ts";
import type { Storage } from "../storage.ts";

export type CheckOptions = {
  /** Also hash all bytes. */
  readonly deep: boolean;
  readonly signal: AbortSignal;
  readonly progress?: (checked: number) => void;
};

export type BlobProblem = {
  readonly problem: "missing" | "altered";
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The artifacts of all owners that have these bytes. */
  readonly refs: readonly string[];
};

export type StoreCheck = {
  /** What the catalogue finds wrong with itself. If it cannot be read at all, nothing else was checked. */
  readonly damage: readonly string[];
  readonly blobs: number;
  /** At most MAX_LISTED are named. */
  readonly problems: readonly BlobProblem[];
  /** Index segments, and how many of them are missing or altered. An index builds them again. */
  readonly segments: number;
  readonly damagedSegments: readonly string[];
  /** How many objects belong to no artifact and no index. */
  readonly orphans: number;
};

const PAGE_ROWS = 500;
/** Damaged blobs beyond this many are not named. */
const MAX_LISTED = 1_000;

export async function checkStore(storage: Storage, options: CheckOptions): Promise<StoreCheck> {
  const damage = await findDamage(storage);
  if (damage.length > 0) return { damage, blobs: 0, problems: [], segments: 0, damagedSegments: [], orphans: 0 };
  const { checked, problems } = await checkBlobs(storage, options);
  const segments = await checkSegments(storage, options);
  let orphans = 0;
  for await (const _ of findOrphans(storage, options.signal)) orphans++;
  return { damage, blobs: checked, problems, ...segments, orphans };
}

async function findDamage(storage: Storage): Promise<readonly string[]> {
  try {
    const damage = await storage.catalogue.findDamage();
    return damage.length > 0 || !(await wasReplaced(storage)) ? damage : [replacedSentence];
  } catch (error) {
    if (error instanceof CatalogueError && error.fault === "damaged") return [error.message];
    throw error;
  }
}

const replacedSentence = "It was lost: snapshots and journal are those of another catalogue.";

async function checkBlobs(storage: Storage, { deep, signal, progress }: CheckOptions) {
  const problems: BlobProblem[] = [];
  let checked = 0;
  for (let last = ""; ; ) {
    const page = await pageOfBlobs(storage.catalogue, PAGE_ROWS, last);
    for (const row of page) {
      signal.throwIfAborted();
      const problem = await findProblem(storage, row, deep);
      if (problem && problems.length < MAX_LISTED) {
        const { sha256, size_bytes: sizeBytes } = row;
        problems.push({ problem, sha256, sizeBytes, refs: await refsOfBlob(storage.catalogue, sha256) });
      }
      checked++;
      progress?.(checked);
    }
    last = page.at(-1)?.sha256 ?? "";
    if (page.length < PAGE_ROWS) return { checked, problems };
  }
}

async function findProblem({ objects }: Storage, row: BlobRow, deep: boolean): Promise<BlobProblem["problem"] | null> {
  const head = await objects.head(row.object_key);
  if (head === undefined) return "missing";
  if (head.sizeBytes !== row.size_bytes) return "altered";
  return deep && (await hashObject(objects, row.object_key)) !== row.sha256 ? "altered" : null;
}

async function checkSegments(
  { objects, catalogue }: Storage,
  { deep, signal }: CheckOptions,
): Promise<Pick<StoreCheck, "segments" | "damagedSegments">> {
  const damagedSegments: string[] = [];
  let segments = 0;
  for (let last = ""; ; ) {
    const page = await pageOfSegments(catalogue, PAGE_ROWS, last);
    for (const { object_key, size_bytes } of page) {
      signal.throwIfAborted();
      const hasSize = (await objects.head(object_key))?.sizeBytes === size_bytes;
      const isSound = hasSize && (!deep || (await hashObject(objects, object_key)) === segmentHashOf(object_key));
      if (!isSound && damagedSegments.length < MAX_LISTED) damagedSegments.push(object_key);
      segments++;
    }
    last = page.at(-1)?.object_key ?? "";
    if (page.length < PAGE_ROWS) return { segments, damagedSegments };
  }
}

/** The objects that belong to no artifact and no index, and are not about to be deleted. */
export async function* findOrphans({ objects, catalogue }: Storage, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { key } of objects.list(segmentPrefix)) {
    signal.throwIfAborted();
    if (!(await isListedSegment(catalogue, key)) && !(await isGarbage(catalogue, key))) yield key;
  }
  for await (const { key } of objects.list(blobPrefix)) {
    signal.throwIfAborted();
    const blob = await findBlob(catalogue, blobOfKey(key));
    if (blob?.object_key !== key && !(await isGarbage(catalogue, key))) yield key;
  }
}
