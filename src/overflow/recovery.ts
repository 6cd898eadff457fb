/** The core of recovery: what is done to a request before it is sent, and after it was refused. Two requests at most. */
import { type FailureReason, type OverflowReport, overflowHint } from "../answer/overflow.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Part } from "./dialects/dialect.ts";
import { partChars, partTokens, restTokens } from "./estimate.ts";
import type { Keep } from "./keep.ts";
import type { KnownLimits } from "./limits.ts";
import { edited, type Outgoing, wireBytes } from "./outgoing.ts";
import { type Plan, planShedding } from "./plan.ts";
import { type Shedding, shed } from "./shed.ts";
import type { StickyStubs } from "./sticky.ts";
import { isOverflow, type Verdict } from "./verdict.ts";

export type RecoveryMode = "on" | "shadow" | "off";

export type RecoveryOptions = {
  readonly mode: RecoveryMode;
  /** Whether known limits are applied before a request is sent. */
  readonly prevent: boolean;
  readonly keep: Keep;
  readonly emit: Emit;
  readonly limits: KnownLimits;
  readonly sticky: StickyStubs;
};

/** What a provider answered, as far as recovery looks at it. */
export type Refusal = { readonly verdict: Verdict; readonly status: number | null; readonly body: unknown };

/** What to do about a refusal: send a smaller request, hand the answer on as it is, or say why there is no way. */
export type Remedy =
  | { readonly do: "retry"; readonly outgoing: Outgoing; readonly shedding: Shedding; readonly bytesBefore: number }
  | { readonly do: "pass" }
  | { readonly do: "fail"; readonly report: OverflowReport };

export type Recovery = ReturnType<typeof createRecovery>;

export function createRecovery({ mode, prevent, keep, emit, limits, sticky }: RecoveryOptions) {
  /** Whether a request could need a change before it is sent; while nothing is known, none is even parsed. */
  function mayPrepare(): boolean {
    return mode === "on" && (sticky.any() || (prevent && limits.any()));
  }

  /** The request with the stubs of its conversation in place, and within the limit that is known for its model. */
  async function prepare(outgoing: Outgoing): Promise<Outgoing> {
    if (!mayPrepare() || outgoing.dialect.serverState(outgoing.request) !== undefined) return outgoing;
    const stuck = edited(outgoing, sticky.recall(outgoing));
    return prevent ? await preventOverflow(stuck) : stuck;
  }

  async function preventOverflow(outgoing: Outgoing): Promise<Outgoing> {
    const expected = expectedVerdict(outgoing, limits);
    if (expected === undefined) return outgoing;
    const bytesBefore = wireBytes(outgoing);
    const { next, shedding } = await makeSmaller(outgoing, expected, keep);
    if (shedding.edits.length === 0) return outgoing;
    sticky.remember(outgoing, shedding.stubs);
    report(next, expected, { bytesBefore, shedding, attempts: 0 });
    return next;
  }

  /** What to do about an answer. With nothing to gain the identical request is never sent again. */
  async function remedyFor(outgoing: Outgoing, refusal: Refusal): Promise<Remedy> {
    const verdict = withKnownLimit(outgoing, silentOverflow(outgoing, refusal, limits) ?? refusal.verdict, limits);
    classified(outgoing, verdict, refusal.status);
    if (!isRecoverable(verdict)) return skip(outgoing, verdict, verdict.class);
    if (verdict.class === "context_tokens" && verdict.limit === undefined) limits.refusedBlindly(outgoing.target);
    if (verdict.class === "context_tokens") limits.learn(outgoing.target, verdict, estimateOf(outgoing));
    if (mode === "shadow") return shadow(outgoing, verdict);
    const bytesBefore = wireBytes(outgoing);
    if (outgoing.dialect.serverState(outgoing.request) !== undefined) {
      return isOverflow(verdict)
        ? fail(outgoing, { ...refusal, verdict }, "server_state", bytesBefore)
        : { do: "pass" };
    }
    const smaller = await makeSmaller(outgoing, verdict, keep, limits.acceptedFor(outgoing.target));
    const { next, shedding } = smaller;
    const reason = shortfall(smaller, verdict);
    if (reason === undefined) return { do: "retry", outgoing: next, shedding, bytesBefore };
    return isOverflow(verdict)
      ? fail(outgoing, { ...refusal, verdict }, reason, bytesBefore, shedding)
      : { do: "pass" };
  }

  /** A provider that names no number still tells by what it accepts how much it takes. */
  function accepted(outgoing: Outgoing): void {
    if (limits.acceptedFor(outgoing.target) !== undefined) limits.accept(outgoing.target, estimateOf(outgoing));
  }

  /** The smaller request was accepted: its stubs stick from now on. */
  function recovered(first: Outgoing, verdict: Verdict, remedy: Extract<Remedy, { do: "retry" }>): void {
    accepted(remedy.outgoing);
    sticky.remember(first, remedy.shedding.stubs);
    report(remedy.outgoing, verdict, { ...remedy, attempts: 2 });
  }

  /** The smaller request was refused for its size as well. */
  function refusedAgain(refusal: Refusal, remedy: Extract<Remedy, { do: "retry" }>): OverflowReport {
    const { outgoing, bytesBefore, shedding } = remedy;
    classified(outgoing, refusal.verdict, refusal.status);
    const failed = fail(outgoing, refusal, "refused_again", bytesBefore, shedding);
    return failed.report;
  }

  async function shadow(outgoing: Outgoing, verdict: Verdict): Promise<Remedy> {
    const plan = planShedding(outgoing.request, outgoing.dialect, verdict, { wireBytes: wireBytes(outgoing) });
    return skip(outgoing, verdict, "shadow", plan);
  }

  function skip({ dialect }: Outgoing, verdict: Verdict, reason: string, plan?: Plan): Remedy {
    if (verdict.class === "other") return { do: "pass" };
    const [stubs, clamped] = [plan?.sheds.length ?? 0, (plan?.clamp.length ?? 0) > 0];
    emit({ event: "overflow.skipped", dialect: dialect.name, class: verdict.class, reason, stubs, clamped });
    return { do: "pass" };
  }

  function classified({ dialect }: Outgoing, verdict: Verdict, status: number | null): void {
    const { class: name, confidence, limit = null, actual = null, unit = null } = verdict;
    emit({ event: "overflow.classified", dialect: dialect.name, status, class: name, confidence, limit, actual, unit });
  }

  function report(
    after: Outgoing,
    { class: name }: Verdict,
    { shedding, bytesBefore, attempts }: { shedding: Shedding; bytesBefore: number; attempts: number },
  ): void {
    const sizes = { bytes_before: bytesBefore, bytes_after: wireBytes(after) };
    const stubs = shedding.stubs.map(({ ref }) => ref);
    const clamped = shedding.edits.length > stubs.length;
    emit({ event: "overflow.recovered", dialect: after.dialect.name, class: name, attempts, ...sizes, stubs, clamped });
  }

  function fail(
    outgoing: Outgoing,
    { verdict, status, body }: Refusal,
    reason: FailureReason,
    bytesBefore: number,
    shedding?: Shedding,
  ): Extract<Remedy, { do: "fail" }> {
    const attempts = reason === "refused_again" ? 2 : 1;
    const { class: name, limit = null, actual = null, unit = null } = verdict;
    const bytesAfter = reason === "refused_again" ? wireBytes(outgoing) : bytesBefore;
    const stubs = (shedding?.stubs ?? []).map(({ ref }) => ref);
    const sizes = { bytes_before: bytesBefore, bytes_after: bytesAfter };
    emit({ event: "overflow.failed", dialect: outgoing.dialect.name, class: name, reason, attempts, ...sizes, stubs });
    const facts = {
      type: "context_overflow",
      retryable: false,
      reason,
      attempts,
      class: name,
      limit,
      actual,
      unit,
    } as const;
    const largest_remaining = largestOf(outgoing.dialect.parts(outgoing.request));
    const hint = overflowHint(reason);
    return { do: "fail", report: { ...facts, ...sizes, stubs, largest_remaining, hint, upstream: { status, body } } };
  }

  return { mode, mayPrepare, prepare, remedyFor, accepted, recovered, refusedAgain };
}

/** What a smaller request or a lower output room can help; rates, quotas and everything else are left alone. */
function isRecoverable(verdict: Verdict): boolean {
  const { class: name, confidence } = verdict;
  return confidence >= 0.5 && name !== "rate_limit" && name !== "other";
}

type Smaller = {
  readonly next: Outgoing;
  readonly shedding: Shedding;
  readonly plan: Plan;
  /** How many parts had to stay because they could not be kept. */
  readonly unkept: number;
};

/** Plans and sheds; again where a part could not be kept or the exact bytes turned out too many. */
async function makeSmaller(
  outgoing: Outgoing,
  verdict: Verdict,
  keep: Keep,
  accepted: number | undefined = undefined,
): Promise<Smaller> {
  const bytes = wireBytes(outgoing);
  const staying = new Set<string>();
  let shortBy = 0;
  for (let round = 1; ; round++) {
    const plan = planShedding(outgoing.request, outgoing.dialect, verdict, {
      wireBytes: bytes,
      staying,
      shortBy,
      ...(accepted === undefined ? {} : { accepted }),
    });
    const shedding = await shed(outgoing.request, outgoing.dialect, plan, keep);
    const next = edited(outgoing, shedding.edits);
    for (const at of shedding.unkept) staying.add(at.join("."));
    const over =
      verdict.class === "request_bytes" && verdict.unit === "bytes" ? wireBytes(next) - (verdict.limit ?? Infinity) : 0;
    if (round === 3 || (shedding.unkept.length === 0 && over <= 0))
      return { next, shedding, plan, unkept: staying.size };
    shortBy += Math.max(0, over);
  }
}

/** Why a smaller request would not be accepted either, or undefined when it is worth sending. */
function shortfall({ next, plan, shedding, unkept }: Smaller, verdict: Verdict): FailureReason | undefined {
  const notEnough = unkept > 0 ? "not_kept" : "does_not_fit";
  if (shedding.edits.length === 0) return unkept > 0 ? "not_kept" : "nothing_to_shed";
  if (plan.fits) return shedding.unkept.length > 0 ? "not_kept" : undefined;
  // Where no limit is named the target is a guess: what is clearly smaller is worth the one request that is left.
  const { before, target } = plan.sizes;
  if (verdict.limit === undefined && target + plan.shortBy <= before * 0.95) return undefined;
  if (plan.sizes.unit === "bytes") return wireBytes(next) <= (verdict.limit ?? 0) ? undefined : notEnough;
  // Our count of tokens is an estimate: a near miss is worth the one request that is left.
  return plan.shortBy <= plan.sizes.target * 0.05 ? undefined : notEnough;
}

function estimateOf({ request, dialect }: Outgoing): number {
  const parts = dialect.parts(request);
  return parts.reduce((tokens, { content }) => tokens + partTokens(content), restTokens(request, parts));
}

/** What the provider would say, if the estimate is over a limit that is known; a token has one character or more. */
function expectedVerdict(outgoing: Outgoing, limits: KnownLimits): Verdict | undefined {
  const limit = limits.tokensFor(outgoing.target);
  if (limit === undefined || wireBytes(outgoing) < limit) return undefined;
  const input = Math.ceil(estimateOf(outgoing) * limits.scaleFor(outgoing.target));
  const { dialect, request } = outgoing;
  const output = dialect.sharesWindow ? (dialect.outputRoom(request)?.tokens ?? 0) : 0;
  if (input + output <= limit) return undefined;
  return { class: "context_tokens", confidence: 1, unit: "tokens", limit, input, output, actual: input + output };
}

/** A refusal without a number is one of the limit that is known, if the user or earlier refusals named it. */
function withKnownLimit(outgoing: Outgoing, verdict: Verdict, limits: KnownLimits): Verdict {
  const limit = limits.tokensFor(outgoing.target);
  if (verdict.class !== "context_tokens" || verdict.limit !== undefined || limit === undefined) return verdict;
  return { ...verdict, limit, unit: "tokens" };
}

/** A few providers refuse without a word; where the request is near a limit that is known, that is the reason. */
function silentOverflow(outgoing: Outgoing, refusal: Refusal, limits: KnownLimits): Verdict | undefined {
  const { status, body, verdict } = refusal;
  const limit = limits.tokensFor(outgoing.target);
  if (limit === undefined || status !== 400 || verdict.class !== "other" || String(body ?? "").trim() !== "")
    return undefined;
  const near = estimateOf(outgoing) * limits.scaleFor(outgoing.target) > limit * 0.8;
  return near ? { class: "context_tokens", confidence: 0.6, unit: "tokens", limit } : undefined;
}

function largestOf(parts: readonly Part[]): OverflowReport["largest_remaining"] {
  const sized = parts.map(({ at, content }) => ({ path: at.join("."), chars: partChars(content) }));
  return sized.sort((one, other) => other.chars - one.chars).slice(0, 5);
}
