/** What a provider's responses show about its limits. */
import type { Verdict } from "./classify/verdict.ts";
import { estimateRequest } from "./expect-overflow.ts";
import type { KnownLimits } from "./known-limits.ts";
import { countWireBytes, type OutgoingRequest } from "./wire/outgoing-request.ts";

/** Learns the limit that a refusal names or, where it names none, the refused size. */
export function learnFromRefusal(limits: KnownLimits, outgoing: OutgoingRequest, verdict: Verdict): void {
  const estimate = estimateRequest(outgoing);
  if (verdict.limit === undefined) limits.recordRefused(outgoing.target, estimate);
  else limits.learn(outgoing.target, verdict, estimate);
}

/** Learns from an accepted size: how much fits where no number is named, and that a lower limit was wrong. */
export function learnFromAccepted(
  limits: KnownLimits,
  outgoing: OutgoingRequest,
  inputTokens?: () => number | undefined,
): void {
  if (limits.acceptedFor(outgoing.target) !== undefined)
    limits.recordAccepted(outgoing.target, estimateRequest(outgoing));
  const limit = limits.learnedFor(outgoing.target);
  if (limit === undefined || countWireBytes(outgoing) < limit) return;
  limits.disprove(outgoing.target, inputTokens?.() ?? estimateRequest(outgoing) * limits.scaleFor(outgoing.target));
}
