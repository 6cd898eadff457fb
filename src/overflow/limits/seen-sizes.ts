/**
 * The sizes that a target has accepted, and those that it has refused without naming a limit. Many providers name none;
 * what they accepted shows how much fits.
 */
import type { Target } from "../wire/outgoing-request.ts";

export type SizeUnit = "tokens" | "bytes";

/** The size of a request. The tokens are the provider's own where it reports them, else an estimate. */
export type RequestSize = Readonly<Record<SizeUnit, number>>;

/** How small to make a request that was refused without a number. */
export type Aim = {
  /** The size to reach. */
  readonly size: number;
  /** Whether the target has accepted this size before. Otherwise it is a guess. */
  readonly isProven: boolean;
};

export type SeenSizes = {
  readonly hasRefused: () => boolean;
  recordAccepted(target: Target, size: RequestSize): void;
  /** The largest accepted size, 0 before any. */
  acceptedFor(target: Target): RequestSize;
  /** Whether no request of about this size has been weighed yet. Says so once: many may be under way at the same time. */
  isNewSize(target: Target, bytes: number): boolean;
  recordRefused(target: Target, unit: SizeUnit, size: number): void;
  /** The size at or below which the target has refused two requests lately. */
  refusedFor(target: Target, unit: SizeUnit): number | undefined;
  /** What to aim at after a request of this size was refused. */
  aimFor(target: Target, unit: SizeUnit, size: number): Aim;
};

/** The share of the largest accepted size to aim at: texts differ in how they are counted. */
const ACCEPTED_SHARE = 0.95;
/** The share of a refused size to aim at where nothing comparable was accepted. */
const REFUSED_SHARE = 0.45;
/** A smaller accepted request, such as one for a title, shows nothing about the window. */
const MIN_COMPARABLE_SHARE = 0.15;
/** Two refusals make an expectation: one may have had another reason. */
const MIN_REFUSALS = 2;
/** A size that is never sent is never accepted. After this time the provider is tried again. */
const MAX_AGE_MS = 60 * 60 * 1_000;
const MAX_TARGETS = 500;
/** A request that is this much larger than the largest before is parsed and estimated. */
const MIN_GROWTH = 1.1;

type Seen = {
  readonly accepted: Record<SizeUnit, number>;
  weighedBytes: number;
  /** The lowest ones, ascending. */
  readonly refused: Record<SizeUnit, readonly number[]>;
  refusedMs: number;
};

/** What this process has seen, by endpoint and model. */
export function createSeenSizes(now: () => number = () => performance.now()): SeenSizes {
  const seenByTarget = new Map<string, Seen>();

  function seenOf({ endpoint, model }: Target): Seen {
    const key = `${endpoint} ${model}`;
    const seen = seenByTarget.get(key) ?? newSeen();
    if (seenByTarget.size < MAX_TARGETS) seenByTarget.set(key, seen);
    return seen;
  }

  /** An accepted size disproves every refusal at or below it. */
  function recordAccepted(target: Target, size: RequestSize): void {
    const { accepted, refused } = seenOf(target);
    for (const unit of ["tokens", "bytes"] as const) {
      accepted[unit] = Math.max(accepted[unit], size[unit]);
      refused[unit] = refused[unit].filter((each) => each > size[unit]);
    }
  }

  /** An accepted size at or above a refused one does not count any more: other texts have other token counts. */
  function recordRefused(target: Target, unit: SizeUnit, size: number): void {
    const seen = seenOf(target);
    if (seen.accepted[unit] >= size) seen.accepted[unit] = 0;
    seen.weighedBytes = 0;
    seen.refused[unit] = [...recentRefusals(seen, unit), size].sort((one, other) => one - other).slice(0, MIN_REFUSALS);
    seen.refusedMs = now();
  }

  function isNewSize(target: Target, bytes: number): boolean {
    const seen = seenOf(target);
    if (bytes <= Math.max(seen.accepted.bytes, seen.weighedBytes) * MIN_GROWTH) return false;
    seen.weighedBytes = bytes;
    return true;
  }

  const recentRefusals = ({ refused, refusedMs }: Seen, unit: SizeUnit): readonly number[] =>
    now() - refusedMs > MAX_AGE_MS ? [] : refused[unit];

  function aimFor(target: Target, unit: SizeUnit, size: number): Aim {
    const seen = seenOf(target);
    const refused = Math.min(size, ...recentRefusals(seen, unit));
    const accepted = seen.accepted[unit];
    const isProven = accepted < refused && accepted >= refused * MIN_COMPARABLE_SHARE;
    return { size: Math.floor(isProven ? accepted * ACCEPTED_SHARE : refused * REFUSED_SHARE), isProven };
  }

  return {
    hasRefused: () =>
      [...seenByTarget.values()].some(({ refused }) => refused.tokens.length + refused.bytes.length > 0),
    recordAccepted,
    isNewSize,
    acceptedFor: (target) => seenOf(target).accepted,
    recordRefused,
    refusedFor: (target, unit) => recentRefusals(seenOf(target), unit)[MIN_REFUSALS - 1],
    aimFor,
  };
}

const newSeen = (): Seen => ({
  accepted: { tokens: 0, bytes: 0 },
  weighedBytes: 0,
  refused: { tokens: [], bytes: [] },
  refusedMs: 0,
});
