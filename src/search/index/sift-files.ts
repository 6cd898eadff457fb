/** Compares the files of a folder with what is stored of them: most are unchanged, and only the others are read. */
import { isDocument } from "./file-roles.ts";
import { findNamedLimit } from "./folder/source-file.ts";
import type { FoundFile, SkippedFile } from "./folder/walk-folder.ts";
import type { IndexStore, StoredFile, StoredSkip } from "./store/index-store.ts";
import { collectRows, openRowsInOrder, type RowsInOrder } from "./store/rows-in-order.ts";

/** What is stored, by path. A look takes out what it finds again: what is left at the end is gone. */
type KnownFiles = { readonly files: RowsInOrder<StoredFile>; readonly skips: RowsInOrder<StoredSkip> };

/** All stored files, read as they are needed: a large tree has hundreds of thousands. */
export const knownInOrder = (store: IndexStore): KnownFiles => {
  return { files: openRowsInOrder(store.files), skips: openRowsInOrder(store.skippedFiles) };
};

/** The stored files that are directly in these folders, and how many are in others. */
export function knownIn(store: IndexStore, folders: readonly string[]) {
  const files = store.files({ in: folders });
  const skips = store.skippedFiles({ in: folders });
  const elsewhere = { files: store.fileCount() - files.length, skips: store.skippedCount() - skips.length };
  return { known: { files: collectRows(files), skips: collectRows(skips) }, elsewhere };
}

type SiftOptions = { readonly force?: boolean; readonly maxFileBytes: number };

/** A file that has to be read, and what is stored of it. */
export type ChangedFile = { readonly file: FoundFile; readonly stored: StoredFile | undefined };

/** Keeps the changed files; the others are only counted, because keeping them would take megabytes. */
export function createSieve(known: KnownFiles, options: SiftOptions, addSkipped: (file: SkippedFile) => void) {
  const changed: ChangedFile[] = [];
  let unchanged = 0;
  return {
    add(file: FoundFile): void {
      const stored = known.files.take(file.path);
      if (isUnchanged(file, stored, options)) {
        unchanged++;
        return;
      }
      const skip = stored === undefined ? known.skips.take(file.path) : undefined;
      if (skip !== undefined && isKnownSkip(file, skip, options)) {
        addSkipped({ path: file.path, reason: skip.reason, isRetryable: false });
        unchanged++;
      } else changed.push({ file, stored });
    },
    /** The changed files, how many others there are, and the paths of those that are gone. */
    finish: () => ({ changed, unchanged, goneFiles: pathsOf(known.files), goneSkips: pathsOf(known.skips) }),
  };
}

const pathsOf = (rows: RowsInOrder<{ readonly path: string }>): string[] => rows.rest().map(({ path }) => path);

function isUnchanged(
  file: FoundFile,
  storedFile: StoredFile | undefined,
  { force, maxFileBytes }: SiftOptions,
): boolean {
  if (force || storedFile?.stamp !== file.stamp) return false;
  // The limits depend on the path, but hardly any file is near them.
  if (storedFile.outline === null && file.sizeBytes <= maxFileBytes * DOCUMENT_SHARE) return true;
  return isStoredRight(storedFile, file.sizeBytes, limitsFor(file.path, maxFileBytes));
}

/** Whether a file was skipped before and has not changed since: it is not read again. */
function isKnownSkip({ path, stamp }: FoundFile, skip: StoredSkip, { force, maxFileBytes }: SiftOptions): boolean {
  return !force && skip.stamp === stamp && !wasForOtherSize(skip.reason, limitsFor(path, maxFileBytes));
}

/** Up to which size a file is indexed whole, and up to which by its definitions. */
type SizeLimits = { readonly wholeBytes: number; readonly outlineBytes: number };

/** Documents and data are indexed whole up to this share of the limit for source: a large one is rarely what is asked for. */
const DOCUMENT_SHARE = 1 / 4;
/** Source is indexed by its definitions up to so many times the limit. */
const OUTLINE_FACTOR = 4;

/** The limits for a file of this name. */
export function limitsFor(path: string, maxFileBytes: number): SizeLimits {
  if (!isDocument(path)) return { wholeBytes: maxFileBytes, outlineBytes: maxFileBytes * OUTLINE_FACTOR };
  const wholeBytes = Math.floor(maxFileBytes * DOCUMENT_SHARE);
  return { wholeBytes, outlineBytes: wholeBytes };
}

/** Whether a file of this size is stored whole or by its definitions, as the limits say. */
export function isStoredRight({ outline }: StoredFile, sizeBytes: number, limits: SizeLimits): boolean {
  return outline === null ? sizeBytes <= limits.wholeBytes : !wasForOtherSize(outline, limits);
}

/** Whether a file was skipped or outlined because of a size limit that has changed since. */
function wasForOtherSize(reason: string, { wholeBytes, outlineBytes }: SizeLimits): boolean {
  const limit = findNamedLimit(reason);
  return limit !== null && limit !== wholeBytes && limit !== outlineBytes;
}
