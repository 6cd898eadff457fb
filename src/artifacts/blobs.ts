/** The bytes of artifacts: written once per content, verified when they are read or kept again. */
import { createHash, randomBytes } from "node:crypto";
import type { Content, Spool } from "../acquire/spool.ts";
import {
  adoptObject,
  announceObject,
  announceUnlessOwned,
  type BlobRow,
  findBlob,
  forgetGarbage,
  markVerified,
  requireBlob,
} from "../catalogue/blob-rows.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { CatalogueError, type Queries } from "../catalogue/sql.ts";
import { newBlobKey } from "./keys.ts";
import type { ObjectHead, Objects } from "./objects.ts";
import type { ArtifactRecord } from "./record.ts";
import { damagedError } from "./store-errors.ts";

/** Bytes that are in the store but that no artifact refers to yet. */
export type WrittenBlob = {
  /** The object that has them. */
  readonly objectKey: string;
  /** Whether the owner had no artifact with these bytes. */
  readonly isNewContent: boolean;
  /** Makes them the bytes of their content. Fails with a RequirementError if a sweeper was faster: write them again. */
  adopt(queries: Queries): Promise<void>;
  /** Deletes them after a sweeper was faster. */
  discard(): Promise<void>;
};

/** Bytes, until they are disposed. */
export type OpenedBlob = { readonly content: Content } & AsyncDisposable;

export type Blobs = ReturnType<typeof openBlobs>;

/** Up to this size bytes are hashed at every read; above, when their object's stamp has changed. */
const MAX_ALWAYS_HASHED_BYTES = 8 * 1024 * 1024;

/** Objects do not vanish; what opens them notices if one did. */
const PRESENCE_MS = 60_000;

export function openBlobs(objects: Objects, catalogue: Catalogue, now: () => number) {
  /**
   * Writes the bytes, unless this owner has them. Bytes that only others have are written again: if they were not, the
   * time of a keep would tell an owner what strangers have fetched. Their key is new, so that no sweeper can be after it.
   */
  async function write(spool: Spool, owner: string): Promise<WrittenBlob> {
    const { sha256 } = spool;
    const object_key = newBlobKey(sha256, randomBytes(6).toString("hex"));
    const object = { objectKey: object_key, owner, sha256 };
    const isNewContent = await announce((queries) => announceUnlessOwned(queries, object, now()));
    if (!isNewContent) {
      const present = await findBlob(catalogue, sha256);
      if (present && (await isSound(present))) {
        const adopt = (queries: Queries) => requireBlob(queries, present);
        return { objectKey: present.object_key, isNewContent, adopt, discard: async () => undefined };
      }
      await announce((queries) => announceObject(queries, object_key, now()));
    }
    const stamp = await putNew(object_key, spool);
    const blob = { sha256, object_key, size_bytes: spool.sizeBytes, stamp };
    return {
      objectKey: object_key,
      isNewContent,
      adopt: (queries) => adoptObject(queries, blob, now()),
      async discard() {
        await objects.delete(object_key);
        await catalogue.transact((queries) => forgetGarbage(queries, [object_key]));
      },
    };
  }

  const announce = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
    catalogue.transact(work, { isOneStatement: true });

  /** The stamp of a large object; small ones need none, because they are hashed at every read. */
  async function putNew(key: string, { content, sizeBytes }: Spool): Promise<string | null> {
    let stamp: string | undefined;
    await objects.put(key, "path" in content ? content : content.bytes, {
      isNewKey: true,
      noteStamp(written) {
        stamp = written;
      },
    });
    if (sizeBytes <= MAX_ALWAYS_HASHED_BYTES) return null;
    return stamp ?? (await objects.head(key))?.stamp ?? null;
  }

  /** Whether an object of the right length is there. */
  async function isPresent(row: { readonly object_key: string | null; readonly size_bytes: number }): Promise<boolean> {
    if (row.object_key === null) return false;
    return (await objects.head(row.object_key, { maxAgeMs: PRESENCE_MS }))?.sizeBytes === row.size_bytes;
  }

  /** Whether the object has exactly the bytes that its row promises. */
  async function isSound(row: BlobRow): Promise<boolean> {
    const head = await objects.head(row.object_key);
    return head !== undefined && head.sizeBytes === row.size_bytes && (await isVerified(row, head));
  }

  async function isVerified({ sha256, object_key, size_bytes, stamp }: BlobRow, head: ObjectHead): Promise<boolean> {
    const isLarge = size_bytes > MAX_ALWAYS_HASHED_BYTES;
    if (isLarge && head.stamp === stamp) return true;
    if ((await hashObject(objects, object_key)) !== sha256) return false;
    if (isLarge) await noteVerified(object_key, sha256, head.stamp);
    return true;
  }

  async function noteVerified(objectKey: string, sha256: string, stamp: string): Promise<void> {
    try {
      await markVerified(catalogue, objectKey, sha256, stamp);
    } catch (error) {
      // Where nothing can be noted, the next read verifies again.
      if (!(error instanceof CatalogueError)) throw error;
    }
  }

  /** The verified bytes of an artifact. `known` is where they were a moment ago. */
  async function open({ artifact_ref, sha256 }: ArtifactRecord, known?: string): Promise<OpenedBlob> {
    const copy = known === undefined ? undefined : await openCopy(known, sha256);
    if (copy !== undefined) return copy;
    const row = await findBlob(catalogue, sha256);
    const opened = row && (await openObject(row.object_key));
    if (row === undefined || opened === undefined) throw damagedError(artifact_ref, "its bytes are missing");
    // Bytes that were copied were hashed on the way.
    if (opened.sha256 === undefined ? await isSound(row) : opened.sha256 === sha256) return opened;
    await opened[Symbol.asyncDispose]();
    throw damagedError(artifact_ref, "its bytes are not those that were kept");
  }

  /** Saves looking for the row where the backend hashes what it copies. Undefined if another object has the bytes now. */
  async function openCopy(objectKey: string, sha256: string): Promise<OpenedBlob | undefined> {
    const opened = await objects.open?.(objectKey);
    if (opened === undefined || opened.sha256 === sha256) return opened;
    await opened[Symbol.asyncDispose]();
    return undefined;
  }

  async function openObject(key: string): Promise<(OpenedBlob & { readonly sha256?: string }) | undefined> {
    if (objects.open !== undefined) return objects.open(key);
    const file = await objects.local(key);
    return file && { content: { path: file.path }, [Symbol.asyncDispose]: file[Symbol.asyncDispose] };
  }

  return { write, isPresent, isSound, open };
}

/** The SHA-256 of an object; undefined if there is none. */
export async function hashObject(objects: Objects, key: string): Promise<string | undefined> {
  const chunks = await objects.get(key);
  if (chunks === undefined) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
