/** Tells when something below a folder changed. */
import { watch } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Changes come in swarms: a branch switch touches hundreds of files at once. */
const settleMs = 200;
/** Where the system tells nothing (a network disk, too many folders), the folder is looked over so often. */
const lookEveryMs = 30_000;

/** Yields once after each swarm of changes, not of those in `hidden`, and now and then without any, until aborted. */
export async function* watchFolder(
  root: string,
  signal: AbortSignal,
  hidden: ReadonlySet<string> = new Set(),
): AsyncGenerator<void> {
  const bell = createBell();
  const isHidden = (path: string) => hidden.values().some((each) => path === each || path.startsWith(each + sep));
  const ring = (name: string | null) => {
    if (name === null || !isHidden(join(root, name))) bell.ring();
  };
  void ringOnChange(root, signal, ring);
  while (!signal.aborted) {
    await bell.rung(lookEveryMs, signal);
    await sleep(settleMs, signal);
    bell.reset();
    if (!signal.aborted) yield;
  }
}

/** Where watching is not possible, or no longer, looking over now and then has to do. */
async function ringOnChange(root: string, signal: AbortSignal, ring: (name: string | null) => void): Promise<void> {
  try {
    for await (const { filename } of watch(root, { recursive: true, signal, overflow: "ignore" })) ring(filename);
  } catch {
    // Aborted, or the system has no more watches to give.
  }
}

function createBell() {
  let bell = Promise.withResolvers<void>();
  return {
    ring: () => bell.resolve(),
    reset: () => {
      bell = Promise.withResolvers();
    },
    async rung(longestMs: number, signal: AbortSignal): Promise<void> {
      const heard = new AbortController();
      await Promise.race([bell.promise, sleep(longestMs, AbortSignal.any([signal, heard.signal]))]);
      heard.abort();
    },
  };
}

/** Wakes up early when aborted. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
