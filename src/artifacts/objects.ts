/** Named byte strings kept somewhere: the only thing a place to store artifacts has to provide. */
import { joinChunks } from "../acquire/chunks.ts";

export type ByteRange = { readonly start: number; readonly end: number };

export type ObjectHead = { readonly sizeBytes: number; readonly touchedAt: number };

export type PutOptions = {
  /** Leave an object that is there already as it is. */
  readonly ifAbsent?: boolean;
  /** False for what can be made again: it is still whole or absent, but may be lost with the power. */
  readonly durable?: boolean;
};

/**
 * The contract of a backend (objects.contract.ts states it as tests). Keys are `/`-separated words of lower-case
 * letters, digits, `_`, `-` and `.`; a reader sees an object whole or not at all; times are milliseconds since 1970.
 */
export interface Objects {
  put(key: string, from: { readonly path: string } | Uint8Array, options?: PutOptions): Promise<"written" | "exists">;
  /** The bytes, which must be iterated, or undefined when there is no such object. */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** All objects whose keys begin so, in the order of their keys. */
  list(prefix: string): AsyncIterable<{ readonly key: string } & ObjectHead>;
  /** Marks an object as used now; false when it is not there. */
  touch(key: string): Promise<boolean>;
  /** Gives an object another key unless that one is taken; false when nothing was moved. */
  move(from: string, to: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** The object as a file on this machine, as long as the handle is held; undefined when it is not there. */
  local(key: string): Promise<({ readonly path: string } & AsyncDisposable) | undefined>;
  /** Where the object lies, for backends whose objects are files of this machine anyway. */
  path?(key: string): string;
}

/** Unfinished files live here; a killed process leaves them behind and the sweeper takes them away. */
export const temporaryPrefix = "tmp/";

const keyForm = /^(?!.*\.\.)[a-z0-9_.-]+(\/[a-z0-9_.-]+)*$/;

export const isKey = (name: string): boolean => keyForm.test(name);

/** Keys are made by us, never by a user; one that breaks the form is a mistake of ours. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not an object key: ${JSON.stringify(key)}`);
}

/** Reads a small object whole. */
export async function readObject(objects: Objects, key: string): Promise<Buffer | undefined> {
  const chunks = await objects.get(key);
  return chunks && joinChunks(await Array.fromAsync(chunks));
}
