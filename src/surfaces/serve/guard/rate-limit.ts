/** Limits the requests of an owner per minute. What is not used is saved up, for at most one minute. */

const MINUTE_MS = 60_000;

/** Owners that are remembered. One that is forgotten begins with a full minute again. */
const MAX_OWNERS = 10_000;

type Allowance = { readonly requests: number; readonly seenAt: number };

export interface RateLimit {
  /** Takes one request from the owner's allowance: 0 if there was one, else the seconds until there is one. */
  take(owner: string, perMinute: number): number;
}

export function createRateLimit(now: () => number): RateLimit {
  const allowances = new Map<string, Allowance>();
  return {
    take(owner, perMinute) {
      const time = now();
      const last = allowances.get(owner) ?? { requests: perMinute, seenAt: time };
      const earned = (Math.max(0, time - last.seenAt) / MINUTE_MS) * perMinute;
      const requests = Math.min(perMinute, last.requests + earned);
      const isAllowed = requests >= 1;
      allowances.delete(owner);
      allowances.set(owner, { requests: isAllowed ? requests - 1 : requests, seenAt: time });
      const [oldest] = allowances.keys();
      if (allowances.size > MAX_OWNERS && oldest !== undefined) allowances.delete(oldest);
      return isAllowed ? 0 : Math.ceil(((1 - requests) / perMinute) * (MINUTE_MS / 1_000));
    },
  };
}
