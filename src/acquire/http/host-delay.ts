/** Keeps a minimum delay between requests to the same host. */
import { type Wait, waitByClock } from "./wait-by-clock.ts";

/** Waits until the host may be requested again. */
type WaitForHost = (host: string, signal: AbortSignal) => Promise<void>;

/** When more hosts than this are remembered, those without a delay are removed. */
const MAX_REMEMBERED_HOSTS = 1_000;

/** Each host has its own delay; a delay of 0 never waits. */
export function makeHostDelay(delayMs: number, now: () => number, pause: Wait = waitByClock): WaitForHost {
  const freeAt = new Map<string, number>();
  return async (host, signal) => {
    if (delayMs === 0) return;
    const turn = Math.max(now(), freeAt.get(host) ?? 0);
    freeAt.set(host, turn + delayMs);
    if (freeAt.size > MAX_REMEMBERED_HOSTS) for (const [name, time] of freeAt) if (time <= now()) freeAt.delete(name);
    if (turn > now()) await pause(turn - now(), signal);
  };
}
