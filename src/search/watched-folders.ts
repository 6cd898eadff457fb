/** Watches the folders of indexes that are searched again and again, so that a search need not look at every file. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FolderWatch, openFolderWatch } from "./index/folder/folder-watch.ts";
import { createPause } from "./index/pause.ts";
import type { IndexLocation } from "./index/segments/segment-store.ts";
import type { IndexStore } from "./index/store/index-store.ts";
import type { UpdateReport } from "./index/update-index.ts";
import { onRepositoryClosed } from "./repository/repository.ts";

type WatchedTree = {
  /** Null where the folder cannot be watched. */
  readonly watch: FolderWatch | null;
  /** When the last look at every file began and ended, by the monotonic clock. */
  wholeLook: { readonly startedAt: number; readonly endedAt: number };
  /** How long a look at every file takes in which nothing has changed. */
  wholeLookMs: number;
  /** Whether reported changes are being looked at. */
  isLooking: boolean;
};

const trees = new WeakMap<IndexStore, WatchedTree>();

// Watches count against the limit of the system as long as they are open.
onRepositoryClosed(({ store }) => trees.get(store)?.watch?.[Symbol.dispose]());

type Indexed = Pick<IndexLocation, "store">;

/** What tests decide: the clock, and whether a folder can be watched. */
export type WatchSystem = {
  readonly now: () => number;
  readonly openWatch: (root: string) => FolderWatch | null;
};

const realSystem: WatchSystem = { now: () => performance.now(), openWatch: openFolderWatch };

/** Every file of a watched folder is looked at this often: not every change is reported (a file that is mapped, ...). */
const WHOLE_LOOK_INTERVAL_MS = 60_000;
/** Looks at every file of a watched folder take at most this share of the time. */
const WATCHED_LOOK_SHARE = 1 / 30;
/** So do looks at a folder that cannot be watched, where they take longer than a search waits. */
const UNWATCHED_LOOK_SHARE = 1 / 10;

/** Whether the folder is watched, and every change in it that was reported has been looked at. */
export async function isQuiet({ store }: Indexed): Promise<boolean> {
  const tree = trees.get(store);
  if (!tree?.watch?.isQuiet()) return false;
  // What happened before this call is reported at the latest when the event loop has come round once.
  await nextTurn();
  await nextTurn();
  return tree.watch.isQuiet() && !tree.isLooking;
}

/** Whether a look at every file is due, although nothing has been reported. */
export function isWholeLookDue({ store }: Indexed, { now } = realSystem): boolean {
  const tree = trees.get(store);
  if (tree === undefined) return false;
  const interval = Math.max(WHOLE_LOOK_INTERVAL_MS, tree.wholeLookMs / WATCHED_LOOK_SHARE);
  return now() - tree.wholeLook.startedAt >= interval;
}

/** Whether the folder is not watched and a look at every file takes longer than this. */
export function isLookLong({ store }: Indexed, waitMs: number): boolean {
  const tree = trees.get(store);
  return tree !== undefined && tree.watch?.state() !== "open" && tree.wholeLookMs > waitMs;
}

/** Whether the last look at every file has just ended, compared with the time that it took. */
export function isLookRecent({ store }: Indexed, { now } = realSystem): boolean {
  const tree = trees.get(store);
  if (tree === undefined) return false;
  const interval = Math.min(WHOLE_LOOK_INTERVAL_MS, tree.wholeLookMs / UNWATCHED_LOOK_SHARE);
  return now() - tree.wholeLook.endedAt < interval;
}

/**
 * Looks at a folder that is watched from before the look on: what changes meanwhile counts as changed after it. `look` gets
 * the folders that have to be looked at; null for all.
 */
export async function lookWatched(
  location: Pick<IndexLocation, "root" | "store">,
  signal: AbortSignal,
  look: (changed: ReadonlySet<string> | null) => Promise<UpdateReport>,
  system = realSystem,
): Promise<UpdateReport> {
  const { store } = location;
  const tree = openTree(location, system);
  const { watch } = tree;
  if (watch === null) return lookAtAll(tree, look, system);
  const cover = () =>
    watch.cover({ version: store.foldersVersion(), paths: () => store.folderPaths() }, createPause(signal));
  await cover();
  await nextTurn();
  await nextTurn();
  const isDue = isWholeLookDue(location, system);
  const changed = watch.takeChanged();
  tree.isLooking = changed === null || changed.size > 0;
  try {
    return await (changed === null || isDue ? lookAtAll(tree, look, system) : look(changed));
  } catch (error) {
    watch.markUnknown(); // What has changed is still to be found.
    throw error;
  } finally {
    tree.isLooking = false;
    await cover(); // A folder that this look was the first to find was not watched while it was read.
  }
}

async function lookAtAll(
  tree: WatchedTree,
  look: (changed: null) => Promise<UpdateReport>,
  { now }: WatchSystem,
): Promise<UpdateReport> {
  const startedAt = now();
  tree.wholeLook = { ...tree.wholeLook, startedAt };
  const report = await look(null);
  tree.wholeLook = { startedAt, endedAt: now() };
  if (report.indexed + report.removed === 0) tree.wholeLookMs = now() - startedAt;
  return report;
}

function openTree({ root, store }: Pick<IndexLocation, "root" | "store">, { openWatch }: WatchSystem): WatchedTree {
  const current = trees.get(store);
  if (current !== undefined && current.watch?.state() !== "idle") return current;
  const never = { startedAt: -Infinity, endedAt: -Infinity };
  const tree = { watch: openWatch(root), wholeLook: never, wholeLookMs: current?.wholeLookMs ?? 0, isLooking: false };
  trees.set(store, tree);
  return tree;
}
