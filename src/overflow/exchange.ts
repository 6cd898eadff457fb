/** One exchange with a provider over any carrier: prepare, send, inspect, and retry at most once. */
import type { OverflowReport } from "../contract/overflow-report.ts";
import { isOverflow } from "./classify/verdict.ts";
import { type PreparedRequest, prepareUnchanged } from "./prepared-request.ts";
import type { Recovery } from "./recovery.ts";
import type { Refusal } from "./refusal.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

/** A response that can still be passed on whole, and the refusal in it, if it holds one. */
export type SendResult<A> = {
  readonly answer: A;
  /** Whether the provider accepted the request, as far as the response shows. */
  readonly isAccepted: boolean;
  readonly refusal?: Refusal;
  /** Set when the carrier itself had to send the request twice: there is no further retry. */
  readonly isLast?: true;
  /** The input tokens that the provider counted, where what was read of the response reports them. */
  readonly inputTokens?: () => number | undefined;
  /** Releases a response that is not passed on. */
  readonly discard?: () => Promise<void>;
};

/** The response to pass on, and how the exchange ended. */
export type ExchangeResult<A> =
  | { readonly outcome: "unchanged"; readonly answer: A }
  | { readonly outcome: "prepared"; readonly answer: A; readonly stubs: number }
  | { readonly outcome: "recovered"; readonly answer: A; readonly stubs: number }
  | { readonly outcome: "failed"; readonly answer: A; readonly refusal: Refusal; readonly report: OverflowReport };

/** Sends requests for an exchange: a `fetch`, the proxy or the AI SDK middleware. */
type Carrier<A> = {
  /** Reads the request, only when it is needed; undefined when it cannot be parsed. */
  read(): OutgoingRequest | undefined;
  /** Sends the request as it was given, or another one instead. */
  send(replacement?: OutgoingRequest): Promise<SendResult<A>>;
  /** Sends the smaller request after a refusal. */
  resend(smaller: OutgoingRequest): Promise<SendResult<A>>;
};

/** Sends at most two requests. The second one is always smaller, and is sent only where a smaller one can help. */
export async function recoverExchange<A>(recovery: Recovery, carrier: Carrier<A>): Promise<ExchangeResult<A>> {
  const original = recovery.mayPrepare() ? carrier.read() : undefined;
  const prepared = original && (await recovery.prepare(original));
  const first = await carrier.send(
    prepared === undefined || prepared.outgoing === original ? undefined : prepared.outgoing,
  );
  const firstResult = withoutRetry(first.answer, prepared);
  if (first.refusal === undefined) {
    if (prepared && first.isAccepted) recovery.recordAccepted(prepared, first.inputTokens);
    return firstResult;
  }
  const read = prepared === undefined ? carrier.read() : undefined;
  const outgoing = prepared ?? (read && prepareUnchanged(read));
  const remedy = outgoing && (await recovery.chooseRemedy(outgoing, first.refusal));
  if (remedy === undefined || remedy.action === "pass" || (remedy.action === "retry" && first.isLast))
    return firstResult;
  if (remedy.action === "fail") {
    return { outcome: "failed", answer: first.answer, refusal: first.refusal, report: remedy.report };
  }
  await first.discard?.();
  recovery.rememberRetry(first.refusal.verdict, remedy);
  const second = await carrier.resend(remedy.next.outgoing);
  if (second.refusal && isOverflow(second.refusal.verdict)) {
    const report = recovery.reportSecondRefusal(second.refusal, remedy);
    return { outcome: "failed", answer: second.answer, refusal: second.refusal, report };
  }
  if (!second.isAccepted) return { outcome: "unchanged", answer: second.answer };
  recovery.recordRecovered(first.refusal.verdict, remedy);
  return { outcome: "recovered", answer: second.answer, stubs: remedy.shedding.stubs.length };
}

/** The caller always learns that its request was changed before it was sent. */
function withoutRetry<A>(answer: A, prepared: PreparedRequest | undefined): ExchangeResult<A> {
  const isChanged = prepared !== undefined && prepared.outgoing !== prepared.original;
  return isChanged ? { outcome: "prepared", answer, stubs: prepared.stubs.size } : { outcome: "unchanged", answer };
}
