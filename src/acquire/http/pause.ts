/** How the HTTP client waits; tests pass one that records the time and returns at once. */
import { setTimeout as wait } from "node:timers/promises";

/** Waits this long; rejects on an abort. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the clock. */
export const pauseByClock: Pause = (ms, signal) => wait(ms, undefined, { signal });
