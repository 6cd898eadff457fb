/** Named byte strings: all that a storage backend has to provide. */
import { joinChunks } from "../acquire/chunks.ts";
import type { Content } from "../acquire/spool.ts";

export type ByteRange = { readonly start: number; readonly end: number };

export type ObjectHead = {
  readonly sizeBytes: number;
  /** When it was written. */
  readonly touchedAt: number;
  /** Changes whenever the bytes may have changed, by whatever means. */
  readonly stamp: string;
};

export type PutOptions = {
  /** Leave an existing object unchanged. */
  readonly ifAbsent?: boolean;
  /** False for data that can be rebuilt: it is still whole or absent, but a power failure may lose it. */
  readonly durable?: boolean;
  /** The key was never used and is unknown to others until the object is complete, so it may be written in place. */
  readonly isNewKey?: boolean;
  /** Readers compare the length with the key before they use the object, so it may be written in place. */
  readonly isLengthInKey?: boolean;
  /** Is called with the stamp of what was written, by backends that learn it at once. */
  readonly noteStamp?: (stamp: string) => void;
};

/** A local file with the bytes of an object. */
export type LocalObject = {
  readonly path: string;
  /** The hash of the bytes, from backends that have copied them. */
  readonly sha256?: string;
} & AsyncDisposable;

/** A copy of an object's bytes. */
export type OpenedObject = { readonly content: Content; readonly sha256: string } & AsyncDisposable;

/**
 * The contract of a backend (tested by objects.contract.ts). Keys are `/`-separated words of lower-case
 * letters, digits, `_`, `-` and `.`; a reader sees an object whole or not at all; times are milliseconds since 1970.
 */
export interface Objects {
  put(key: string, from: { readonly path: string } | Uint8Array, options?: PutOptions): Promise<"written" | "exists">;
  /** The bytes, which must be iterated, or undefined if there is no such object. */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** A backend that takes long may answer with what it knew at most `maxAgeMs` ago. */
  head(key: string, options?: { readonly maxAgeMs?: number }): Promise<ObjectHead | undefined>;
  /** All objects whose keys start with the prefix, in key order. */
  list(prefix: string): AsyncIterable<{ readonly key: string } & ObjectHead>;
  /** The names of the folders directly below a prefix that ends with `/`. */
  folders(prefix: string): AsyncIterable<string>;
  /** Moves an object to another key unless that key exists; false if nothing was moved. */
  move(from: string, to: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** The object as a local file until the handle is disposed; undefined if it does not exist. */
  local(key: string): Promise<LocalObject | undefined>;
  /** The bytes with their hash until the handle is disposed, for backends that copy them: small ones are in memory. */
  open?(key: string): Promise<OpenedObject | undefined>;
  /** The path of the object, for backends that store local files. */
  path?(key: string): string;
}

/** Why a service of objects does not work: each has its own sentence (artifacts/store-errors.ts). */
export type ObjectsFault =
  | "unreachable"
  | "busy"
  | "refused"
  | "no_bucket"
  | "clock"
  | "redirected"
  | "untrusted"
  | "full"
  | "failed";

/** The system error that is nearest to each fault, for code that treats all backends alike. */
const systemCodes: Readonly<Record<ObjectsFault, string>> = {
  unreachable: "EHOSTUNREACH",
  busy: "EBUSY",
  refused: "EACCES",
  no_bucket: "EACCES",
  clock: "EACCES",
  redirected: "EACCES",
  untrusted: "EACCES",
  full: "ENOSPC",
  failed: "EIO",
};

/** A failure of a backend that is a service, not a disk. */
export class ObjectsError extends Error {
  override readonly name = "ObjectsError";
  readonly fault: ObjectsFault;
  readonly code: string;

  constructor(fault: ObjectsFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.code = systemCodes[fault];
  }
}

/** Unfinished files. The sweeper deletes those of killed processes. */
export const temporaryPrefix = "tmp/";

const keyForm = /^(?!.*\.\.)[a-z0-9_.-]+(\/[a-z0-9_.-]+)*$/;

export const isKey = (name: string): boolean => keyForm.test(name);

/** Keys are made by our code, never by a user. An invalid key is a bug. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not an object key: ${JSON.stringify(key)}`);
}

/** Reads a small object whole. */
export async function readObject(objects: Objects, key: string): Promise<Buffer | undefined> {
  const chunks = await objects.get(key);
  return chunks && joinChunks(await Array.fromAsync(chunks));
}
