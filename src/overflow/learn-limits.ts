/** What a provider's responses show about its limits. */
import type { Verdict } from "./classify/verdict.ts";
import { estimateRequest } from "./expect-overflow.ts";
import type { KnownLimits } from "./known-limits.ts";
import { countWireBytes, type OutgoingRequest } from "./wire/outgoing-request.ts";

/** Learns the limit that a refusal names or, where it names none, the refused size. */
export function learnFromRefusal(limits: KnownLimits, sent: OutgoingRequest, verdict: Verdict): void {
  const estimate = estimateRequest(sent);
  if (verdict.limit === undefined) limits.recordRefused(sent.target, estimate);
  else limits.learn(sent.target, verdict, estimate);
}

/** Learns from an accepted size: how much fits where no number is named, and that a lower limit was wrong. */
export function learnFromAccepted(
  limits: KnownLimits,
  sent: OutgoingRequest,
  inputTokens?: () => number | undefined,
): void {
  if (limits.acceptedFor(sent.target) !== undefined) limits.recordAccepted(sent.target, estimateRequest(sent));
  const limit = limits.learnedFor(sent.target);
  if (limit === undefined || countWireBytes(sent) < limit) return;
  limits.disprove(sent.target, inputTokens?.() ?? estimateRequest(sent) * limits.scaleFor(sent.target));
}
