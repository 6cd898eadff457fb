/** Keeps a distance in time between requests to the same host. */
import { setTimeout as pause } from "node:timers/promises";

/** Waits for the host's next turn. */
export type WaitForHost = (host: string, signal: AbortSignal) => Promise<void>;

/** Hosts whose turn has come are forgotten when there are this many. */
const MAX_REMEMBERED_HOSTS = 1_000;

export function makeHostDelay(delayMs: number, now: () => number): WaitForHost {
  const free = new Map<string, number>();
  return async (host, signal) => {
    if (delayMs === 0) return;
    const turn = Math.max(now(), free.get(host) ?? 0);
    free.set(host, turn + delayMs);
    if (free.size > MAX_REMEMBERED_HOSTS) for (const [name, at] of free) if (at <= now()) free.delete(name);
    if (turn > now()) await pause(turn - now(), undefined, { signal });
  };
}
