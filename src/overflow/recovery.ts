/** The core of recovery: what is done to a request before it is sent, and after it was refused. Two requests at most. */
import { type FailureReason, type OverflowReport, overflowHint } from "../answer/overflow-reply.ts";
import type { Emit } from "../telemetry/events.ts";
import { isOverflow, type Verdict } from "./classify/verdict.ts";
import type { Part } from "./dialects/dialect.ts";
import { partChars, partTokens, restTokens } from "./estimate-tokens.ts";
import type { Keep } from "./keep-part.ts";
import type { KnownLimits } from "./known-limits.ts";
import { type Plan, planShedding } from "./plan.ts";
import { type Shedding, type Stub, shed, stubEdit } from "./shed.ts";
import type { StickyStubs } from "./sticky.ts";
import type { Edit } from "./wire/json-edits.ts";
import { edited, type Outgoing, wireBytes, wireHash } from "./wire/outgoing-request.ts";

export type RecoveryMode = "on" | "shadow" | "off";

export type RecoveryOptions = {
  readonly mode: RecoveryMode;
  /** Whether known limits are applied before a request is sent. */
  readonly prevent: boolean;
  readonly keep: Keep;
  readonly emit: Emit;
  readonly limits: KnownLimits;
  readonly sticky: StickyStubs;
  /** Told the report of a request that could not be made to fit, where the answer itself has no place for it. */
  readonly onFailed?: ((report: OverflowReport) => void) | undefined;
};

/** What a provider answered, as far as recovery looks at it. */
export type Refusal = { readonly verdict: Verdict; readonly status: number | null; readonly body: unknown };

/** A request as it is sent: what the client gave, and what has been put in its place. */
export type Prepared = {
  readonly given: Outgoing;
  readonly sent: Outgoing;
  /** Everything that makes `sent` of `given`, by path. */
  readonly edits: ReadonlyMap<string, Edit>;
  /** The stubs among them. */
  readonly stubs: ReadonlyMap<string, string>;
};

/** A request that is sent as it was given. */
export function unchanged(given: Outgoing): Prepared {
  return { given, sent: given, edits: new Map(), stubs: new Map() };
}

/** The same with more put in its place. It is made of what was given: an excerpt gives way to a shorter one. */
function changed({ given, ...before }: Prepared, clamp: readonly Edit[], stubs: readonly Stub[]): Prepared {
  if (clamp.length + stubs.length === 0) return { given, ...before };
  const keyed = [...clamp, ...stubs.map(stubEdit)].map((edit): [string, Edit] => [edit.at.join("."), edit]);
  const edits = new Map([...before.edits, ...keyed]);
  const texts = stubs.map(({ part, text }): [string, string] => [part.at.join("."), text]);
  return { given, edits, sent: edited(given, [...edits.values()]), stubs: new Map([...before.stubs, ...texts]) };
}

/** What to do about a refusal: send a smaller request, hand the answer on as it is, or say why there is no way. */
export type Remedy =
  | { readonly do: "retry"; readonly next: Prepared; readonly shedding: Shedding; readonly bytesBefore: number }
  | { readonly do: "pass" }
  | { readonly do: "fail"; readonly report: OverflowReport };

type Retry = Extract<Remedy, { do: "retry" }>;

/** A smaller request on its way, or one that got no answer because the provider was busy or broke off. */
type Unanswered = { readonly verdict: Verdict; readonly remedy: Retry };

/** Each holds a whole request. */
const mostUnanswered = 20;

export type Recovery = ReturnType<typeof createRecovery>;

export function createRecovery({ mode, prevent, keep, emit, limits, sticky, onFailed }: RecoveryOptions) {
  const unanswered = new Map<string, Unanswered>();

  /** Whether a request could need a change before it is sent; while nothing is known, none is even parsed. */
  function mayPrepare(): boolean {
    return mode === "on" && (sticky.any() || unanswered.size > 0 || (prevent && limits.any()));
  }

  /** The request with the stubs of its conversation in place, and within the limit that is known for its model. */
  async function prepare(given: Outgoing): Promise<Prepared> {
    const asGiven = unchanged(given);
    const before = unanswered.size > 0 ? unanswered.get(wireHash(given)) : undefined;
    if (before !== undefined) return before.remedy.next;
    if (!mayPrepare() || given.dialect.serverState(given.request) !== undefined) return asGiven;
    const stuck = changed(asGiven, [], sticky.recall(given));
    if (stuck !== asGiven) repeated(stuck);
    return prevent ? await preventOverflow(stuck) : stuck;
  }

  async function preventOverflow(prepared: Prepared): Promise<Prepared> {
    const expected = expectedVerdict(prepared.sent, limits);
    if (expected === undefined) return prepared;
    const bytesBefore = wireBytes(prepared.sent);
    const { next, shedding } = await makeSmaller(prepared, expected, keep, limits.acceptedFor(prepared.sent.target));
    if (next === prepared) return prepared;
    sticky.remember(prepared.given, shedding.stubs);
    report(next, expected, { bytesBefore, shedding, attempts: 0 });
    return next;
  }

  /** What to do about an answer. With nothing to gain the identical request is never sent again. */
  async function remedyFor(prepared: Prepared, refusal: Refusal): Promise<Remedy> {
    const { sent } = prepared;
    if (asksForNothing(sent, refusal)) return { do: "pass" };
    const verdict = withKnownLimit(sent, silentOverflow(sent, refusal, limits) ?? refusal.verdict, limits);
    classified(sent, verdict, refusal.status);
    if (!isRecoverable(verdict)) return skip(sent, verdict, verdict.class);
    if (verdict.class === "context_tokens") learnRefused(sent, verdict);
    if (mode === "shadow") return shadow(sent, verdict);
    const bytesBefore = wireBytes(sent);
    if (sent.dialect.serverState(sent.request) !== undefined) {
      return isOverflow(verdict) ? fail(sent, { ...refusal, verdict }, "server_state", bytesBefore) : { do: "pass" };
    }
    const smaller = await makeSmaller(prepared, verdict, keep, limits.acceptedFor(sent.target));
    const { next, shedding } = smaller;
    const reason = shortfall(smaller, verdict);
    if (reason === undefined) return { do: "retry", next, shedding, bytesBefore };
    return isOverflow(verdict) ? fail(sent, { ...refusal, verdict }, reason, bytesBefore, shedding) : { do: "pass" };
  }

  function learnRefused(sent: Outgoing, verdict: Verdict): void {
    const estimate = estimateOf(sent);
    if (verdict.limit === undefined) limits.refusedBlindly(sent.target, estimate);
    else limits.learn(sent.target, verdict, estimate);
  }

  /** The smaller request is about to be sent: its stubs stick, and it stands for the one that was refused, whatever comes of it. */
  function resending(verdict: Verdict, remedy: Retry): void {
    const { given } = remedy.next;
    sticky.remember(given, remedy.shedding.stubs);
    unanswered.set(wireHash(given), { verdict, remedy });
    const [oldest = ""] = unanswered.keys();
    if (unanswered.size > mostUnanswered) unanswered.delete(oldest);
  }

  /** The provider took the request: what it tells about its limit is learned, and what was made smaller is told. */
  function accepted(prepared: Prepared, inputTokens?: () => number | undefined): void {
    const before = unanswered.size > 0 ? unanswered.get(wireHash(prepared.given)) : undefined;
    if (before !== undefined) recovered(before.verdict, before.remedy);
    else learnAccepted(prepared, inputTokens);
  }

  /** What was accepted tells how much is taken where no number is named, and disproves a limit that was learnt below it. */
  function learnAccepted({ sent }: Prepared, inputTokens?: () => number | undefined): void {
    if (limits.acceptedFor(sent.target) !== undefined) limits.accept(sent.target, estimateOf(sent));
    const learnt = limits.learntFor(sent.target);
    if (learnt === undefined || wireBytes(sent) < learnt) return;
    limits.disprove(sent.target, inputTokens?.() ?? estimateOf(sent) * limits.scaleFor(sent.target));
  }

  /** The smaller request was accepted. */
  function recovered(verdict: Verdict, remedy: Retry): void {
    unanswered.delete(wireHash(remedy.next.given));
    learnAccepted(remedy.next);
    report(remedy.next, verdict, { ...remedy, attempts: 2 });
  }

  /** The smaller request was refused for its size as well. */
  function refusedAgain(refusal: Refusal, remedy: Retry): OverflowReport {
    unanswered.delete(wireHash(remedy.next.given));
    const { next, bytesBefore, shedding } = remedy;
    classified(next.sent, refusal.verdict, refusal.status);
    const failed = fail(next.sent, refusal, "refused_again", bytesBefore, shedding);
    return failed.report;
  }

  function repeated({ given, sent, stubs }: Prepared): void {
    const sizes = { bytes_before: wireBytes(given), bytes_after: wireBytes(sent) };
    emit({ event: "overflow.repeated", dialect: given.dialect.name, stubs: stubs.size, ...sizes });
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
    { sent: after }: Prepared,
    { class: name }: Verdict,
    { shedding, bytesBefore, attempts }: { shedding: Shedding; bytesBefore: number; attempts: number },
  ): void {
    const sizes = { bytes_before: bytesBefore, bytes_after: wireBytes(after) };
    const stubs = shedding.stubs.map(({ ref }) => ref);
    const clamped = shedding.clamp.length > 0;
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
    const report = { ...facts, ...sizes, stubs, largest_remaining, hint, upstream: { status, body } };
    onFailed?.(report);
    return { do: "fail", report };
  }

  return { mode, mayPrepare, prepare, remedyFor, resending, accepted, recovered, refusedAgain };
}

/** What a smaller request or a lower output room can help; rates, quotas and everything else are left alone. */
function isRecoverable(verdict: Verdict): boolean {
  const { class: name, confidence } = verdict;
  return confidence >= 0.5 && name !== "rate_limit" && name !== "other";
}

/** `max_tokens: 0` warms a cache; its answer is empty because it was asked to be. */
function asksForNothing({ dialect, request }: Outgoing, { status }: Refusal): boolean {
  return status !== null && status < 400 && dialect.outputRoom(request)?.tokens === 0;
}

type Smaller = {
  readonly next: Prepared;
  readonly shedding: Shedding;
  readonly plan: Plan;
  /** How many parts had to stay because they could not be kept. */
  readonly unkept: number;
};

/** Plans and sheds; again where a part could not be kept or the exact bytes turned out too many. */
async function makeSmaller(prepared: Prepared, verdict: Verdict, keep: Keep, accepted = 0): Promise<Smaller> {
  const { given, sent, stubs: stuck } = prepared;
  const bytes = wireBytes(sent);
  const staying = new Set<string>();
  let shortBy = 0;
  for (let round = 1; ; round++) {
    const options = { wireBytes: bytes, stuck, staying, accepted, shortBy };
    const plan = planShedding(given.request, given.dialect, verdict, options);
    const shedding = await shed(given, plan, keep);
    const next = changed(prepared, shedding.clamp, shedding.stubs);
    for (const at of shedding.unkept) staying.add(at.join("."));
    const isExact = verdict.class === "request_bytes" && verdict.unit === "bytes";
    const over = isExact ? wireBytes(next.sent) - (verdict.limit ?? Infinity) : 0;
    if (round === 3 || (shedding.unkept.length === 0 && over <= 0))
      return { next, shedding, plan, unkept: staying.size };
    shortBy += Math.max(0, over);
  }
}

/** Why a smaller request would not be accepted either, or undefined when it is worth sending. */
function shortfall({ next, plan, shedding, unkept }: Smaller, verdict: Verdict): FailureReason | undefined {
  const notEnough = unkept > 0 ? "not_kept" : "does_not_fit";
  if (shedding.clamp.length + shedding.stubs.length === 0) return unkept > 0 ? "not_kept" : "nothing_to_shed";
  if (plan.fits) return shedding.unkept.length > 0 ? "not_kept" : undefined;
  // Where no limit is named the target is a guess: what is clearly smaller is worth the one request that is left.
  const { before, enough } = plan.sizes;
  if (verdict.limit === undefined && enough + plan.shortBy <= before * 0.95) return undefined;
  if (plan.sizes.unit === "bytes") return wireBytes(next.sent) <= (verdict.limit ?? 0) ? undefined : notEnough;
  // Our count of tokens is an estimate: a near miss is worth the one request that is left.
  return plan.shortBy <= enough * 0.05 ? undefined : notEnough;
}

function estimateOf({ request, dialect }: Outgoing): number {
  const parts = dialect.parts(request);
  return parts.reduce((tokens, { content }) => tokens + partTokens(content), restTokens(request, parts));
}

/** What the provider would say, if the estimate is over a limit that is known; a token has one character or more. */
function expectedVerdict(outgoing: Outgoing, limits: KnownLimits): Verdict | undefined {
  const limit = limits.tokensFor(outgoing.target);
  if (limit === undefined) return expectedBlindly(outgoing, limits);
  if (wireBytes(outgoing) < limit) return undefined;
  const input = Math.ceil(estimateOf(outgoing) * limits.scaleFor(outgoing.target));
  const { dialect, request } = outgoing;
  const output = dialect.sharesWindow ? (dialect.outputRoom(request)?.tokens ?? 0) : 0;
  if (input + output <= limit) return undefined;
  return { class: "context_tokens", confidence: 1, unit: "tokens", limit, input, output, actual: input + output };
}

/** The same where no number was ever named: as much as was refused twice would be refused again. */
function expectedBlindly(outgoing: Outgoing, limits: KnownLimits): Verdict | undefined {
  const refused = limits.refusedFor(outgoing.target);
  if (refused === undefined || wireBytes(outgoing) < refused || estimateOf(outgoing) < refused) return undefined;
  return { class: "context_tokens", confidence: 1 };
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
