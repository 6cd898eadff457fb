/** The events of recovery, and the report of a request that stays too large. */
import { makeOverflowHint } from "../answer/overflow-reply.ts";
import type { FailureReason, OverflowReport } from "../contract/overflow-report.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Verdict } from "./classify/verdict.ts";
import type { Part } from "./dialects/dialect.ts";
import { countPartChars } from "./estimate-tokens.ts";
import type { Plan } from "./plan/plan.ts";
import type { PreparedRequest } from "./prepared-request.ts";
import type { Refusal } from "./refusal.ts";
import type { Shedding } from "./shed.ts";
import { countWireBytes, type OutgoingRequest } from "./wire/outgoing-request.ts";

/** Records what a refusal was classified as. */
export function emitClassified(
  emit: Emit,
  { dialect }: Pick<OutgoingRequest, "dialect">,
  { verdict, status }: Omit<Refusal, "body">,
): void {
  const { class: name, confidence, limit = null, actual = null, unit = null } = verdict;
  emit({ event: "overflow.classified", dialect: dialect.name, status, class: name, confidence, limit, actual, unit });
}

/** Records that a request was sent with the stubs of earlier requests. */
export function emitRepeated(emit: Emit, { original, outgoing, stubs }: PreparedRequest): void {
  const sizes = { bytes_before: countWireBytes(original), bytes_after: countWireBytes(outgoing) };
  emit({ event: "overflow.repeated", dialect: original.dialect.name, stubs: stubs.size, ...sizes });
}

/** Records that recovery did nothing about a refusal, and what it would have done. */
export function emitSkipped(
  emit: Emit,
  { dialect }: OutgoingRequest,
  verdict: Verdict,
  reason: string,
  plan?: Plan,
): void {
  const [stubs, clamped] = [plan?.replacements.length ?? 0, (plan?.clamp.length ?? 0) > 0];
  emit({ event: "overflow.skipped", dialect: dialect.name, class: verdict.class, reason, stubs, clamped });
}

/** How a request was made smaller, after how many attempts. */
type Shrinking = { readonly shedding: Shedding; readonly bytesBefore: number; readonly attempts: number };

/** Records that a request was made smaller: after a refusal, or before it was sent. */
export function emitRecovered(
  emit: Emit,
  { outgoing }: PreparedRequest,
  { class: name }: Verdict,
  { shedding, bytesBefore, attempts }: Shrinking,
): void {
  const sizes = { bytes_before: bytesBefore, bytes_after: countWireBytes(outgoing) };
  const stubs = refsOf(shedding);
  const clamped = shedding.clamp.length > 0;
  emit({
    event: "overflow.recovered",
    dialect: outgoing.dialect.name,
    class: name,
    attempts,
    ...sizes,
    stubs,
    clamped,
  });
}

export type RecoveryFailure = {
  readonly reason: FailureReason;
  readonly refusal: Refusal;
  readonly bytesBefore: number;
  readonly shedding?: Shedding;
};

/** Records that a request stays too large, and reports it to the client. */
export function emitFailed(emit: Emit, outgoing: OutgoingRequest, failure: RecoveryFailure): OverflowReport {
  const { reason, refusal, bytesBefore, shedding } = failure;
  const { verdict, status, body } = refusal;
  const isSecond = reason === "refused_again";
  const attempts = isSecond ? 2 : 1;
  const { class: name, limit = null, actual = null, unit = null } = verdict;
  const sizes = { bytes_before: bytesBefore, bytes_after: isSecond ? countWireBytes(outgoing) : bytesBefore };
  const stubs = shedding === undefined ? [] : refsOf(shedding);
  emit({ event: "overflow.failed", dialect: outgoing.dialect.name, class: name, reason, attempts, ...sizes, stubs });
  return {
    type: "context_overflow",
    retryable: false,
    reason,
    attempts,
    class: name,
    limit,
    actual,
    unit,
    ...sizes,
    stubs,
    largest_remaining: findLargest(outgoing.dialect.findParts(outgoing.request)),
    hint: makeOverflowHint(reason),
    upstream: { status, body },
  };
}

const refsOf = ({ stubs }: Shedding): string[] => stubs.map(({ ref }) => ref);

function findLargest(parts: readonly Part[]): OverflowReport["largest_remaining"] {
  const sized = parts.map(({ path, content }) => ({ path: path.join("."), chars: countPartChars(content) }));
  return sized.sort((one, other) => other.chars - one.chars).slice(0, 5);
}
