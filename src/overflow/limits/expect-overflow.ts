/** What known limits say about a request: that it will be refused, or what a refusal without a reason means. */
import type { Verdict } from "../classify/verdict.ts";
import type { Refusal } from "../refusal.ts";
import { countWireBytes, type OutgoingRequest } from "../wire/outgoing-request.ts";
import { type Limits, scaledEstimate } from "./learn-limits.ts";

/** An estimate may be low: a plan that relies on it counts a little more. */
const ESTIMATE_MARGIN = 1.05;

/** The verdict that the provider would give if the request is over a known limit, else undefined. */
export function expectOverflow(outgoing: OutgoingRequest, limits: Limits): Verdict | undefined {
  const limit = limits.known.tokensFor(outgoing.target);
  if (limit === undefined) return expectUnnumbered(outgoing, limits);
  // A token has at least one byte, so a short body needs no estimate.
  if (countWireBytes(outgoing) < limit) return undefined;
  const input = scaledEstimate(limits, outgoing);
  const { dialect, request } = outgoing;
  const output = dialect.sharesWindow ? (dialect.findOutputLimit(request)?.tokens ?? 0) : 0;
  if (input + output <= limit) return undefined;
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

/** Completes a refusal without a number by the limit that the user set or earlier refusals named. */
export function addKnownLimit(outgoing: OutgoingRequest, verdict: Verdict, { known }: Limits): Verdict {
  const limit = known.tokensFor(outgoing.target);
  if (verdict.class !== "context_tokens" || verdict.limit !== undefined || limit === undefined) return verdict;
  return { ...verdict, limit, unit: "tokens" };
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
