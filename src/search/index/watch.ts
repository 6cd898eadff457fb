/** Tells when something below a folder changed. */
import { watch } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Changes come in swarms: a branch switch touches hundreds of files at once. */
const settleMs = 200;
/** Where the system tells nothing (a network disk), the folder is looked over so often. */
const lookEveryMs = 30_000;

/** Yields after each swarm of changes, and now and then without any, until aborted. */
export async function* watchFolder(root: string, signal: AbortSignal): AsyncGenerator<void> {
  const changes = watch(root, { recursive: true, signal, overflow: "ignore" })[Symbol.asyncIterator]();
  let next = settledAsFalse(changes.next());
  while (!signal.aborted) {
    const told = await Promise.race([next, wait(lookEveryMs, true, { signal }).catch(() => false)]);
    if (signal.aborted || !told) return;
    await wait(settleMs, undefined, { signal }).catch(() => undefined);
    next = settledAsFalse(changes.next());
    if (!signal.aborted) yield;
  }
}

/** Watching ends by abort, or where the folder itself is gone. */
function settledAsFalse(step: Promise<{ done?: boolean | undefined }>): Promise<boolean> {
  return step.then(
    ({ done }) => done !== true,
    () => false,
  );
}
