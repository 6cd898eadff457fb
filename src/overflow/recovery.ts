/** The core of recovery: what is done to a request before it is sent, and after it was refused. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OverflowReport } from "../contract/overflow-report.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Trace } from "../telemetry/spans.ts";
import { isOverflow, type Verdict } from "./classify/verdict.ts";
import type { WrittenRole } from "./dialects/dialect.ts";
import type { Keep } from "./keep-part.ts";
import { addKnownLimit, detectSilentOverflow, expectOverflow, mayExceedWindow } from "./limits/expect-overflow.ts";
import {
  type Limits,
  learnFromAccepted,
  learnFromRefusal,
  type WeighedRequest,
  weighAccepted,
} from "./limits/learn-limits.ts";
import type { RecoveryMemory } from "./memory/recovery-memory.ts";
import {
  emitClassified,
  emitFailed,
  emitRecovered,
  emitRepeated,
  emitSkipped,
  type RecoveryFailure,
} from "./overflow-events.ts";
import { planShedding } from "./plan/plan.ts";
import { findOverlong, type ToolRules } from "./plan/tool-rules.ts";
import { changeRequest, isChanged, type PreparedRequest, prepareUnchanged } from "./prepared-request.ts";
import type { Refusal } from "./refusal.ts";
import { createRefusalCounts } from "./refusal-counts.ts";
import { type Shedding, type Stub, shed } from "./shed.ts";
import { findShortfall, type ShrinkOptions, type Shrunk, shrinkRequest } from "./shrink-request.ts";
import type { ProviderAccess } from "./wire/count-tokens.ts";
import { countWireBytes, hashOutgoing, type OutgoingRequest, type SentRequest } from "./wire/outgoing-request.ts";

export type RecoveryMode = "on" | "shadow" | "off";

export type RecoveryOptions = {
  readonly mode: RecoveryMode;
  /** Whether known limits are applied before a request is sent. */
  readonly preventsOverflow: boolean;
  /** The share of the window to leave free where older parts are removed. */
  readonly headroom: number;
  /** The share of a known window at which a request is made smaller before it is sent. */
  readonly at: number;
  readonly rules: ToolRules;
  /** What may be replaced in earlier turns of what the model wrote into calls, and the user into messages. */
  readonly written: readonly WrittenRole[];
  /** Every n-th refusal of a conversation is passed on; 0 passes none on. */
  readonly tellClient: number;
  /** Whether the provider is asked for the tokens of a smaller request before it is sent. */
  readonly countsTokens: boolean;
  /** Whether a request that alone exceeds a limit per minute is made smaller. */
  readonly actsOnRateLimits: boolean;
  readonly keep: Keep;
  readonly emit: Emit;
  /** Makes a span of each request. */
  readonly trace?: Trace | undefined;
  readonly limits: Limits;
  readonly memory: RecoveryMemory;
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

/** A change that was sent and is not answered yet: what was wrong, and what was done about it. */
type OpenChange = { readonly verdict: Verdict; readonly bytesBefore: number; readonly shedding: Shedding };

/** A request that is described, and read only when it is needed. */
type ReadableCarrier = { describe(): SentRequest; read(): OutgoingRequest | undefined };

/** Each holds the stubs of a whole request. */
const MAX_OPEN_CHANGES = 20;

export type Recovery = ReturnType<typeof createRecovery>;

/** One recovery for any number of conversations. `recoverExchange` calls its functions in order. */
export function createRecovery(options: RecoveryOptions) {
  const { mode, headroom, at, rules, written, keep, emit, limits, memory, onFailed } = options;
  // A client that is to learn of refusals must be refused.
  const preventsOverflow = options.preventsOverflow && options.tellClient === 0;
  const refusalCounts = createRefusalCounts(options.tellClient);
  /** Retries without an answer, because the provider was busy or broke off. */
  const unanswered = new Map<string, OpenChange>();

  /** Whether any request could need a change before it is sent. While nothing is known, no request is even parsed. */
  async function mayPrepare(): Promise<boolean> {
    if (mode !== "on") return false;
    const mayExpect = preventsOverflow && (at < 1 || limits.known.hasAny() || limits.seen.hasRefused());
    return mayExpect || rules.hasCaps || (await memory.hasAny());
  }

  /** The request as it was sent before, or with the stubs of its conversation and within the limit of its model. */
  async function prepare(original: OutgoingRequest): Promise<PreparedRequest> {
    const unchanged = prepareUnchanged(original);
    if (original.dialect.findServerState(original.request) !== undefined) return unchanged;
    const { isSame, ...change } = await memory.find(original);
    await nextTurn();
    const prepared = changeRequest(unchanged, change);
    if (isChanged(prepared)) await nextTurn();
    if (isChanged(prepared) && !unanswered.has(hashOutgoing(original))) emitRepeated(emit, prepared);
    if (isSame) return prepared;
    const capped = rules.hasCaps ? await capResults(prepared) : prepared;
    return preventsOverflow ? await preventOverflow(capped) : capped;
  }

  /** Cuts results that are longer than the user's rule for their tool allows. */
  async function capResults(prepared: PreparedRequest): Promise<PreparedRequest> {
    const { original } = prepared;
    const replacements = findOverlong(original, rules).filter(({ part }) => !prepared.stubs.has(part.path.join(".")));
    if (replacements.length === 0) return prepared;
    const bytesBefore = countWireBytes(prepared.outgoing);
    const shedding = await shed(original, { clamp: [], replacements }, keep);
    const next = changeRequest(prepared, shedding);
    if (next === prepared) return prepared;
    await remember(next, shedding.stubs);
    emitRecovered(emit, next, { class: "request_bytes", confidence: 1 }, { bytesBefore, shedding, attempts: 0 });
    return next;
  }

  async function preventOverflow(prepared: PreparedRequest): Promise<PreparedRequest> {
    const verdict = expectOverflow(prepared.outgoing, limits, at);
    if (verdict === undefined) return prepared;
    const bytesBefore = countWireBytes(prepared.outgoing);
    const { next, shedding } = await shrink(prepared, verdict);
    if (next === prepared) return prepared;
    await remember(next, shedding.stubs);
    emitRecovered(emit, next, verdict, { bytesBefore, shedding, attempts: 0 });
    return next;
  }

  const shrink = (prepared: PreparedRequest, verdict: Verdict) =>
    shrinkRequest(prepared, verdict, keep, planOptionsFor(prepared.outgoing));

  function planOptionsFor({ target }: OutgoingRequest): ShrinkOptions {
    return {
      headroom,
      rules,
      written,
      scale: limits.known.scaleFor(target),
      aimFor: (unit, before) => limits.seen.aimFor(target, unit, before),
    };
  }

  /** The same request is changed in the same way again, and the new stubs persist in its conversation. */
  function remember(next: PreparedRequest, newStubs: readonly Stub[]): Promise<void> {
    return memory.remember(next.original, { clamp: next.clamp, stubs: [...next.stubs.values()] }, newStubs);
  }

  /** Chooses what to do about a refusal. If nothing is gained, the identical request is never sent again. */
  async function chooseRemedy(prepared: PreparedRequest, refusal: Refusal, provider?: ProviderAccess): Promise<Remedy> {
    const { outgoing } = prepared;
    if (isCacheWarming(outgoing, refusal)) return { action: "pass" };
    const seenVerdict = detectSilentOverflow(outgoing, refusal, limits) ?? refusal.verdict;
    emitClassified(emit, outgoing, { verdict: seenVerdict, status: refusal.status });
    if (options.actsOnRateLimits && seenVerdict.subclass === "tpm_single_request")
      return retryOrFail(prepared, { ...refusal, verdict: toOverflow(seenVerdict, outgoing) });
    const verdict = addKnownLimit(outgoing, seenVerdict, limits);
    if (!isRecoverable(verdict)) {
      if (verdict.class !== "other") emitSkipped(emit, outgoing, verdict, verdict.class);
      return { action: "pass" };
    }
    learnFromRefusal(limits, outgoing, verdict);
    await nextTurn();
    if (mode === "shadow") return passInShadow(outgoing, verdict);
    if (refusalCounts.isForClient(outgoing)) {
      emitSkipped(emit, outgoing, verdict, "tell_client");
      return { action: "pass" };
    }
    return retryOrFail(prepared, { ...refusal, verdict }, options.countsTokens ? provider : undefined);
  }

  function passInShadow(outgoing: OutgoingRequest, verdict: Verdict): Remedy {
    const wireBytes = countWireBytes(outgoing);
    const planOptions = { ...planOptionsFor(outgoing), model: outgoing.target.model, wireBytes };
    emitSkipped(
      emit,
      outgoing,
      verdict,
      "shadow",
      planShedding(outgoing.request, outgoing.dialect, verdict, planOptions),
    );
    return { action: "pass" };
  }

  /** A refusal that is not about the size of the input is passed on where lowering the output does not help. */
  async function retryOrFail(prepared: PreparedRequest, refusal: Refusal, provider?: ProviderAccess): Promise<Remedy> {
    const { outgoing } = prepared;
    const { verdict } = refusal;
    const bytesBefore = countWireBytes(outgoing);
    const failOrPass = (failure: Pick<RecoveryFailure, "reason" | "shedding">): Remedy =>
      isOverflow(verdict)
        ? { action: "fail", report: fail(outgoing, { ...failure, refusal, bytesBefore }) }
        : { action: "pass" };
    if (outgoing.dialect.findServerState(outgoing.request) !== undefined) return failOrPass({ reason: "server_state" });
    const estimated = await shrink(prepared, verdict);
    const shrunk = provider ? await correctByCount(estimated, verdict, provider) : estimated;
    const { next, shedding } = shrunk;
    const reason = findShortfall(shrunk, verdict);
    return reason === undefined ? { action: "retry", next, shedding, bytesBefore } : failOrPass({ reason, shedding });
  }

  /** Most users do not ask for counts, so the code is loaded only here. */
  async function correctByCount(estimated: Shrunk, verdict: Verdict, provider: ProviderAccess): Promise<Shrunk> {
    const { shrinkCounted } = await import("./shrink-counted.ts");
    return shrinkCounted(estimated, verdict, shrink, provider);
  }

  /** A refused request that cannot be read cannot be made smaller. That is reported and not passed over. */
  function chooseWithoutReading(sent: SentRequest, refusal: Refusal): Remedy {
    const { verdict, status } = refusal;
    emitClassified(emit, sent, { verdict, status });
    if (mode === "shadow" || !isOverflow(verdict)) return { action: "pass" };
    const { dialect, target, bytes: bytesBefore } = sent;
    const report = fail({ dialect, target, request: {} }, { reason: "not_read", refusal, bytesBefore });
    return { action: "fail", report };
  }

  /** Remembers a retry before it is sent: if no answer arrives, it replaces the large request the next time. */
  async function rememberRetry(verdict: Verdict, { next, shedding, bytesBefore }: Retry): Promise<void> {
    await remember(next, shedding.stubs);
    unanswered.set(hashOutgoing(next.original), { verdict, shedding, bytesBefore });
    const [oldest = ""] = unanswered.keys();
    if (unanswered.size > MAX_OPEN_CHANGES) unanswered.delete(oldest);
  }

  /** Records that the provider accepted a request that was read: emits a recovery that was still open. */
  async function recordAccepted(prepared: PreparedRequest): Promise<void> {
    const open = unanswered.size > 0 ? unanswered.get(hashOutgoing(prepared.original)) : undefined;
    if (open !== undefined) recordRecovered(open.verdict, { ...open, next: prepared });
  }

  /** Records that the smaller request was accepted. */
  function recordRecovered(verdict: Verdict, { next, shedding, bytesBefore }: Omit<Retry, "action">): void {
    unanswered.delete(hashOutgoing(next.original));
    emitRecovered(emit, next, verdict, { shedding, bytesBefore, attempts: 2 });
  }

  /** Reports that the smaller request was refused for its size as well. The next plan aims lower. */
  async function reportSecondRefusal(
    refusal: Refusal,
    { next, bytesBefore, shedding }: Retry,
  ): Promise<OverflowReport> {
    unanswered.delete(hashOutgoing(next.original));
    await memory.forget(next.original);
    emitClassified(emit, next.outgoing, refusal);
    learnFromRefusal(limits, next.outgoing, refusal.verdict);
    return fail(next.outgoing, { reason: "refused_again", refusal, bytesBefore, shedding });
  }

  function fail(outgoing: OutgoingRequest, failure: RecoveryFailure): OverflowReport {
    const report = emitFailed(emit, outgoing, failure);
    onFailed?.(report);
    return report;
  }

  /** The size of a request that was accepted, as the client sent it or as it was changed. */
  function weigh(carrier: ReadableCarrier, changed: OutgoingRequest | undefined): WeighedRequest {
    if (changed === undefined) return weighAccepted(limits, carrier.describe(), carrier.read);
    return weighAccepted(limits, { ...changed, bytes: countWireBytes(changed) }, () => changed);
  }

  return {
    mode,
    trace: options.trace,
    /** Whether a success may still hold a refusal. If not, its first byte is passed on at once. */
    mayBeRefused: (sent: SentRequest) => mode === "on" && mayExceedWindow(sent, limits),
    mayPrepare,
    prepare,
    chooseRemedy,
    chooseWithoutReading,
    rememberRetry,
    recordAccepted,
    recordRecovered,
    reportSecondRefusal,
    weigh,
    learnFromAccepted: (weighed: WeighedRequest, inputTokens: number | undefined) =>
      learnFromAccepted(limits, weighed, inputTokens),
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

/** A limit per minute that one request exceeds is like a window: output and input count against it. */
function toOverflow({ limit, actual }: Verdict, { dialect, request }: OutgoingRequest): Verdict {
  const numbers = { ...(limit === undefined ? {} : { limit }), ...(actual === undefined ? {} : { actual }) };
  const output = dialect.findOutputLimit(request)?.tokens ?? 0;
  const addends = actual === undefined ? {} : { input: Math.max(0, actual - output), output };
  return { class: "context_tokens", confidence: 0.9, unit: "tokens", ...numbers, ...addends };
}
