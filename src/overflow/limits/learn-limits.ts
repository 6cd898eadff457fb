/** What a provider's responses show about its limits. */
import type { Verdict } from "../classify/verdict.ts";
import { estimateRequest, estimateSamples } from "../estimate-tokens.ts";
import { countWireBytes, type OutgoingRequest, type SentRequest, type Target } from "../wire/outgoing-request.ts";
import { isPlausible, type KnownLimits } from "./known-limits.ts";
import type { SeenSizes } from "./seen-sizes.ts";

/** What is known about the limits of all targets. */
export type Limits = { readonly known: KnownLimits; readonly seen: SeenSizes };

/** The tokens of a request: our estimate, on the scale of the provider's own counts. */
export function scaledEstimate({ known }: Limits, outgoing: OutgoingRequest): number {
  return Math.ceil(estimateRequest(outgoing) * known.scaleFor(outgoing.target));
}

/** Learns the limit that a refusal names or, where it names none, the refused size. */
export function learnFromRefusal(limits: Limits, outgoing: OutgoingRequest, verdict: Verdict): void {
  const { target } = outgoing;
  if (verdict.limit !== undefined) limits.known.learn(target, verdict, estimateRequest(outgoing));
  else if (verdict.class === "context_tokens")
    limits.seen.recordRefused(target, "tokens", scaledEstimate(limits, outgoing));
  else if (verdict.class === "request_bytes") limits.seen.recordRefused(target, "bytes", countWireBytes(outgoing));
}

/** An accepted request as far as its size is of interest. It holds no content. */
export type WeighedRequest = {
  readonly target: Target;
  readonly bytes: number;
  readonly estimate?: number;
  /** The estimate is from samples: too coarse to show how the provider counts. */
  readonly isSampled?: true;
};

/** Weighs a request that was accepted. It is read only where its size says something new. */
export function weighAccepted(
  { known, seen }: Limits,
  { target, bytes, sample }: SentRequest,
  read: () => OutgoingRequest | undefined,
): WeighedRequest {
  const saysMore = seen.isNewSize(target, bytes) || bytes > (known.learnedFor(target) ?? Infinity);
  if (saysMore && sample !== undefined)
    return { target, bytes, estimate: estimateSamples(sample(), bytes), isSampled: true };
  const outgoing = saysMore ? read() : undefined;
  return { target, bytes, ...(outgoing === undefined ? {} : { estimate: estimateRequest(outgoing) }) };
}

/** Learns from an accepted request: how much fits, how the provider counts, and that a lower limit was wrong. */
export function learnFromAccepted(
  { known, seen }: Limits,
  { target, bytes, estimate, isSampled }: WeighedRequest,
  reportedTokens: number | undefined,
): void {
  // Some servers report a part of their input only, or always the same number.
  const isReported = reportedTokens !== undefined && (estimate === undefined || isPlausible(reportedTokens, estimate));
  if (isReported && estimate !== undefined && !isSampled) known.calibrate(target, reportedTokens, estimate);
  const tokens = isReported ? reportedTokens : Math.ceil((estimate ?? 0) * known.scaleFor(target));
  seen.recordAccepted(target, { bytes, tokens });
  known.disprove(target, reportedTokens ?? tokens);
}
