/** Watches the folders of a tree, to know in which of them anything has changed. */
import { type FSWatcher, statfsSync, watch as watchSystem } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../../errors.ts";
import type { Pause } from "../pause.ts";

/** A watched tree. It closes itself when it is not used for a while. */
export type FolderWatch = Disposable & {
  /** Watches these folders, and no others. One that was not watched before counts as changed. */
  cover(folders: readonly string[], pause: Pause): Promise<void>;
  /** The folders in which something has changed since the last call; null if that is not known. */
  takeChanged(): ReadonlySet<string> | null;
  /** From now on it is not known what has changed, until the next call of `takeChanged`. */
  markUnknown(): void;
  /** Whether all folders are watched and nothing in them has changed since the last call of `takeChanged`. */
  isQuiet(): boolean;
  /** Whether it was closed because it was not used; another one can be opened. */
  isIdle(): boolean;
};

/** What the system reports: an entry of a folder was written, or one was added, removed or renamed. */
type OnChange = (type: "change" | "rename", name: string | null) => void;

type WatchOptions = {
  /** Calls back for every change in a folder, and throws where it cannot be watched. */
  readonly watch?: (folder: string, onChange: OnChange, onError: () => void) => Disposable;
  readonly isLocal?: (root: string) => boolean;
};

/** Each folder costs the system a watch and this process about two kilobytes. */
const MAX_WATCHED_FOLDERS = 20_000;
const IDLE_MS = 600_000;

/** A watch that covers nothing yet; null where changes may happen that the system does not report. */
export function openFolderWatch(
  root: string,
  { watch = watchOne, isLocal = isLocalDisk }: WatchOptions = {},
): FolderWatch | null {
  if (!isLocal(root)) return null;
  const watched = new Map<string, Disposable>();
  const changed = new Set<string>();
  /** Entries that were added, removed or renamed: a watch of a folder there may be of one that has gone. */
  const renamed = new Set<string>();
  let isUnknown = true;
  let state: "open" | "idle" | "failed" = "open";
  const close = (reason: "idle" | "failed") => {
    state = reason;
    for (const each of watched.values()) each[Symbol.dispose]();
    watched.clear();
    clearTimeout(idle);
  };
  const fail = () => close("failed");
  const idle = setTimeout(close, IDLE_MS, "idle").unref();

  async function cover(folders: readonly string[], pause: Pause): Promise<void> {
    const wanted = new Set(folders);
    if (wanted.size > MAX_WATCHED_FOLDERS) fail();
    stopBelow(renamed);
    renamed.clear();
    for (const folder of watched.keys()) if (!wanted.has(folder)) stopWatching(folder);
    for (const folder of wanted) {
      if (state !== "open") return;
      if (watched.has(folder)) continue;
      startWatching(folder);
      await pause();
    }
  }

  function stopBelow(paths: ReadonlySet<string>): void {
    const tops = [...paths].filter((path) => watched.has(path));
    if (tops.length === 0) return;
    for (const folder of watched.keys()) {
      if (tops.some((top) => folder === top || folder.startsWith(`${top}/`))) stopWatching(folder);
    }
  }

  function startWatching(folder: string): void {
    changed.add(folder);
    const onChange: OnChange = (type, name) => {
      changed.add(folder);
      if (name === null) isUnknown = true;
      else if (type === "rename") renamed.add(folder === "" ? name : `${folder}/${name}`);
    };
    try {
      watched.set(folder, watch(join(root, folder), onChange, fail));
    } catch (error) {
      // A folder may have gone; any other error is the system's limit of watches, which every further folder would meet.
      if (systemCode(error) !== "ENOENT") fail();
    }
  }

  function stopWatching(folder: string): void {
    watched.get(folder)?.[Symbol.dispose]();
    watched.delete(folder);
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
      idle.refresh();
      return state === "open" && changed.size === 0 && !isUnknown;
    },
    isIdle: () => state === "idle",
    [Symbol.dispose]: () => close("idle"),
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
