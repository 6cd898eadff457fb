/** Cooperative pauses: indexing is CPU work on the thread that also answers searches. */
import { setImmediate as nextLoop } from "node:timers/promises";

/** Yields to the event loop if the work has run long enough; null if no pause is due. Rejects once it is aborted. */
export type Pause = () => Promise<void> | null;

const MAX_BUSY_MS = 12;

/** A pause that is due every few milliseconds of work. */
export function createPause(signal: AbortSignal): Pause {
  let since = performance.now();
  const pause = async () => {
    signal.throwIfAborted();
    await nextLoop();
    since = performance.now();
  };
  return () => (performance.now() - since < MAX_BUSY_MS ? null : pause());
}
