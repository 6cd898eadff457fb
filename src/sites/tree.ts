/** The tree of a repository in few words. */
import { formatSize } from "../system/quantities.ts";

export type TreeEntry = { readonly path: string; readonly isFolder: boolean; readonly sizeBytes: number | undefined };

const MAX_TREE_ENTRIES = 200;

/** The entries nearest to the root, as many as are shown: a line for each folder, with what lies in it. */
export function writeTree(entries: readonly TreeEntry[], isCut: boolean): string {
  const depth = ({ path }: TreeEntry) => path.split("/").length;
  const shown = entries.toSorted((one, other) => depth(one) - depth(other)).slice(0, MAX_TREE_ENTRIES);
  const folders = Object.groupBy(shown, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  const lines = Object.keys(folders)
    .toSorted()
    .map(
      (folder) => `- ${folder || "/"}: ${(folders[folder] ?? []).map((entry) => writeEntry(entry, folder)).join(", ")}`,
    );
  const missing = entries.length - shown.length;
  const count = isCut ? "more" : `${missing} more`;
  if (missing > 0 || isCut) lines.push(`- and ${count}, deeper in the tree; fetch the address of a folder to list it`);
  return lines.join("\n");
}

/** A file smaller than this is listed without its size. */
const MIN_NAMED_SIZE_BYTES = 100_000;

function writeEntry({ path, isFolder, sizeBytes = 0 }: TreeEntry, folder: string): string {
  const size = sizeBytes < MIN_NAMED_SIZE_BYTES ? "" : ` (${formatSize(sizeBytes)})`;
  return `${path.slice(folder.length)}${isFolder ? "/" : size}`;
}
