/** Limits that are known before a request is sent: set by the user, named by two refusals, or shown by two refused sizes. */

import type { Verdict } from "./classify/verdict.ts";
import type { Target } from "./wire/outgoing-request.ts";

export type KnownLimits = {
  readonly hasAny: () => boolean;
  /** The model's window in tokens. */
  tokensFor(target: Target): number | undefined;
  /** Real tokens per estimated token, from the last refusal. */
  scaleFor(target: Target): number;
  /** Learns the limit that a refusal names. It counts once a second refusal names the same number. */
  learn(target: Target, verdict: Verdict, estimate: number): void;
  /** The learned limit, while it counts and the user has not set another. */
  learnedFor(target: Target): number | undefined;
  /** Drops a learned limit that is lower than an accepted size. */
  disprove(target: Target, tokens: number): void;
  /** Records a refusal without a number. From then on the sizes that the target accepts are recorded too. */
  recordRefused(target: Target, estimate: number): void;
  /** The largest accepted estimate since then, 0 before any; undefined for a target that names numbers. */
  acceptedFor(target: Target): number | undefined;
  recordAccepted(target: Target, estimate: number): void;
  /** The estimate at or below which such a target has refused two requests. */
  refusedFor(target: Target): number | undefined;
};

/** A limit that refusals named, and how many in a row. */
type NamedLimit = {
  readonly tokens: number;
  readonly times: number;
  readonly scale: number;
  readonly learnedMs: number;
};

/** A target that names no numbers: the largest estimate it accepted and the two lowest it refused, ascending. */
type UnnamedLimit = {
  readonly acceptedTokens: number;
  readonly refusedTokens: readonly number[];
  readonly refusedMs: number;
};

const MAX_TARGETS = 500;
/** No model has a smaller window: a smaller figure counts something else. */
const MIN_LEARNT_WINDOW_TOKENS = 1_024;
/** Below this confidence the figures of a verdict are not learned. */
const MIN_CONFIDENCE = 0.9;
/** A limit that prevents every refusal is never named again. After this time the provider is tried without it. */
const MAX_AGE_MS = 60 * 60 * 1_000;

/** A size that is far from our estimate is the size of something else. */
function isPlausible(tokens: number, estimate: number): boolean {
  return tokens >= estimate / 2 && tokens <= estimate * 2;
}

/** `lines` are those of the setting `overflow.limits`: `gpt-4o=128000`. */
export function createKnownLimits(lines: readonly string[], now: () => number = () => performance.now()): KnownLimits {
  const fromUser = new Map(lines.map(parseLine));
  const namedLimits = new Map<string, NamedLimit>();
  const unnamedLimits = new Map<string, UnnamedLimit>();
  const keyOf = ({ endpoint, model }: Target): string => `${endpoint} ${model}`;

  function learnedFor(target: Target): number | undefined {
    const limit = namedLimits.get(keyOf(target));
    const counts = limit !== undefined && limit.times >= 2 && now() - limit.learnedMs <= MAX_AGE_MS;
    return counts && !fromUser.has(target.model) ? limit.tokens : undefined;
  }

  function learn(target: Target, verdict: Verdict, estimate: number): void {
    const { limit, unit, confidence, input } = verdict;
    if (verdict.class !== "context_tokens" || unit !== "tokens" || confidence < MIN_CONFIDENCE) return;
    if (limit === undefined || verdict.actual === undefined) return;
    if (verdict.actual <= limit || limit < MIN_LEARNT_WINDOW_TOKENS) return;
    if (!isPlausible(input ?? verdict.actual - (verdict.output ?? 0), estimate)) return;
    const key = keyOf(target);
    const before = namedLimits.get(key);
    const times = before?.tokens === limit ? before.times + 1 : 1;
    const scale = input === undefined || estimate === 0 ? (before?.scale ?? 1) : input / estimate;
    if (namedLimits.size < MAX_TARGETS || before)
      namedLimits.set(key, { tokens: limit, times, scale, learnedMs: now() });
  }

  function disprove(target: Target, tokens: number): void {
    if (tokens > (learnedFor(target) ?? Infinity)) namedLimits.delete(keyOf(target));
  }

  /** An accepted size at or above a refused one does not count any more: other texts have other token counts. */
  function recordRefused(target: Target, estimate: number): void {
    const key = keyOf(target);
    const { acceptedTokens, refusedTokens } = unnamedLimits.get(key) ?? { acceptedTokens: 0, refusedTokens: [] };
    if (unnamedLimits.size >= MAX_TARGETS && !unnamedLimits.has(key)) return;
    const lowest = [...refusedTokens, estimate].sort((one, other) => one - other).slice(0, 2);
    unnamedLimits.set(key, {
      acceptedTokens: acceptedTokens < estimate ? acceptedTokens : 0,
      refusedTokens: lowest,
      refusedMs: now(),
    });
  }

  function recordAccepted(target: Target, estimate: number): void {
    const limit = unnamedLimits.get(keyOf(target));
    if (limit === undefined) return;
    const refusedTokens = limit.refusedTokens.filter((tokens) => tokens > estimate);
    unnamedLimits.set(keyOf(target), {
      ...limit,
      refusedTokens,
      acceptedTokens: Math.max(estimate, limit.acceptedTokens),
    });
  }

  function refusedFor(target: Target): number | undefined {
    const limit = unnamedLimits.get(keyOf(target));
    return limit === undefined || now() - limit.refusedMs > MAX_AGE_MS ? undefined : limit.refusedTokens[1];
  }

  return {
    hasAny: () => fromUser.size > 0 || namedLimits.size > 0 || unnamedLimits.size > 0,
    tokensFor: (target) => fromUser.get(target.model) ?? learnedFor(target),
    scaleFor: (target) => namedLimits.get(keyOf(target))?.scale ?? 1,
    learn,
    learnedFor,
    disprove,
    recordRefused,
    acceptedFor: (target) => unnamedLimits.get(keyOf(target))?.acceptedTokens,
    recordAccepted,
    refusedFor,
  };
}

function parseLine(line: string): [string, number] {
  const equals = line.lastIndexOf("=");
  return [line.slice(0, equals).trim(), Number(line.slice(equals + 1).replaceAll(/[_,\s]/g, ""))];
}

/** Whether a line of the setting can be parsed. */
export function isLimitLine(line: string): boolean {
  const [model, tokens] = parseLine(line);
  return model !== "" && Number.isInteger(tokens) && tokens > 0;
}
