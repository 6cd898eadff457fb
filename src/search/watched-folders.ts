/** Watches the folders of indexes that are searched again and again, so that a search need not look at every file. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FolderWatch, openFolderWatch } from "./index/folder/folder-watch.ts";
import { createPause } from "./index/pause.ts";
import type { IndexLocation, IndexStore } from "./index/store/index-store.ts";

/** A watch, and when every file was last looked at, by the monotonic clock. */
type WatchedTree = { readonly watch: FolderWatch; wholeLookAt: number };

/** The watches by index; null where the folder cannot be watched. */
const watches = new WeakMap<IndexStore, WatchedTree | null>();

/** Every file of a watched folder is looked at this often: not every change is reported (a file that is mapped, ...). */
const WHOLE_LOOK_INTERVAL_MS = 60_000;

/** Whether the folder is watched and nothing in it has changed since the last look at it began. */
export async function isQuiet({ store }: Pick<IndexLocation, "store">): Promise<boolean> {
  const watch = watches.get(store)?.watch;
  if (watch === undefined || !watch.isQuiet()) return false;
  // What happened before this call is reported at the latest when the event loop has come round once.
  await nextTurn();
  await nextTurn();
  return watch.isQuiet();
}

/** Whether a look at every file is due, although nothing has been reported. */
export function isWholeLookDue({ store }: Pick<IndexLocation, "store">): boolean {
  const tree = watches.get(store);
  return tree != null && performance.now() - tree.wholeLookAt >= WHOLE_LOOK_INTERVAL_MS;
}

/**
 * Looks at a folder that is watched from before the look on: what changes meanwhile counts as changed after it. `look` gets
 * the folders that have to be looked at; null for all.
 */
export async function lookWatched<T>(
  location: Pick<IndexLocation, "root" | "store">,
  signal: AbortSignal,
  look: (changed: ReadonlySet<string> | null) => Promise<T>,
): Promise<T> {
  const tree = openTree(location);
  if (tree === null) return look(null);
  const cover = () => tree.watch.cover(location.store.folderPaths(), createPause(signal));
  await cover();
  await nextTurn();
  await nextTurn();
  const isWhole = isWholeLookDue(location);
  const reported = tree.watch.takeChanged();
  const changed = isWhole ? null : reported;
  if (changed === null) tree.wholeLookAt = performance.now();
  try {
    return await look(changed);
  } catch (error) {
    tree.watch.markUnknown(); // What has changed is still to be found.
    throw error;
  } finally {
    await cover(); // A folder that this look was the first to find was not watched while it was read.
  }
}

function openTree({ root, store }: Pick<IndexLocation, "root" | "store">): WatchedTree | null {
  const current = watches.get(store);
  if (current === null || (current !== undefined && !current.watch.isIdle())) return current;
  const watch = openFolderWatch(root);
  const tree = watch && { watch, wholeLookAt: -Infinity };
  watches.set(store, tree);
  return tree;
}
