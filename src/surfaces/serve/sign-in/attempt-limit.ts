/** Limits the attempts to sign in. Whoever has a valid token is never limited: behind a reverse proxy all have one address. */
import { createRateLimit } from "../guard/rate-limit.ts";

/** Failed attempts per minute of one address. */
export const MAX_FAILURES_PER_ADDRESS = 20;
/** Codes per minute that are looked for, of all addresses together: each costs a look into the catalogue. */
export const MAX_LOOKS = 200;

/** Each takes one: 0 if it is allowed, else the seconds until one is. */
export interface AttemptLimit {
  takeLook(): number;
  takeFailure(address: string): number;
}

export function createAttemptLimit(now: () => number): AttemptLimit {
  const [looks, failures] = [createRateLimit(now), createRateLimit(now)];
  return {
    takeLook: () => looks.take("all", MAX_LOOKS),
    takeFailure: (address) => failures.take(address, MAX_FAILURES_PER_ADDRESS),
  };
}
