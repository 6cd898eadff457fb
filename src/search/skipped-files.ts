/** Names the text files that a search could not look into. */
import type { SkippedFiles } from "../contract/search-fields.ts";
import { escapePath } from "../system/safe-names.ts";
import { makePathFilter } from "./filter-files.ts";
import { findNamedLimit } from "./index/folder/source-file.ts";
import { sizeOfStamp } from "./index/folder/walk-folder.ts";
import { LONG_LINES } from "./index/outline.ts";
import type { PreparedIndex } from "./prepared-index.ts";
import { resolveDirectory, type SearchParameters } from "./search-input.ts";

/** The skipped text files that pass the filters, in all indexes; null where there are none. */
export async function findSkippedFiles(
  indexes: readonly PreparedIndex[],
  parameters: SearchParameters,
): Promise<SkippedFiles | null> {
  let count = 0;
  let largest = { path: "", sizeBytes: -1 };
  for (const index of indexes) {
    const { root } = index.repository;
    const passes = makePathFilter(resolveDirectory(parameters, root));
    const skips = await index.use(({ store }) => store.skippedFiles());
    for (const { path, stamp, reason } of skips) {
      if (!isText(reason) || !passes(path)) continue;
      count++;
      const sizeBytes = sizeOfStamp(stamp);
      if (sizeBytes > largest.sizeBytes) largest = { path: indexes.length > 1 ? `${root}/${path}` : path, sizeBytes };
    }
  }
  return count === 0 ? null : { count, largest: escapePath(largest.path), largest_bytes: largest.sizeBytes };
}

/** Images and programs are skipped too, and are not missed. */
function isText(reason: string): boolean {
  return findNamedLimit(reason) !== null || reason === LONG_LINES || reason.startsWith("charset ");
}
