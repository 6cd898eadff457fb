/** The contract of archive formats: a listing, and one member as a stream. Nothing is unpacked to disk. */
import type { Body } from "../../detect/kind.ts";
import { escapePath } from "../../system/safe-names.ts";

export type ArchiveMember = {
  /** The path inside the archive. */
  readonly name: string;
  /** As listed; null if only unpacking would tell. */
  readonly sizeBytes: number | null;
  readonly isFolder: boolean;
  readonly isEncrypted?: boolean;
};

export type ArchiveFormat = {
  /** The members in order. Ends early by an FailureError if the archive is damaged or too large. */
  list(body: Body, options: ArchiveOptions): AsyncIterable<ArchiveMember>;
  /** The bytes of the first file whose path is wanted, or undefined if there is none. */
  open(body: Body, isWanted: IsWanted, options: ArchiveOptions): Promise<AsyncIterable<Uint8Array> | undefined>;
};

/** Whether this is the path that was asked for. */
export type IsWanted = (path: string) => boolean;

export type ArchiveOptions = {
  /** The name of the archive: a compressed file is called after it. */
  readonly archiveName: string;
};

/** Bytes unpacked to list an archive or to find a member. More than this is refused, as is what shrinks too far. */
export const MAX_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024;

/** A path as listings show it: on one line, nothing invisible, without the `./` that some writers put in front. */
export function toListedPath(path: string): string {
  return escapePath(path.replace(/^(\.?\/)+/, ""));
}
