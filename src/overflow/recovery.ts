/** The core of recovery: what is done to a request before it is sent, and after it was refused. */
import type { OverflowReport } from "../contract/overflow-report.ts";
import type { Emit } from "../telemetry/events.ts";
import { isOverflow, type Verdict } from "./classify/verdict.ts";
import { addKnownLimit, detectSilentOverflow, expectOverflow } from "./expect-overflow.ts";
import type { Keep } from "./keep-part.ts";
import type { KnownLimits } from "./known-limits.ts";
import { learnFromAccepted, learnFromRefusal } from "./learn-limits.ts";
import {
  emitClassified,
  emitFailed,
  emitRecovered,
  emitRepeated,
  emitSkipped,
  type RecoveryFailure,
} from "./overflow-events.ts";
import { planShedding } from "./plan.ts";
import { addEdits, type PreparedRequest, prepareUnchanged } from "./prepared-request.ts";
import type { Refusal } from "./refusal.ts";
import type { Shedding } from "./shed.ts";
import { findShortfall, shrinkRequest } from "./shrink-request.ts";
import type { StickyStubs } from "./sticky-stubs.ts";
import { countWireBytes, hashOutgoing, type OutgoingRequest } from "./wire/outgoing-request.ts";

export type RecoveryMode = "on" | "shadow" | "off";

export type RecoveryOptions = {
  readonly mode: RecoveryMode;
  /** Whether known limits are applied before a request is sent. */
  readonly preventsOverflow: boolean;
  readonly keep: Keep;
  readonly emit: Emit;
  readonly limits: KnownLimits;
  readonly sticky: StickyStubs;
  /** Gets the report of a request that could not be made to fit, for callers whose response cannot carry it. */
  readonly onFailed?: ((report: OverflowReport) => void) | undefined;
};

/** What to do about a refusal: send a smaller request, pass the response on, or report why nothing helps. */
export type Remedy =
  | {
      readonly action: "retry";
      readonly next: PreparedRequest;
      readonly shedding: Shedding;
      readonly bytesBefore: number;
    }
  | { readonly action: "pass" }
  | { readonly action: "fail"; readonly report: OverflowReport };

type Retry = Extract<Remedy, { action: "retry" }>;

/** A retry that is under way, or whose answer never arrived because the provider was busy or broke off. */
type UnansweredRetry = { readonly verdict: Verdict; readonly remedy: Retry };

/** Each holds a whole request. */
const MAX_UNANSWERED = 20;

export type Recovery = ReturnType<typeof createRecovery>;

/** One recovery for any number of conversations. `recoverExchange` calls its functions in order. */
export function createRecovery({ mode, preventsOverflow, keep, emit, limits, sticky, onFailed }: RecoveryOptions) {
  const unanswered = new Map<string, UnansweredRetry>();

  /** Whether any request could need a change before it is sent. While nothing is known, no request is even parsed. */
  function mayPrepare(): boolean {
    return mode === "on" && (sticky.hasAny() || unanswered.size > 0 || (preventsOverflow && limits.hasAny()));
  }

  /** The request with the stubs of its conversation, and within the limit that is known for its model. */
  async function prepare(original: OutgoingRequest): Promise<PreparedRequest> {
    const retry = findUnanswered(original);
    if (retry !== undefined) return retry.remedy.next;
    const unchanged = prepareUnchanged(original);
    if (!mayPrepare() || original.dialect.findServerState(original.request) !== undefined) return unchanged;
    const withStubs = addEdits(unchanged, [], sticky.find(original));
    if (withStubs !== unchanged) emitRepeated(emit, withStubs);
    return preventsOverflow ? await preventOverflow(withStubs) : withStubs;
  }

  async function preventOverflow(prepared: PreparedRequest): Promise<PreparedRequest> {
    const expected = expectOverflow(prepared.outgoing, limits);
    if (expected === undefined) return prepared;
    const bytesBefore = countWireBytes(prepared.outgoing);
    const { next, shedding } = await shrink(prepared, expected);
    if (next === prepared) return prepared;
    sticky.remember(prepared.original, shedding.stubs);
    emitRecovered(emit, next, expected, { bytesBefore, shedding, attempts: 0 });
    return next;
  }

  const shrink = (prepared: PreparedRequest, verdict: Verdict) =>
    shrinkRequest(prepared, verdict, keep, limits.acceptedFor(prepared.outgoing.target));

  /** Chooses what to do about a refusal. If nothing is gained, the identical request is never sent again. */
  async function chooseRemedy(prepared: PreparedRequest, refusal: Refusal): Promise<Remedy> {
    const { outgoing } = prepared;
    if (isCacheWarming(outgoing, refusal)) return { action: "pass" };
    const verdict = addKnownLimit(outgoing, detectSilentOverflow(outgoing, refusal, limits) ?? refusal.verdict, limits);
    emitClassified(emit, outgoing, { verdict, status: refusal.status });
    if (!isRecoverable(verdict)) {
      if (verdict.class !== "other") emitSkipped(emit, outgoing, verdict, verdict.class);
      return { action: "pass" };
    }
    if (verdict.class === "context_tokens") learnFromRefusal(limits, outgoing, verdict);
    if (mode === "shadow") return passInShadow(outgoing, verdict);
    return retryOrFail(prepared, { ...refusal, verdict });
  }

  function passInShadow(outgoing: OutgoingRequest, verdict: Verdict): Remedy {
    const plan = planShedding(outgoing.request, outgoing.dialect, verdict, { wireBytes: countWireBytes(outgoing) });
    emitSkipped(emit, outgoing, verdict, "shadow", plan);
    return { action: "pass" };
  }

  /** A refusal that is not about the size of the input is passed on where lowering the output does not help. */
  async function retryOrFail(prepared: PreparedRequest, refusal: Refusal): Promise<Remedy> {
    const { outgoing } = prepared;
    const { verdict } = refusal;
    const bytesBefore = countWireBytes(outgoing);
    const failOrPass = (failure: Pick<RecoveryFailure, "reason" | "shedding">): Remedy =>
      isOverflow(verdict)
        ? { action: "fail", report: fail(outgoing, { ...failure, refusal, bytesBefore }) }
        : { action: "pass" };
    if (outgoing.dialect.findServerState(outgoing.request) !== undefined) return failOrPass({ reason: "server_state" });
    const shrunk = await shrink(prepared, verdict);
    const { next, shedding } = shrunk;
    const reason = findShortfall(shrunk, verdict);
    return reason === undefined ? { action: "retry", next, shedding, bytesBefore } : failOrPass({ reason, shedding });
  }

  /** Remembers a retry before it is sent: its stubs persist, and if no answer arrives, it replaces the large request. */
  function rememberRetry(verdict: Verdict, remedy: Retry): void {
    const { original } = remedy.next;
    sticky.remember(original, remedy.shedding.stubs);
    unanswered.set(hashOutgoing(original), { verdict, remedy });
    const [oldest = ""] = unanswered.keys();
    if (unanswered.size > MAX_UNANSWERED) unanswered.delete(oldest);
  }

  const findUnanswered = (original: OutgoingRequest): UnansweredRetry | undefined =>
    unanswered.size > 0 ? unanswered.get(hashOutgoing(original)) : undefined;

  /** Records that the provider accepted a request: learns from its size, and emits a recovery that was still open. */
  function recordAccepted(prepared: PreparedRequest, inputTokens?: () => number | undefined): void {
    const retry = findUnanswered(prepared.original);
    if (retry !== undefined) recordRecovered(retry.verdict, retry.remedy);
    else learnFromAccepted(limits, prepared.outgoing, inputTokens);
  }

  /** Records that the smaller request was accepted. */
  function recordRecovered(verdict: Verdict, remedy: Retry): void {
    unanswered.delete(hashOutgoing(remedy.next.original));
    learnFromAccepted(limits, remedy.next.outgoing);
    emitRecovered(emit, remedy.next, verdict, { ...remedy, attempts: 2 });
  }

  /** Reports that the smaller request was refused for its size as well. */
  function reportSecondRefusal(refusal: Refusal, { next, bytesBefore, shedding }: Retry): OverflowReport {
    unanswered.delete(hashOutgoing(next.original));
    emitClassified(emit, next.outgoing, refusal);
    return fail(next.outgoing, { reason: "refused_again", refusal, bytesBefore, shedding });
  }

  function fail(outgoing: OutgoingRequest, failure: RecoveryFailure): OverflowReport {
    const report = emitFailed(emit, outgoing, failure);
    onFailed?.(report);
    return report;
  }

  return {
    mode,
    mayPrepare,
    prepare,
    chooseRemedy,
    rememberRetry,
    recordAccepted,
    recordRecovered,
    reportSecondRefusal,
  };
}

/** Whether a smaller request or a lower output limit can help. Rate limits, quotas and other errors pass unchanged. */
function isRecoverable({ class: name, confidence }: Verdict): boolean {
  return confidence >= 0.5 && name !== "rate_limit" && name !== "other";
}

/** `max_tokens: 0` warms a cache: its answer is empty by intent. */
function isCacheWarming({ dialect, request }: OutgoingRequest, { status }: Refusal): boolean {
  return status !== null && status < 400 && dialect.findOutputLimit(request)?.tokens === 0;
}
