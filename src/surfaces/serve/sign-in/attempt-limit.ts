/** Limits the attempts to sign in, so that tokens and codes cannot be tried in bulk. */
import { createRateLimit } from "../guard/rate-limit.ts";

/** Behind a reverse proxy all browsers have one address, so it is more than one person needs. */
export const MAX_ATTEMPTS_PER_ADDRESS = 20;
/** Attempts of all addresses together; each costs a look into the catalogue. */
export const MAX_ATTEMPTS = 200;

/** Attempts per minute. */
export interface AttemptLimit {
  /** Takes one attempt: 0 if it is allowed, else the seconds until one is. */
  take(address: string): number;
}

export function createAttemptLimit(now: () => number): AttemptLimit {
  const [byAddress, overall] = [createRateLimit(now), createRateLimit(now)];
  return {
    // An attempt that its address may not make takes nothing from the others.
    take: (address) => byAddress.take(address, MAX_ATTEMPTS_PER_ADDRESS) || overall.take("all", MAX_ATTEMPTS),
  };
}
