/** Keeps a distance in time between requests to the same host. */
import { setTimeout as pause } from "node:timers/promises";

/** Waits for the host's next turn. */
export type TakeTurn = (host: string, signal: AbortSignal) => Promise<void>;

/** Hosts whose turn has come are forgotten when there are this many. */
const rememberedHosts = 1_000;

export function takeTurns(delayMs: number, now: () => number): TakeTurn {
  const free = new Map<string, number>();
  return async (host, signal) => {
    if (delayMs === 0) return;
    const turn = Math.max(now(), free.get(host) ?? 0);
    free.set(host, turn + delayMs);
    if (free.size > rememberedHosts) for (const [name, at] of free) if (at <= now()) free.delete(name);
    if (turn > now()) await pause(turn - now(), undefined, { signal });
  };
}
