/** Tells when something below a folder changed. */
import { watch } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Changes come in swarms: a branch switch touches hundreds of files at once. */
const settleMs = 200;
/** Where the system tells nothing (a network disk, too many folders), the folder is looked over so often. */
const lookEveryMs = 30_000;

/** Yields once after each swarm of changes, and now and then without any, until aborted. */
export async function* watchFolder(root: string, signal: AbortSignal): AsyncGenerator<void> {
  const bell = createBell();
  void ringOnChange(root, signal, bell.ring);
  while (!signal.aborted) {
    await bell.rung(lookEveryMs, signal);
    await sleep(settleMs, signal);
    bell.reset();
    if (!signal.aborted) yield;
  }
}

/** Where watching is not possible, or no longer, looking over now and then has to do. */
async function ringOnChange(root: string, signal: AbortSignal, ring: () => void): Promise<void> {
  try {
    for await (const _ of watch(root, { recursive: true, signal, overflow: "ignore" })) ring();
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
