/** Limits in tokens that are known before a request is sent: set by the user, or named by two refusals. */

import type { Verdict } from "../classify/verdict.ts";
import type { Target } from "../wire/outgoing-request.ts";

export type KnownLimits = {
  readonly hasAny: () => boolean;
  /** The model's window in tokens. */
  tokensFor(target: Target): number | undefined;
  /** Real tokens per estimated token, from the last response that counted them. */
  scaleFor(target: Target): number;
  /** Learns the scale from what the provider counted. */
  calibrate(target: Target, tokens: number, estimate: number): void;
  /** Learns the limit that a refusal names. It counts once a second refusal names the same number. */
  learn(target: Target, verdict: Verdict, estimate: number): void;
  /** The learned limit, while it counts and the user has not set another. */
  learnedFor(target: Target): number | undefined;
  /** Drops a learned limit that is lower than an accepted size. */
  disprove(target: Target, tokens: number): void;
};

/** A limit that refusals named, and how many in a row. */
type NamedLimit = { readonly tokens: number; readonly times: number; readonly learnedMs: number };

const MAX_TARGETS = 500;
/** No model has a smaller window: a smaller figure counts something else. */
const MIN_LEARNT_WINDOW_TOKENS = 1_024;
/** Below this confidence the figures of a verdict are not learned. */
const MIN_CONFIDENCE = 0.9;
/** A limit that prevents every refusal is never named again. After this time the provider is tried without it. */
const MAX_AGE_MS = 60 * 60 * 1_000;

/** A size that is far from our estimate is the size of something else. */
export function isPlausible(tokens: number, estimate: number): boolean {
  return tokens >= estimate / 2 && tokens <= estimate * 2;
}

/** `lines` are those of the setting `overflow.limits`: `gpt-4o=128000`. */
export function createKnownLimits(lines: readonly string[], now: () => number = () => performance.now()): KnownLimits {
  const fromUser = new Map(lines.map(parseLine));
  const namedLimits = new Map<string, NamedLimit>();
  const scales = new Map<string, number>();
  const keyOf = ({ endpoint, model }: Target): string => `${endpoint} ${model}`;

  function learnedFor(target: Target): number | undefined {
    const limit = namedLimits.get(keyOf(target));
    const counts = limit !== undefined && limit.times >= 2 && now() - limit.learnedMs <= MAX_AGE_MS;
    return counts && !fromUser.has(target.model) ? limit.tokens : undefined;
  }

  function calibrate(target: Target, tokens: number, estimate: number): void {
    if (estimate > 0 && isPlausible(tokens, estimate)) setLimited(scales, keyOf(target), tokens / estimate);
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
    if (input !== undefined) calibrate(target, input, estimate);
    setLimited(namedLimits, key, { tokens: limit, times, learnedMs: now() });
  }

  function disprove(target: Target, tokens: number): void {
    if (tokens > (learnedFor(target) ?? Infinity)) namedLimits.delete(keyOf(target));
  }

  return {
    hasAny: () => fromUser.size > 0 || namedLimits.size > 0,
    tokensFor: (target) => fromUser.get(target.model) ?? learnedFor(target),
    scaleFor: (target) => scales.get(keyOf(target)) ?? 1,
    calibrate,
    learn,
    learnedFor,
    disprove,
  };
}

/** A process that talks to very many targets learns about the first ones only. */
function setLimited<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size < MAX_TARGETS || map.has(key)) map.set(key, value);
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
