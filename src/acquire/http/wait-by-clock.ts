/** How the HTTP client waits; tests pass a wait that records the time and returns at once. */
import { setTimeout as wait } from "node:timers/promises";

/** Waits this long; rejects on an abort. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the clock of this machine. */
export const waitByClock: Wait = (ms, signal) => wait(ms, undefined, { signal });
