/** Recovery as AI SDK middleware: `wrapLanguageModel({ model, middleware: overflowMiddleware() })`. */
import { classify } from "../../overflow/classify/classify.ts";
import { isOverflow } from "../../overflow/classify/verdict.ts";
import { aiSdk } from "../../overflow/dialects/ai-sdk.ts";
import { type Fields, fieldsOf, itemsOf, type Request } from "../../overflow/dialects/dialect.ts";
import { recoverExchange, type Sent } from "../../overflow/exchange.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import type { Refusal } from "../../overflow/refusal.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import type { Outgoing } from "../../overflow/wire/outgoing-request.ts";
import { openSession, type Session } from "../../session/session.ts";

export type MiddlewareOptions = {
  /** Whose store, settings and log are used. Default: a session of this process, opened at the first call. */
  readonly session?: Pick<Session, "settings" | "store" | "emit">;
  /** Default: a recovery opened on the session. */
  readonly recovery?: Recovery;
};

/** As much of a language model as middleware calls; the SDK's own types fit it. */
export type CallableModel<Params, Generated, Streamed> = {
  readonly provider: string;
  readonly modelId: string;
  doGenerate(params: Params): PromiseLike<Generated>;
  doStream(params: Params): PromiseLike<Streamed>;
};

type Wrapped<Params, Generated, Streamed> = {
  doGenerate(): PromiseLike<Generated>;
  doStream(): PromiseLike<Streamed>;
  readonly params: Params;
  readonly model: CallableModel<Params, Generated, Streamed>;
};

/** Middleware that sends a prompt refused for its size once more, smaller; a second refusal is a ContextOverflowError. */
export function overflowMiddleware(options: MiddlewareOptions = {}) {
  let opened = options.recovery ?? (options.session && openRecovery(options.session));
  const recovery = async (): Promise<Recovery> => (opened ??= openRecovery(await openSession()));
  return {
    specificationVersion: "v4" as const,
    async wrapGenerate<Params, Generated, Streamed>(call: Wrapped<Params, Generated, Streamed>): Promise<Generated> {
      const send = (params: Params) => (params === call.params ? call.doGenerate() : call.model.doGenerate(params));
      return recovering(await recovery(), call, async (params) => seenAnswer(await send(params)));
    },
    async wrapStream<Params, Generated, Streamed>(call: Wrapped<Params, Generated, Streamed>): Promise<Streamed> {
      const send = (params: Params) => (params === call.params ? call.doStream() : call.model.doStream(params));
      return recovering(await recovery(), call, async (params) => seenStream(await send(params)));
    },
  };
}

/** What a call came to: a value, or what was thrown instead. */
type Outcome<T> = { readonly value: T } | { readonly thrown: unknown };

async function recovering<Params, T>(
  recovery: Recovery,
  { params, model }: Pick<Wrapped<Params, unknown, unknown>, "params" | "model">,
  send: (params: Params) => Promise<Sent<Outcome<T>>>,
): Promise<T> {
  if (recovery.mode === "off") return handedOn((await send(params)).answer);
  const target = { endpoint: model.provider, model: model.modelId };
  const given: Outgoing = { dialect: aiSdk, request: params as Request, target };
  const ended = await recoverExchange<Outcome<T>>(recovery, {
    read: () => given,
    send: (instead) => caught(() => send((instead ?? given).request as Params)),
    resend: (smaller) => caught(() => send(smaller.request as Params)),
  });
  if (ended.how !== "failed") return handedOn(ended.answer);
  throw new ContextOverflowError(ended.report, "thrown" in ended.answer ? ended.answer.thrown : undefined);
}

async function caught<T>(send: () => Promise<Sent<Outcome<T>>>): Promise<Sent<Outcome<T>>> {
  try {
    return await send();
  } catch (thrown) {
    const refusal = refusalOf(thrown);
    return { answer: { thrown }, accepted: false, ...(refusal === undefined ? {} : { refusal }) };
  }
}

function handedOn<T>(outcome: Outcome<T>): T {
  if ("value" in outcome) return outcome.value;
  throw outcome.thrown;
}

/** The SDK's APICallError carries the status and the body; an abort or a bug of ours carries neither. */
function refusalOf(thrown: unknown): Refusal | undefined {
  const { statusCode, responseBody, message, data } = thrown instanceof Error ? errorFields(thrown) : fieldsOf(thrown);
  const status = typeof statusCode === "number" ? statusCode : null;
  const body = typeof responseBody === "string" ? responseBody : (data ?? message);
  if (status === null && (thrown instanceof DOMException || body === undefined)) return undefined;
  return { verdict: classify({ status, body }), status, body };
}

const errorFields = (error: Error): Fields => ({ ...error, message: error.message });

/** An answer cut before its first token is an overflow that the provider did not call one; thinking is output too. */
function seenAnswer<T>(value: T): Sent<Outcome<T>> {
  const { finishReason, content, usage } = fieldsOf(value);
  const reason = typeof finishReason === "string" ? finishReason : fieldsOf(finishReason).unified;
  const { outputTokens, inputTokens } = fieldsOf(usage);
  if (reason !== "length" || itemsOf(content).length > 0 || totalOf(outputTokens) !== 0) {
    return { answer: { value }, accepted: true, inputTokens: () => totalOf(inputTokens) };
  }
  const verdict = { class: "context_tokens", confidence: 0.8, unit: "tokens" } as const;
  return { answer: { value }, accepted: false, refusal: { verdict, status: 200, body: null } };
}

/** A count by itself, or with what it is made of. */
function totalOf(count: unknown): number | undefined {
  const total = typeof count === "number" ? count : fieldsOf(count).total;
  return typeof total === "number" ? total : undefined;
}

/** Parts by which a stream only says that it has begun. */
const isLifecycle = (part: unknown): boolean =>
  /^(stream-start|response-metadata|raw)$/.test(String(fieldsOf(part).type));

/** Looks at a stream up to its first meaningful part; an error there can still be recovered. */
async function seenStream<T>(value: T): Promise<Sent<Outcome<T>>> {
  const { stream } = fieldsOf(value);
  if (!(stream instanceof ReadableStream)) return { answer: { value }, accepted: true };
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  const held: unknown[] = [];
  for (let looks = 0; looks < 8; looks++) {
    const { done, value: part } = await reader.read();
    if (done) break;
    held.push(part);
    if (isLifecycle(part)) continue;
    const { type, error } = fieldsOf(part);
    const refusal = type === "error" ? refusalOf(error) : undefined;
    if (refusal === undefined || !isOverflow(refusal.verdict)) break;
    return { answer: { value: resumable() }, accepted: false, refusal, discard: () => reader.cancel() };
  }
  return { answer: { value: resumable() }, accepted: true };

  function resumable(): T {
    return { ...value, stream: resumed(reader, held) };
  }
}

function resumed(reader: ReadableStreamDefaultReader<unknown>, held: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream<unknown>({
    start(controller) {
      for (const part of held) controller.enqueue(part);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
