/** What known limits say about a request: that it will be refused, or what a refusal without a reason means. */
import type { Verdict } from "../classify/verdict.ts";
import type { Refusal } from "../refusal.ts";
import { countWireBytes, type OutgoingRequest, type SentRequest, type Target } from "../wire/outgoing-request.ts";
import { type Limits, scaledEstimate } from "./learn-limits.ts";
import { findModelWindow, findServiceBytes } from "./model-windows.ts";

/** An estimate may be low: a plan that relies on it counts a little more. */
const ESTIMATE_MARGIN = 1.05;

/** The verdict that the provider would give if the request is over a known limit, else undefined. */
export function expectOverflow(outgoing: OutgoingRequest, limits: Limits, at = 1): Verdict | undefined {
  const { target } = outgoing;
  const limit = limits.known.tokensFor(target) ?? (at < 1 ? findUndisprovedWindow(target, limits) : undefined);
  if (limit === undefined) return expectUnnumbered(outgoing, limits);
  // A token has at least one byte, so a short body needs no estimate.
  if (countWireBytes(outgoing) < limit * at) return undefined;
  const input = scaledEstimate(limits, outgoing);
  const { dialect, request } = outgoing;
  const output = dialect.sharesWindow ? (dialect.findOutputLimit(request)?.tokens ?? 0) : 0;
  // The output is reserved in the window, but does not fill it.
  if (input <= limit * at && input + output <= limit) return undefined;
  const cautiousInput = Math.ceil(input * ESTIMATE_MARGIN);
  const sizes = { limit, input: cautiousInput, output, actual: cautiousInput + output };
  return { class: "context_tokens", confidence: 1, unit: "tokens", ...sizes };
}

/** The same for a target that names no numbers: a size that it refused twice would be refused again. */
function expectUnnumbered(outgoing: OutgoingRequest, limits: Limits): Verdict | undefined {
  const { target } = outgoing;
  const [refusedBytes, refusedTokens] = (["bytes", "tokens"] as const).map(
    (unit) => limits.seen.refusedFor(target, unit) ?? Infinity,
  ) as [number, number];
  const bytes = countWireBytes(outgoing);
  if (bytes >= refusedBytes) return { class: "request_bytes", confidence: 1 };
  if (bytes < refusedTokens || scaledEstimate(limits, outgoing) < refusedTokens) return undefined;
  return { class: "context_tokens", confidence: 1 };
}

/**
 * Completes a refusal without a number: by the limit that the user set or earlier refusals named, else by what is known of
 * the model or the service, as long as that agrees with the size that was refused and with those that were accepted.
 */
export function addKnownLimit(outgoing: OutgoingRequest, verdict: Verdict, limits: Limits): Verdict {
  if (verdict.limit !== undefined) return verdict;
  if (verdict.class === "request_bytes") return addServiceLimit(outgoing, verdict);
  if (verdict.class !== "context_tokens") return verdict;
  const limit = limits.known.tokensFor(outgoing.target) ?? findAgreeingWindow(outgoing, limits);
  return limit === undefined ? verdict : { ...verdict, limit, unit: "tokens" };
}

function findAgreeingWindow(outgoing: OutgoingRequest, limits: Limits): number | undefined {
  const { dialect, request, target } = outgoing;
  const window = findUndisprovedWindow(target, limits);
  if (window === undefined) return undefined;
  const output = dialect.sharesWindow ? (dialect.findOutputLimit(request)?.tokens ?? 0) : 0;
  const size = scaledEstimate(limits, outgoing) + output;
  return size >= window * 0.8 && size <= window * MAX_AGREEING_FACTOR ? window : undefined;
}

/** The window that is listed for the model, unless a larger request was accepted. */
function findUndisprovedWindow(target: Target, { seen }: Limits): number | undefined {
  const window = findModelWindow(target);
  return window === undefined || seen.acceptedFor(target).tokens >= window ? undefined : window;
}

/** A request that is much larger says nothing about whether the window in our table is the one that counts. */
const MAX_AGREEING_FACTOR = 5;

function addServiceLimit(outgoing: OutgoingRequest, verdict: Verdict): Verdict {
  const limit = findServiceBytes(outgoing.target);
  return limit === undefined || countWireBytes(outgoing) <= limit ? verdict : { ...verdict, limit, unit: "bytes" };
}

/** No model has a smaller window. */
const MIN_WINDOW_TOKENS = 4_096;

/**
 * Whether a request is large enough to be refused for its tokens. Each token has at least one byte, so a body with fewer
 * bytes than the window has tokens cannot be.
 */
export function mayExceedWindow({ target, bytes }: SentRequest, { known, seen }: Limits): boolean {
  const window = known.tokensFor(target) ?? findModelWindow(target) ?? 0;
  return bytes > Math.max(MIN_WINDOW_TOKENS, window, seen.acceptedFor(target).tokens);
}

/** A few providers refuse with an empty body. If the request is near a known limit, its size is the reason. */
export function detectSilentOverflow(outgoing: OutgoingRequest, refusal: Refusal, limits: Limits): Verdict | undefined {
  const { status, body, verdict } = refusal;
  const limit = limits.known.tokensFor(outgoing.target);
  if (limit === undefined || status !== 400 || verdict.class !== "other" || String(body ?? "").trim() !== "")
    return undefined;
  const isNear = scaledEstimate(limits, outgoing) > limit * 0.8;
  return isNear ? { class: "context_tokens", confidence: 0.6, unit: "tokens", limit } : undefined;
}
