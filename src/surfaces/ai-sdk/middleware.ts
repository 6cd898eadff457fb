/** Overflow recovery as AI SDK middleware: `wrapLanguageModel({ model, middleware: overflowMiddleware() })`. */
import { classify } from "../../overflow/classify/classify.ts";
import { isOverflow } from "../../overflow/classify/verdict.ts";
import { aiSdk } from "../../overflow/dialects/ai-sdk.ts";
import { type JsonFields, type RequestBody, toFields, toItems } from "../../overflow/dialects/dialect.ts";
import { type OnUsage, recoverExchange, type SendResult } from "../../overflow/exchange.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import type { Refusal } from "../../overflow/refusal.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import { countWireBytes, type OutgoingRequest } from "../../overflow/wire/outgoing-request.ts";
import { openSession, type Session } from "../../session/session.ts";

/** Options of `overflowMiddleware`. */
export type MiddlewareOptions = {
  /** The session whose store, settings and log are used. Default: a new one, opened at the first call. */
  readonly session?: Pick<Session, "settings" | "store" | "emit">;
  /** Default: a recovery opened on the session. */
  readonly recovery?: Recovery;
};

/** The part of a language model that middleware calls; the SDK's own types match it. */
export type CallableModel<Params, Generated, Streamed> = {
  readonly provider: string;
  readonly modelId: string;
  doGenerate(params: Params): PromiseLike<Generated>;
  doStream(params: Params): PromiseLike<Streamed>;
};

type WrappedCall<Params, Generated, Streamed> = {
  doGenerate(): PromiseLike<Generated>;
  doStream(): PromiseLike<Streamed>;
  readonly params: Params;
  readonly model: CallableModel<Params, Generated, Streamed>;
};

/** Middleware that retries a prompt refused for its size once, smaller. A second refusal throws a ContextOverflowError. */
export function overflowMiddleware(options: MiddlewareOptions = {}) {
  let openedRecovery = options.recovery ?? (options.session && openRecovery(options.session));
  const recovery = async (): Promise<Recovery> => (openedRecovery ??= openRecovery(await openSession()));
  return {
    specificationVersion: "v4" as const,
    async wrapGenerate<Params, Generated, Streamed>(
      call: WrappedCall<Params, Generated, Streamed>,
    ): Promise<Generated> {
      const send = (params: Params) => (params === call.params ? call.doGenerate() : call.model.doGenerate(params));
      return recoverCall(await recovery(), call, async (params) => inspectAnswer(await send(params)));
    },
    async wrapStream<Params, Generated, Streamed>(call: WrappedCall<Params, Generated, Streamed>): Promise<Streamed> {
      const send = (params: Params) => (params === call.params ? call.doStream() : call.model.doStream(params));
      return recoverCall(await recovery(), call, async (params) => inspectStream(await send(params)));
    },
  };
}

/** The outcome of a call: a value, or what was thrown instead. */
type Outcome<T> = { readonly value: T } | { readonly thrown: unknown };

async function recoverCall<Params, T>(
  recovery: Recovery,
  { params, model }: Pick<WrappedCall<Params, unknown, unknown>, "params" | "model">,
  send: (params: Params) => Promise<SendResult<Outcome<T>>>,
): Promise<T> {
  if (recovery.mode === "off") return unwrap((await send(params)).answer);
  const target = { endpoint: model.provider, model: model.modelId };
  const original: OutgoingRequest = { dialect: aiSdk, request: params as RequestBody, target };
  const result = await recoverExchange<Outcome<T>>(recovery, {
    describe: () => ({ dialect: aiSdk, target, bytes: countWireBytes(original) }),
    read: () => original,
    send: (replacement) => catchRefusal(() => send((replacement ?? original).request as Params)),
    resend: (smaller) => catchRefusal(() => send(smaller.request as Params)),
  });
  if (result.outcome !== "failed") return unwrap(result.answer);
  throw new ContextOverflowError(result.report, "thrown" in result.answer ? result.answer.thrown : undefined);
}

async function catchRefusal<T>(send: () => Promise<SendResult<Outcome<T>>>): Promise<SendResult<Outcome<T>>> {
  try {
    return await send();
  } catch (thrown) {
    const refusal = toRefusal(thrown);
    return { answer: { thrown }, isAccepted: false, ...(refusal === undefined ? {} : { refusal }) };
  }
}

function unwrap<T>(outcome: Outcome<T>): T {
  if ("value" in outcome) return outcome.value;
  throw outcome.thrown;
}

/** Reads a refusal from the SDK's APICallError, which has the status and the body. An abort or a bug of ours has neither. */
function toRefusal(thrown: unknown): Refusal | undefined {
  const { statusCode, responseBody, message, data } = thrown instanceof Error ? errorFields(thrown) : toFields(thrown);
  const status = typeof statusCode === "number" ? statusCode : null;
  const body = typeof responseBody === "string" ? responseBody : (data ?? message);
  if (status === null && (thrown instanceof DOMException || body === undefined)) return undefined;
  return { verdict: classify({ status, body }), status, body };
}

const errorFields = (error: Error): JsonFields => ({ ...error, message: error.message });

/** An answer cut before its first token is an overflow that the provider did not report. Reasoning counts as output. */
function inspectAnswer<T>(value: T): SendResult<Outcome<T>> {
  const { finishReason, content, usage } = toFields(value);
  const reason = typeof finishReason === "string" ? finishReason : toFields(finishReason).unified;
  const { outputTokens, inputTokens } = toFields(usage);
  if (reason !== "length" || toItems(content).length > 0 || readTotal(outputTokens) !== 0) {
    return { answer: { value }, isAccepted: true, onUsage: (listener) => listener(readTotal(inputTokens)) };
  }
  const verdict = { class: "context_tokens", confidence: 0.8, unit: "tokens" } as const;
  return { answer: { value }, isAccepted: false, refusal: { verdict, status: 200, body: null } };
}

/** Reads a token count, given as a number or as an object with a total. */
function readTotal(count: unknown): number | undefined {
  const total = typeof count === "number" ? count : toFields(count).total;
  return typeof total === "number" ? total : undefined;
}

/** Whether a part only says that the stream has started. */
const isLifecycle = (part: unknown): boolean =>
  /^(stream-start|response-metadata|raw)$/.test(String(toFields(part).type));

/** More lifecycle parts than any provider sends. */
const MAX_INSPECTED_PARTS = 8;

/** Reads a stream up to its first content part. An error there can still be recovered. */
async function inspectStream<T>(value: T): Promise<SendResult<Outcome<T>>> {
  const { stream } = toFields(value);
  if (!(stream instanceof ReadableStream)) return { answer: { value }, isAccepted: true };
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  const buffered: unknown[] = [];
  for (let inspected = 0; inspected < MAX_INSPECTED_PARTS; inspected++) {
    const { done, value: part } = await reader.read();
    if (done) break;
    buffered.push(part);
    if (isLifecycle(part)) continue;
    const { type, error } = toFields(part);
    const refusal = type === "error" ? toRefusal(error) : undefined;
    if (refusal === undefined || !isOverflow(refusal.verdict)) break;
    return { answer: { value: withReplay() }, isAccepted: false, refusal, discard: () => reader.cancel() };
  }
  const listeners: OnUsage[] = [];
  const onUsage = (listener: OnUsage) => void listeners.push(listener);
  return { answer: { value: withReplay() }, isAccepted: true, onUsage };

  function withReplay(): T {
    const onFinish = (usage: unknown) => {
      for (const listener of listeners.splice(0)) listener(readTotal(toFields(usage).inputTokens));
    };
    return { ...value, stream: replay(reader, buffered, onFinish) };
  }
}

/** `onFinish` gets the usage of the last part, or undefined where the stream ends without it. */
function replay(
  reader: ReadableStreamDefaultReader<unknown>,
  buffered: readonly unknown[],
  onFinish: (usage: unknown) => void,
): ReadableStream<unknown> {
  return new ReadableStream<unknown>({
    start(controller) {
      for (const part of buffered) controller.enqueue(part);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      const { type, usage } = toFields(value);
      if (done || type === "finish") onFinish(usage);
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel(reason) {
      onFinish(undefined);
      return reader.cancel(reason);
    },
  });
}
