/** Watches a folder for changes. */
import { watch as watchSystem } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Changes come in bursts: a branch switch touches hundreds of files at once. */
const SETTLE_MS = 200;
/** Where the system does not report changes (a network disk, too many folders), the caller checks this often. */
const CHECK_INTERVAL_MS = 30_000;

/** Options of `watchFolder`. */
export type WatchOptions = {
  /** Folders whose changes do not count. */
  readonly hidden?: ReadonlySet<string>;
  /** The names of changed files, as the system reports them. */
  readonly watch?: (root: string, signal: AbortSignal) => AsyncIterable<{ readonly filename: string | null }>;
  /** How to wait; returns early when aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Yields after each burst of changes outside `hidden`, and regularly without a change, until aborted. */
export async function* watchFolder(
  root: string,
  signal: AbortSignal,
  { hidden = new Set(), watch = watchRecursively, sleep = sleepByClock }: WatchOptions = {},
): AsyncGenerator<void> {
  const change = createFlag(sleep);
  const isHidden = (path: string) => hidden.values().some((each) => path === each || path.startsWith(each + sep));
  const onChange = (name: string | null) => {
    if (name === null || !isHidden(join(root, name))) change.set();
  };
  void watchUntilAborted(watch(root, signal), onChange);
  while (!signal.aborted) {
    await change.wait(CHECK_INTERVAL_MS, signal);
    await sleep(SETTLE_MS, signal);
    change.reset();
    if (!signal.aborted) yield;
  }
}

function watchRecursively(root: string, signal: AbortSignal) {
  return watchSystem(root, { recursive: true, signal, overflow: "ignore" });
}

/** Returns early where the folder cannot be watched: then only the regular checks remain. */
async function watchUntilAborted(
  changes: AsyncIterable<{ readonly filename: string | null }>,
  onChange: (name: string | null) => void,
): Promise<void> {
  try {
    for await (const { filename } of changes) onChange(filename);
  } catch {
    // Aborted, or the system's limit of watches is reached.
  }
}

/** A flag that can be waited for. */
function createFlag(sleep: NonNullable<WatchOptions["sleep"]>) {
  let flag = Promise.withResolvers<void>();
  return {
    set: () => flag.resolve(),
    reset: () => {
      flag = Promise.withResolvers();
    },
    async wait(maxMs: number, signal: AbortSignal): Promise<void> {
      const done = new AbortController();
      await Promise.race([flag.promise, sleep(maxMs, AbortSignal.any([signal, done.signal]))]);
      done.abort();
    },
  };
}

/** Returns early when aborted. */
async function sleepByClock(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
