/** Watches the folders of indexes that are searched again and again, so that a search need not look at every file. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FolderWatch, openFolderWatch } from "./index/folder/folder-watch.ts";
import { createPause } from "./index/pause.ts";
import type { IndexLocation, IndexStore } from "./index/store/index-store.ts";

/** The watches by index; null where the folder cannot be watched. */
const watches = new WeakMap<IndexStore, FolderWatch | null>();

/** Whether the folder is watched and nothing in it has changed since the last look at it began. */
export async function isQuiet({ store }: Pick<IndexLocation, "store">): Promise<boolean> {
  const watch = watches.get(store);
  if (watch == null || !watch.isQuiet()) return false;
  // What happened before this call is reported at the latest when the event loop has come round once.
  await nextTurn();
  await nextTurn();
  return watch.isQuiet();
}

/** Looks at a folder that is watched from before the look on: what changes meanwhile counts as changed after it. */
export async function lookWatched<T>(
  { root, store }: Pick<IndexLocation, "root" | "store">,
  signal: AbortSignal,
  look: () => Promise<T>,
): Promise<T> {
  const current = watches.get(store);
  const watch = current === undefined || current?.isIdle() ? openFolderWatch(root) : current;
  watches.set(store, watch);
  if (watch === null) return look();
  const cover = () =>
    watch.cover(
      store.folders().map(({ path }) => path),
      createPause(signal),
    );
  await cover();
  watch.reset();
  try {
    return await look();
  } catch (error) {
    watch.markChanged(); // What has changed is still to be found.
    throw error;
  } finally {
    await cover(); // A folder that this look was the first to find was not watched while it was read.
  }
}
