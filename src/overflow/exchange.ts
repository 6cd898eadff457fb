/** One exchange with a provider, whatever carries it: prepared, sent, looked at, and at most once sent again. */
import type { OverflowReport } from "../answer/overflow-reply.ts";
import { isOverflow } from "./classify/verdict.ts";
import { type Prepared, type Recovery, type Refusal, unchanged } from "./recovery.ts";
import type { Outgoing } from "./wire/outgoing-request.ts";

/** An answer that can still be handed on whole, and the refusal in it, if it holds one. */
export type Sent<A> = {
  readonly answer: A;
  /** Whether the provider took the request, as far as can be seen. */
  readonly accepted: boolean;
  readonly refusal?: Refusal;
  /** Whether it took the second request to get it: then there is no other. */
  readonly last?: true;
  /** Tokens of the request, where what was read of the answer says so. */
  readonly inputTokens?: () => number | undefined;
  /** Frees an answer that will not be handed on. */
  readonly discard?: () => Promise<void>;
};

/** What to hand on, and what became of it on the way. */
export type Ended<A> =
  | { readonly how: "as_it_came"; readonly answer: A }
  | { readonly how: "prepared"; readonly answer: A; readonly stubs: number }
  | { readonly how: "recovered"; readonly answer: A; readonly stubs: number }
  | { readonly how: "failed"; readonly answer: A; readonly refusal: Refusal; readonly report: OverflowReport };

export type Carrier<A> = {
  /** The request, read only when it is needed; undefined when it cannot be read. */
  read(): Outgoing | undefined;
  /** Sends the request as it was given, or another in its place. */
  send(instead?: Outgoing): Promise<Sent<A>>;
  /** Sends the smaller request after a refusal. */
  resend(smaller: Outgoing): Promise<Sent<A>>;
};

/** At most two requests: the second only where it is smaller, and never for what a smaller one cannot help. */
export async function recoverExchange<A>(recovery: Recovery, carrier: Carrier<A>): Promise<Ended<A>> {
  const given = recovery.mayPrepare() ? carrier.read() : undefined;
  const prepared = given && (await recovery.prepare(given));
  const first = await carrier.send(prepared === undefined || prepared.sent === given ? undefined : prepared.sent);
  const asItCame = handedOn(first.answer, prepared);
  if (first.refusal === undefined) {
    if (prepared && first.accepted) recovery.accepted(prepared, first.inputTokens);
    return asItCame;
  }
  const read = prepared === undefined ? carrier.read() : undefined;
  const outgoing = prepared ?? (read && unchanged(read));
  const remedy = outgoing && (await recovery.remedyFor(outgoing, first.refusal));
  if (remedy === undefined || remedy.do === "pass" || (remedy.do === "retry" && first.last)) return asItCame;
  if (remedy.do === "fail") {
    return { how: "failed", answer: first.answer, refusal: first.refusal, report: remedy.report };
  }
  await first.discard?.();
  recovery.resending(first.refusal.verdict, remedy);
  const second = await carrier.resend(remedy.next.sent);
  if (second.refusal && isOverflow(second.refusal.verdict)) {
    const report = recovery.refusedAgain(second.refusal, remedy);
    return { how: "failed", answer: second.answer, refusal: second.refusal, report };
  }
  if (!second.accepted) return { how: "as_it_came", answer: second.answer };
  recovery.recovered(first.refusal.verdict, remedy);
  return { how: "recovered", answer: second.answer, stubs: remedy.shedding.stubs.length };
}

/** A caller always learns that what it sent was changed on the way. */
function handedOn<A>(answer: A, prepared: Prepared | undefined): Ended<A> {
  const isChanged = prepared !== undefined && prepared.sent !== prepared.given;
  return isChanged ? { how: "prepared", answer, stubs: prepared.stubs.size } : { how: "as_it_came", answer };
}
