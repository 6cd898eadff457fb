/** Watches the folders of a tree, to know in which of them anything has changed. */
import { type FSWatcher, readFileSync, statfsSync, statSync, watch as watchSystem } from "node:fs";
import { basename, join } from "node:path";
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
  /** Which folder is at the path now; null where there is none. */
  readonly identify?: (root: string) => string | null;
  readonly limits?: WatchLimits;
};

/** What the system allows: watches of one user, and changes that wait to be reported. */
type WatchLimits = { readonly watches: number; readonly queuedChanges: number };

/** Each folder takes about a kilobyte of this process and one of the system. */
const MAX_WATCHED_FOLDERS = 100_000;
/** The share of a user's watches that one process takes: editors and builds watch the same trees. */
const WATCH_SHARE = 1 / 2;
/** The folders that this process watches, in all trees. */
let watchedFolders = 0;

/** A watch that is not used for so long is closed; one that has failed is tried again. */
const IDLE_MS = 600_000;

/** A watch that covers nothing yet; null where changes may happen that the system does not report. */
export function openFolderWatch(
  root: string,
  { watch = watchOne, isLocal = isLocalDisk, identify = identifyFolder, limits = readLimits() }: WatchOptions = {},
): FolderWatch | null {
  if (!isLocal(root)) return null;
  const maxFolders = Math.min(MAX_WATCHED_FOLDERS, Math.floor(limits.watches * WATCH_SHARE));
  const watched = new Map<string, Disposable>();
  const changed = new Set<string>();
  /** Watched folders that were removed or renamed: another one may be in their place. */
  const renamed = new Set<string>();
  let isUnknown = true;
  /** The folder that is watched as the root; null while none is, or if another one may be in its place. */
  let watchedRoot: string | null = null;
  /** The version of the folders that are all watched; null if some may not be. */
  let coveredVersion: number | null = null;
  let state: WatchState = "open";
  const close = (reason: "idle" | "failed") => {
    state = reason;
    for (const folder of watched.keys()) stopWatching(folder);
    openWatches.delete(markUnknown);
    if (reason === "idle") clearTimeout(idle);
    else idle.refresh();
  };
  const fail = () => close("failed");
  const idle = setTimeout(close, IDLE_MS, "idle").unref();
  const markUnknown = () => {
    isUnknown = true;
  };
  openWatches.add(markUnknown);

  async function cover({ version, paths }: FolderSet, pause: Pause): Promise<void> {
    const replaced = [...renamed];
    renamed.clear();
    if (!isRootWatched()) watchNewRoot();
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

  /** The folders of another root are other folders, and their watches report only what happens in the old ones. */
  function watchNewRoot(): void {
    for (const folder of watched.keys()) stopWatching(folder);
    // Identified before it is watched: one that is replaced in between is found by the next comparison.
    watchedRoot = identify(root);
    coveredVersion = null;
    isUnknown = true;
  }

  /** Where a folder above the root is replaced, the system reports nothing. */
  const isRootWatched = () => watchedRoot !== null && identify(root) === watchedRoot;

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
      countChange(limits.queuedChanges);
      changed.add(folder);
      if (name === null) isUnknown = true;
      else if (type === "rename") noteRenamed(folder, name);
    };
    try {
      watched.set(folder, watch(join(root, folder), onChange, fail));
      watchedFolders++;
      return true;
    } catch (error) {
      // Every further folder would meet a limit of the system. Any other error is of this folder: it may have gone.
      if (limitErrors.has(systemCode(error) ?? "")) fail();
      return false;
    }
  }

  /** The end of a watched folder is reported under its own name. A new folder in its place may have the same inode. */
  function noteRenamed(folder: string, name: string): void {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (watched.has(path)) renamed.add(path);
    if (folder === "" && name === basename(root)) watchedRoot = null;
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
    markUnknown,
    isQuiet() {
      if (state === "open") idle.refresh();
      return state === "open" && changed.size === 0 && !isUnknown && isRootWatched();
    },
    state: () => state,
    [Symbol.dispose]: () => close("idle"),
  };
}

/** What marks the watches that are open in this process: they share one queue of the system. */
const openWatches = new Set<() => void>();
/** The changes that were reported in this turn of the event loop, in all trees. */
let turnChanges = 0;

/** The system drops changes while its queue is full. It is emptied in one turn of the event loop. */
function countChange(queuedChanges: number): void {
  if (turnChanges === 0) setImmediate(startTurn);
  turnChanges++;
  if (turnChanges >= queuedChanges / 2) for (const markUnknown of openWatches) markUnknown();
}

function startTurn(): void {
  turnChanges = 0;
}

/** The system's limits: watches of a user, queues of a user, files of a process and of the system, and memory. */
const limitErrors = new Set(["ENOSPC", "EMFILE", "ENFILE", "ENOMEM"]);

function watchOne(folder: string, onChange: OnChange, onError: () => void): Disposable {
  const watcher: FSWatcher = watchSystem(folder, { persistent: false }, onChange);
  watcher.on("error", onError);
  return { [Symbol.dispose]: () => watcher.close() };
}

function identifyFolder(root: string): string | null {
  try {
    const { dev, ino } = statSync(root, { bigint: true });
    return `${dev}.${ino}`;
  } catch {
    return null; // It cannot be watched either.
  }
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

/** The smallest defaults of Linux. */
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
