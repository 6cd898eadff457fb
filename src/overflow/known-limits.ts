/** Limits that are known before a request is sent: those the user set, those two refusals have named alike, and the size that two refused. */

import type { Verdict } from "./classify/verdict.ts";
import type { Target } from "./wire/outgoing-request.ts";

export type KnownLimits = {
  readonly any: () => boolean;
  /** The model's window in tokens. */
  tokensFor(target: Target): number | undefined;
  /** Real tokens per estimated one, as the last refusal showed. */
  scaleFor(target: Target): number;
  /** One message may lie; a number counts when a second one says the same. */
  learn(target: Target, verdict: Verdict, estimate: number): void;
  /** The limit that was learnt and nobody set, while it counts. */
  learntFor(target: Target): number | undefined;
  /** So many tokens were accepted: a limit learnt below them was none, and is forgotten. */
  disprove(target: Target, tokens: number): void;
  /** Notes that this target refuses without naming a number: from now on what it accepts is worth counting. */
  refusedBlindly(target: Target, estimate: number): void;
  /** The largest estimate that was accepted since, 0 before any; undefined for a target that names its numbers. */
  acceptedFor(target: Target): number | undefined;
  accept(target: Target, estimate: number): void;
  /** An estimate that such a target has refused twice, it or less. */
  refusedFor(target: Target): number | undefined;
};

/** What a target that names no number has told: the largest estimate it accepted and the least two it refused, in order. */
type Blind = { readonly accepted: number; readonly refused: readonly number[]; readonly atMs: number };

const mostTargets = 500;
/** No window in use is smaller; a smaller figure counts something else. */
const leastWindow = 1_024;
/** A limit that prevents every refusal is never named again: after this long the provider is asked anew. */
const trustedMs = 60 * 60 * 1_000;

/** A size that is far from what we count is the size of something else. */
function isPlausible(said: number, estimate: number): boolean {
  return said >= estimate / 2 && said <= estimate * 2;
}

/** `given` holds lines as the setting has them: `gpt-4o=128000`. */
export function knownLimits(given: readonly string[], now: () => number = () => performance.now()): KnownLimits {
  const set = new Map(given.map(parseLine));
  const heard = new Map<string, { tokens: number; times: number; scale: number; atMs: number }>();
  const blind = new Map<string, Blind>();
  const nameOf = ({ endpoint, model }: Target): string => `${endpoint} ${model}`;

  function learntFor(target: Target): number | undefined {
    const learnt = heard.get(nameOf(target));
    const counts = learnt !== undefined && learnt.times >= 2 && now() - learnt.atMs <= trustedMs;
    return counts && !set.has(target.model) ? learnt.tokens : undefined;
  }

  function learn(target: Target, verdict: Verdict, estimate: number): void {
    const { limit, unit, confidence, input } = verdict;
    if (verdict.class !== "context_tokens" || unit !== "tokens" || confidence < 0.9) return;
    if (limit === undefined || verdict.actual === undefined || verdict.actual <= limit || limit < leastWindow) return;
    if (!isPlausible(input ?? verdict.actual - (verdict.output ?? 0), estimate)) return;
    const name = nameOf(target);
    const before = heard.get(name);
    const times = before?.tokens === limit ? before.times + 1 : 1;
    const scale = input === undefined || estimate === 0 ? (before?.scale ?? 1) : input / estimate;
    if (heard.size < mostTargets || before) heard.set(name, { tokens: limit, times, scale, atMs: now() });
  }

  function disprove(target: Target, tokens: number): void {
    if (tokens > (learntFor(target) ?? Infinity)) heard.delete(nameOf(target));
  }

  /** What was accepted at this size or above cannot be the measure any more: other texts count otherwise. */
  function refusedBlindly(target: Target, estimate: number): void {
    const name = nameOf(target);
    const { accepted, refused } = blind.get(name) ?? { accepted: 0, refused: [] };
    if (blind.size >= mostTargets && !blind.has(name)) return;
    const least = [...refused, estimate].sort((one, other) => one - other).slice(0, 2);
    blind.set(name, { accepted: accepted < estimate ? accepted : 0, refused: least, atMs: now() });
  }

  function accept(target: Target, estimate: number): void {
    const told = blind.get(nameOf(target));
    if (told === undefined) return;
    const refused = told.refused.filter((each) => each > estimate);
    blind.set(nameOf(target), { ...told, refused, accepted: Math.max(estimate, told.accepted) });
  }

  function refusedFor(target: Target): number | undefined {
    const told = blind.get(nameOf(target));
    return told === undefined || now() - told.atMs > trustedMs ? undefined : told.refused[1];
  }

  return {
    any: () => set.size > 0 || heard.size > 0 || blind.size > 0,
    tokensFor: (target) => set.get(target.model) ?? learntFor(target),
    scaleFor: (target) => heard.get(nameOf(target))?.scale ?? 1,
    learn,
    learntFor,
    disprove,
    refusedBlindly,
    acceptedFor: (target) => blind.get(nameOf(target))?.accepted,
    accept,
    refusedFor,
  };
}

function parseLine(line: string): [string, number] {
  const at = line.lastIndexOf("=");
  return [line.slice(0, at).trim(), Number(line.slice(at + 1).replaceAll(/[_,\s]/g, ""))];
}

/** Whether a line of the setting can be read. */
export function isLimitLine(line: string): boolean {
  const [model, tokens] = parseLine(line);
  return model !== "" && Number.isInteger(tokens) && tokens > 0;
}
