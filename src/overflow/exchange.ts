/** One exchange with a provider over any carrier: prepare, send, inspect, and retry at most once. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OverflowReport } from "../contract/overflow-report.ts";
import type { Attributes, SpanStart } from "../telemetry/spans.ts";
import { isOverflow } from "./classify/verdict.ts";
import { isChanged, type PreparedRequest, prepareUnchanged } from "./prepared-request.ts";
import type { Recovery } from "./recovery.ts";
import type { Refusal } from "./refusal.ts";
import type { ProviderAccess } from "./wire/count-tokens.ts";
import type { OutgoingRequest, SentRequest } from "./wire/outgoing-request.ts";

/** Gets the input tokens that the provider counted, or undefined where the response does not report them. */
export type OnUsage = (inputTokens: number | undefined) => void;

/** A response that can still be passed on whole, and the refusal in it, if it holds one. */
export type SendResult<A> = {
  readonly answer: A;
  /** Whether the provider accepted the request, as far as the response shows. */
  readonly isAccepted: boolean;
  readonly refusal?: Refusal;
  /** Calls back once the response has ended, or at once if it has been read whole. */
  readonly onUsage?: ((listener: OnUsage) => void) | undefined;
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
export type Carrier<A> = {
  /** Says where the request goes and how large it is, without parsing it. */
  describe(): SentRequest;
  /** Reads the request, only when it is needed; undefined when it cannot be parsed. */
  read(): OutgoingRequest | undefined;
  /** Sends the request as it was given, or another one instead. */
  send(replacement?: OutgoingRequest): Promise<SendResult<A>>;
  /** Sends the smaller request after a refusal. */
  resend(smaller: OutgoingRequest): Promise<SendResult<A>>;
  /** Reaches the provider for something else than the request: for the count of its tokens. */
  readonly provider?: ProviderAccess;
  /** The headers of the caller's request, which may name its trace. */
  readonly headers?: unknown;
};

/** Sends at most two requests. The second one is always smaller, and is sent only where a smaller one can help. */
export async function recoverExchange<A>(recovery: Recovery, carrier: Carrier<A>): Promise<ExchangeResult<A>> {
  const original = (await recovery.mayPrepare()) ? carrier.read() : undefined;
  const prepared = original && (await recovery.prepare(original));
  const replacement = prepared && isChanged(prepared) ? prepared.outgoing : undefined;
  const first = await sendTraced(recovery, carrier, 1, () => carrier.send(replacement));
  const { answer, refusal } = first;
  if (refusal === undefined) {
    if (first.isAccepted) learn(recovery, first, recovery.weigh(carrier, prepared?.outgoing));
    if (first.isAccepted && prepared) await recovery.recordAccepted(prepared);
    return withoutRetry(answer, prepared);
  }
  const read = prepared ?? toPrepared(carrier.read());
  await nextTurn();
  const remedy = read
    ? await recovery.chooseRemedy(read, refusal, carrier.provider)
    : recovery.chooseWithoutReading(carrier.describe(), refusal);
  if (remedy.action === "pass") return withoutRetry(answer, prepared);
  if (remedy.action === "fail") return { outcome: "failed", answer, refusal, report: remedy.report };
  await first.discard?.();
  await nextTurn();
  await recovery.rememberRetry(refusal.verdict, remedy);
  const second = await sendTraced(recovery, carrier, 2, () => carrier.resend(remedy.next.outgoing));
  if (second.refusal && isOverflow(second.refusal.verdict)) {
    const report = await recovery.reportSecondRefusal(second.refusal, remedy);
    return { outcome: "failed", answer: second.answer, refusal: second.refusal, report };
  }
  if (!second.isAccepted) return { outcome: "unchanged", answer: second.answer };
  learn(recovery, second, recovery.weigh(carrier, remedy.next.outgoing));
  recovery.recordRecovered(refusal.verdict, remedy);
  return { outcome: "recovered", answer: second.answer, stubs: remedy.shedding.stubs.length };
}

/** Each request to the provider is a span, until its response begins. */
function sendTraced<A>(
  { trace }: Recovery,
  carrier: Carrier<A>,
  attempt: number,
  send: () => Promise<SendResult<A>>,
): Promise<SendResult<A>> {
  if (trace === undefined) return send();
  return trace(
    () => startSpan(carrier, attempt),
    async (span) => {
      const result = await send();
      span.set(describeRefusal(result.refusal));
      return result;
    },
  );
}

/** By the conventions for GenAI. */
function startSpan<A>({ describe, headers }: Carrier<A>, attempt: number): SpanStart {
  const { dialect, target } = describe();
  const { hostname, port } = URL.parse(`https://${target.endpoint}`) ?? { hostname: target.endpoint, port: "" };
  return {
    name: target.model === "" ? "chat" : `chat ${target.model}`,
    kind: "client",
    carrier: headers,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": dialect.provider ?? dialect.name,
      "gen_ai.request.model": target.model === "" ? undefined : target.model,
      "server.address": hostname,
      "server.port": port === "" ? undefined : Number(port),
      "http.request.resend_count": attempt === 1 ? undefined : attempt - 1,
    },
  };
}

function describeRefusal(refusal: Refusal | undefined): Attributes {
  if (refusal === undefined) return {};
  const { status, verdict } = refusal;
  return {
    "http.response.status_code": status,
    "spillway.overflow.class": verdict.class,
    "error.type": isOverflow(verdict) ? verdict.class : String(status ?? "_OTHER"),
  };
}

const toPrepared = (read: OutgoingRequest | undefined): PreparedRequest | undefined => read && prepareUnchanged(read);

/** An accepted request shows how much fits, and its usage how the provider counts. */
function learn<A>(recovery: Recovery, { onUsage }: SendResult<A>, weighed: ReturnType<Recovery["weigh"]>): void {
  if (onUsage === undefined) recovery.learnFromAccepted(weighed, undefined);
  else onUsage((inputTokens) => recovery.learnFromAccepted(weighed, inputTokens));
}

/** The caller always learns that its request was changed before it was sent. */
function withoutRetry<A>(answer: A, prepared: PreparedRequest | undefined): ExchangeResult<A> {
  return prepared && isChanged(prepared)
    ? { outcome: "prepared", answer, stubs: prepared.stubs.size }
    : { outcome: "unchanged", answer };
}
