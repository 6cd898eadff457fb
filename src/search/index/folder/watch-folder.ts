/** Watches a folder for changes. */
import { watch } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Changes come in bursts: a branch switch touches hundreds of files at once. */
const SETTLE_MS = 200;
/** Where the system does not report changes (a network disk, too many folders), the caller checks this often. */
const CHECK_INTERVAL_MS = 30_000;

/** Yields after each burst of changes outside `hidden`, and regularly without a change, until aborted. */
export async function* watchFolder(
  root: string,
  signal: AbortSignal,
  hidden: ReadonlySet<string> = new Set(),
): AsyncGenerator<void> {
  const change = createFlag();
  const isHidden = (path: string) => hidden.values().some((each) => path === each || path.startsWith(each + sep));
  const onChange = (name: string | null) => {
    if (name === null || !isHidden(join(root, name))) change.set();
  };
  void watchUntilAborted(root, signal, onChange);
  while (!signal.aborted) {
    await change.wait(CHECK_INTERVAL_MS, signal);
    await sleep(SETTLE_MS, signal);
    change.reset();
    if (!signal.aborted) yield;
  }
}

/** Returns early where the folder cannot be watched: then only the regular checks remain. */
async function watchUntilAborted(
  root: string,
  signal: AbortSignal,
  onChange: (name: string | null) => void,
): Promise<void> {
  try {
    for await (const { filename } of watch(root, { recursive: true, signal, overflow: "ignore" })) onChange(filename);
  } catch {
    // Aborted, or the system's limit of watches is reached.
  }
}

/** A flag that can be waited for. */
function createFlag() {
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
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
