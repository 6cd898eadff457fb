/** Limits the requests of an owner per minute. What is not used is saved up, for at most one minute. */

const MINUTE_MS = 60_000;

/** Owners that are remembered. One that is forgotten begins with a full minute again. */
const MAX_OWNERS = 10_000;

type Bucket = { left: number; seenAt: number };

export interface RateLimit {
  /** Takes one request from the owner's allowance: 0 if there was one, else the seconds until there is one. */
  take(owner: string, perMinute: number): number;
}

export function createRateLimit(now: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(owner, perMinute) {
      const time = now();
      const bucket = buckets.get(owner) ?? { left: perMinute, seenAt: time };
      const earned = (Math.max(0, time - bucket.seenAt) / MINUTE_MS) * perMinute;
      const left = Math.min(perMinute, bucket.left + earned);
      const isAllowed = left >= 1;
      buckets.delete(owner);
      buckets.set(owner, { left: isAllowed ? left - 1 : left, seenAt: time });
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_OWNERS && oldest !== undefined) buckets.delete(oldest);
      return isAllowed ? 0 : Math.ceil(((1 - left) / perMinute) * (MINUTE_MS / 1_000));
    },
  };
}
