/** Watches the folders of a tree, to know in which of them anything has changed. */
import { type FSWatcher, readFileSync, statfsSync, watch as watchSystem } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../../errors.ts";
import type { Pause } from "../pause.ts";

/** A watched tree. It closes itself when it is not used for a while. */
export type FolderWatch = Disposable & {
  /** Watches these folders, and no others. One that was not watched before counts as changed. */
  cover(folders: FolderSet, pause: Pause): Promise<void>;
  /** The folders in which something has changed since the last call; null if that is not known. */
  takeChanged(): ReadonlySet<string> | null;
  /** From now on it is not known what has changed, until the next call of `takeChanged`. */
  markUnknown(): void;
  /** Whether all folders are watched and nothing in them has changed since the last call of `takeChanged`. */
  isQuiet(): boolean;
  /** `failed` where not all folders can be watched; `idle` after a while without use or a failure: another one can be opened. */
  state(): WatchState;
};

type WatchState = "open" | "idle" | "failed";

/** The folders of a tree. As long as the version is the same, the paths are not asked for again. */
export type FolderSet = { readonly version: number; paths(): readonly string[] };

/** What the system reports: an entry of a folder was written, or one was added, removed or renamed. */
type OnChange = (type: "change" | "rename", name: string | null) => void;

type WatchOptions = {
  /** Calls back for every change in a folder, and throws where it cannot be watched. */
  readonly watch?: (folder: string, onChange: OnChange, onError: () => void) => Disposable;
  readonly isLocal?: (root: string) => boolean;
  readonly limits?: WatchLimits;
};

/** What the system allows: watches of one user, and changes that wait to be reported. */
type WatchLimits = { readonly watches: number; readonly queuedChanges: number };

/** Each folder takes about a kilobyte of this process and one of the system. */
const MAX_WATCHED_FOLDERS = 100_000;
/** The share of a user's watches that this process takes: editors and builds watch the same trees. */
const WATCH_SHARE = 1 / 2;
/** The folders that this process watches, in all trees. */
let watchedFolders = 0;

/** A watch that is not used for so long is closed; one that has failed is tried again. */
const IDLE_MS = 600_000;

/** A watch that covers nothing yet; null where changes may happen that the system does not report. */
export function openFolderWatch(
  root: string,
  { watch = watchOne, isLocal = isLocalDisk, limits = readLimits() }: WatchOptions = {},
): FolderWatch | null {
  if (!isLocal(root)) return null;
  const maxFolders = Math.min(MAX_WATCHED_FOLDERS, Math.floor(limits.watches * WATCH_SHARE));
  const watched = new Map<string, Disposable>();
  const changed = new Set<string>();
  /** Entries that were added, removed or renamed: a watch of a folder there may be of one that has gone. */
  const renamed = new Set<string>();
  let isUnknown = true;
  /** The version of the folders that are all watched; null if some may not be. */
  let coveredVersion: number | null = null;
  let state: WatchState = "open";
  const close = (reason: "idle" | "failed") => {
    state = reason;
    for (const folder of watched.keys()) stopWatching(folder);
    if (reason === "idle") clearTimeout(idle);
    else idle.refresh();
  };
  const fail = () => close("failed");
  const idle = setTimeout(close, IDLE_MS, "idle").unref();
  const countChange = createBurstCounter(limits.queuedChanges, () => {
    isUnknown = true;
  });

  async function cover({ version, paths }: FolderSet, pause: Pause): Promise<void> {
    const replaced = [...renamed].filter((path) => watched.has(path));
    renamed.clear();
    if (state !== "open" || (version === coveredVersion && replaced.length === 0)) return;
    coveredVersion = null;
    const wanted = new Set(paths());
    stopBelow(replaced);
    for (const folder of watched.keys()) if (!wanted.has(folder)) stopWatching(folder);
    if (watchedFolders - watched.size + wanted.size > maxFolders) fail();
    let isComplete = true;
    for (const folder of wanted) {
      if (state !== "open") return;
      if (watched.has(folder)) continue;
      isComplete = startWatching(folder) && isComplete;
      await pause();
    }
    if (isComplete) coveredVersion = version;
  }

  function stopBelow(tops: readonly string[]): void {
    if (tops.length === 0) return;
    for (const folder of watched.keys()) {
      if (tops.some((top) => folder === top || folder.startsWith(`${top}/`))) stopWatching(folder);
    }
  }

  /** Whether the folder is watched now. */
  function startWatching(folder: string): boolean {
    changed.add(folder);
    const onChange: OnChange = (type, name) => {
      countChange();
      changed.add(folder);
      if (name === null) isUnknown = true;
      else if (type === "rename") renamed.add(folder === "" ? name : `${folder}/${name}`);
    };
    try {
      watched.set(folder, watch(join(root, folder), onChange, fail));
      watchedFolders++;
      return true;
    } catch (error) {
      // A folder may have gone; any other error is the system's limit of watches, which every further folder would meet.
      if (systemCode(error) !== "ENOENT") fail();
      return false;
    }
  }

  function stopWatching(folder: string): void {
    watched.get(folder)?.[Symbol.dispose]();
    if (watched.delete(folder)) watchedFolders--;
  }

  return {
    cover,
    takeChanged() {
      const taken = isUnknown || state !== "open" ? null : new Set(changed);
      changed.clear();
      isUnknown = false;
      return taken;
    },
    markUnknown() {
      isUnknown = true;
    },
    isQuiet() {
      if (state === "open") idle.refresh();
      return state === "open" && changed.size === 0 && !isUnknown;
    },
    state: () => state,
    [Symbol.dispose]: () => close("idle"),
  };
}

/**
 * Calls `onBurst` where the system may have dropped changes: its queue is full after so many, and it is emptied in one
 * turn of the event loop.
 */
function createBurstCounter(queuedChanges: number, onBurst: () => void): () => void {
  let count = 0;
  const startTurn = () => {
    count = 0;
  };
  return () => {
    if (count === 0) setImmediate(startTurn);
    count++;
    if (count === Math.ceil(queuedChanges / 2)) onBurst();
  };
}

function watchOne(folder: string, onChange: OnChange, onError: () => void): Disposable {
  const watcher: FSWatcher = watchSystem(folder, { persistent: false }, onChange);
  watcher.on("error", onError);
  return { [Symbol.dispose]: () => watcher.close() };
}

/** ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, and the layers of containers, by the numbers that Linux gives them. */
const localDisks = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630]);

/** Other machines may change what is on a network disk, and the system does not report that. */
function isLocalDisk(root: string): boolean {
  try {
    return process.platform === "linux" && localDisks.has(statfsSync(root).type);
  } catch {
    return false;
  }
}

/** The smallest that Linux sets by itself. */
const minLimits: WatchLimits = { watches: 8_192, queuedChanges: 16_384 };

function readLimits(): WatchLimits {
  const watches = readLimit("max_user_watches") ?? minLimits.watches;
  return { watches, queuedChanges: readLimit("max_queued_events") ?? minLimits.queuedChanges };
}

/** Null where the system does not say. */
function readLimit(name: string): number | null {
  try {
    return Number.parseInt(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"), 10) || null;
  } catch {
    return null;
  }
}
