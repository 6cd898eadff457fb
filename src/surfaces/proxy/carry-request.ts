/** Carries a client's request upstream: with recovery where its format is known, else as it is. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dialect } from "../../overflow/dialects/dialect.ts";
import { recoverExchange, type SendResult } from "../../overflow/exchange.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import {
  decodeBody,
  describeBody,
  type OutgoingRequest,
  parseOutgoing,
  type SentRequest,
} from "../../overflow/wire/outgoing-request.ts";
import { decompress } from "./decompress.ts";
import { type HeldBody, holdBody, holdChunks, type SendableBody, sumLengths } from "./held-body.ts";
import { inspectResponse, type UpstreamResponse } from "./inspect-response.ts";
import { readUntil } from "./read-body.ts";
import { filterHeaders, type Relay, StaleConnection } from "./relay.ts";
import { forward, respond } from "./respond.ts";

/** A request that was admitted, and where it goes. */
export type Call = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly method: string;
  readonly signal: AbortSignal;
  readonly context: {
    readonly recovery: Recovery;
    readonly relay: Relay;
    readonly bodyBytes: number;
    readonly folders: readonly string[];
    /** Headers of the request that are not for the upstream, and of its answer that are not for the client. */
    readonly ownHeaders: readonly string[];
    readonly hiddenHeaders: readonly string[];
  };
};

/** For any other endpoint of the provider: streams the body upstream. */
export async function passThrough(call: Call): Promise<void> {
  const answer = { message: await streamUpstream(call, []), chunks: [], isComplete: false };
  forward(call.response, answer, { dropped: call.context.hiddenHeaders });
}

/** Starts the request, pipes the body into it and waits for the response. */
function streamUpstream(call: Call, chunks: readonly Buffer[]): Promise<IncomingMessage> {
  const { request, url, method, context, signal } = call;
  const { "content-length": length } = request.headers;
  const headers = filterHeaders(request.rawHeaders, context.ownHeaders);
  const allHeaders = length === undefined ? headers : [...headers, "content-length", length];
  const { upstream, response } = context.relay.open(url, method, allHeaders, signal);
  for (const chunk of chunks) upstream.write(chunk);
  request.pipe(upstream);
  return response;
}

/** Sends the whole body at once, so that the response is read even if the upstream refuses before it has read the body. */
export async function forwardWithRecovery(call: Call, dialect: Dialect): Promise<void> {
  const { request, response, context } = call;
  const { recovery, bodyBytes, folders, ownHeaders, hiddenHeaders } = context;
  using held = await holdBody(request, { maxBytes: bodyBytes, folders });
  if (!held.isComplete) return streamWithReport(call, dialect, held.sizeBytes === 0 ? [] : [held.read()]);
  const body = describeHeld(call, dialect, held);
  // A compressed success could not be inspected. In shadow mode the request is not changed at all.
  const changedHeaders = recovery.mode === "on" ? ["accept-encoding"] : [];
  const headers = filterHeaders(request.rawHeaders, [...ownHeaders, ...changedHeaders]);
  const result = await recoverExchange<UpstreamResponse>(recovery, {
    describe: body.describe,
    read: body.read,
    send: (replacement) =>
      replacement === undefined
        ? post(call, headers, held, recovery.mode === "shadow" || recovery.mayBeRefused(body.describe()))
        : post(call, withoutEncoding(headers), toBody(replacement), true),
    headers: request.headers,
    provider: { url: call.url, post: (...posted) => postForCount(call, headers, ...posted) },
    resend: (smaller) => postFresh(call, withNewKey(withoutEncoding(headers)), toBody(smaller), true),
  });
  respond(response, result, hiddenHeaders);
}

/** A body that is too large to hold is streamed. Where that is refused for its size, the client is told why nothing helps. */
async function streamWithReport(call: Call, dialect: Dialect, chunks: readonly Buffer[]): Promise<void> {
  const { response, request, url, context } = call;
  const { answer, refusal } = await inspectResponse(await streamUpstream(call, chunks), false);
  const { hiddenHeaders: dropped } = context;
  if (refusal === undefined) return forward(response, answer, { dropped });
  const bytes = Number(request.headers["content-length"]) || sumLengths(chunks);
  const sent = { dialect, target: { endpoint: url.host, model: "" }, bytes };
  const remedy = context.recovery.chooseWithoutReading(sent, refusal);
  if (remedy.action !== "fail") return forward(response, answer, { dropped });
  respond(response, { outcome: "failed", answer, refusal, report: remedy.report }, dropped);
}

/** A body that can be described and read, decompressed only when it is needed. */
function describeHeld({ request, url, context }: Call, dialect: Dialect, held: HeldBody) {
  const encoding = request.headers["content-encoding"] ?? "identity";
  const header = (name: string) => request.headers[name]?.toString();
  let description: SentRequest | undefined;

  const decode = (): Buffer | undefined => decompress(held.read(), encoding, context.bodyBytes);

  function describe(): SentRequest {
    description ??=
      encoding === "identity"
        ? describeBody(dialect, url, held)
        : describeBody(dialect, url, holdChunks([decode() ?? Buffer.alloc(0)]));
    return description;
  }

  function read(): OutgoingRequest | undefined {
    const body = decode();
    const json = body && decodeBody(body);
    return json === undefined ? undefined : parseOutgoing({ dialect, url, header }, json);
  }

  return { describe, read };
}

const toBody = ({ json = "" }: OutgoingRequest): SendableBody => holdChunks([Buffer.from(json)]);

/** A request that was changed is sent uncompressed. */
const withoutEncoding = (headers: readonly string[]): string[] => filterHeaders(headers, ["content-encoding"]);

/** With the same idempotency key a provider would answer the smaller request with the refusal of the first one. */
function withNewKey(headers: readonly string[]): string[] {
  return headers.map((text, index) =>
    /^idempotency-key$/i.test(headers[index - 1] ?? "") && index % 2 === 1 ? `${text}-smaller` : text,
  );
}

/** Sends a request. A kept connection that was closed has not carried it: it is sent over a new one, and counts once. */
async function post(
  call: Call,
  headers: readonly string[],
  body: SendableBody,
  mayBeRefused: boolean,
): Promise<SendResult<UpstreamResponse>> {
  const { url, method, context, signal } = call;
  try {
    return await inspectResponse(await context.relay.send(url, method, headers, body, { signal }), mayBeRefused);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return postFresh(call, headers, body, mayBeRefused);
  }
}

const MAX_COUNT_BYTES = 64 * 1024;

/** Asks the upstream's own counter with the caller's headers. */
async function postForCount(
  { context, signal }: Call,
  headers: readonly string[],
  address: URL,
  json: string,
  timeout: AbortSignal,
): Promise<string | undefined> {
  const bodyHeaders = filterHeaders(headers, ["content-encoding", "accept", "accept-encoding", "idempotency-key"]);
  const options = { signal: AbortSignal.any([signal, timeout]), isFresh: true };
  const message = await context.relay.send(address, "POST", bodyHeaders, holdChunks([Buffer.from(json)]), options);
  const { chunks } = await readUntil(message, (_, bytes) => bytes > MAX_COUNT_BYTES);
  message.destroy();
  return message.statusCode === 200 ? Buffer.concat(chunks).toString("utf8") : undefined;
}

/** Sends a request over a new connection, which cannot be stale. */
async function postFresh(
  { url, method, context, signal }: Call,
  headers: readonly string[],
  body: SendableBody,
  mayBeRefused: boolean,
): Promise<SendResult<UpstreamResponse>> {
  const message = await context.relay.send(url, method, headers, body, { signal, isFresh: true });
  return inspectResponse(message, mayBeRefused);
}
