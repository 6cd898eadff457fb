/** Recovery as a `fetch`, for every SDK that accepts one. A success passes through unchanged. */
import type { OverflowReport } from "../contract/overflow-report.ts";
import { openSession, type Session } from "../session/session.ts";
import { classify } from "./classify/classify.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { dialects as builtInDialects, findDialect } from "./dialects/dialects.ts";
import { type OnUsage, recoverExchange, type SendResult } from "./exchange.ts";
import { openRecovery } from "./open-recovery.ts";
import type { Recovery } from "./recovery.ts";
import {
  addReportToBody,
  addReportToStream,
  failureHeaders,
  makePreparedHeader,
  makeRecoveredHeader,
} from "./wire/failure.ts";
import { decodeBody, describeBody, type OutgoingRequest, parseOutgoing } from "./wire/outgoing-request.ts";
import { createRefusalScanner, type RefusalScanner } from "./wire/refusal-scanner.ts";
import { createUsageTail, readInputTokens } from "./wire/token-usage.ts";

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = NonNullable<Parameters<Fetch>[1]>;

export type FetchRecoveryOptions = {
  /** Whose store, settings and log are used. Default: a session of this process, opened at the first request. */
  readonly session?: Pick<Session, "settings" | "store" | "emit"> & Partial<Pick<Session, "trace">>;
  /** Request formats of your own, tried before the built-in ones; `spillway/testing` has their contract as tests. */
  readonly dialects?: readonly Dialect[];
  /** Default: a recovery opened on the session. */
  readonly recovery?: Recovery;
};

/** A `fetch` that retries a request once, smaller, when it is refused for its size. Everything else passes unchanged. */
export function withOverflowRecovery(fetch: Fetch = globalThis.fetch, options: FetchRecoveryOptions = {}): Fetch {
  let recovery = options.recovery ?? (options.session && openRecovery(options.session));
  const dialects = [...(options.dialects ?? []), ...builtInDialects];
  return async (input, init) => {
    const call = init && recoverableCall(input, init, dialects);
    if (call === undefined) return fetch(input, init);
    recovery ??= openRecovery(await openSession());
    return recovery.mode === "off" ? fetch(input, init) : fetchWithRecovery(fetch, call, recovery);
  };
}

/** A request in a known dialect whose body can be read more than once. */
type Call = {
  readonly input: Input;
  readonly init: Init;
  readonly dialect: Dialect;
  readonly dialects: readonly Dialect[];
  readonly url: URL;
  readonly body: string | Uint8Array;
};

function recoverableCall(input: Input, init: Init, dialects: readonly Dialect[]): Call | undefined {
  const { body, method = "GET" } = init;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  const address = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const dialect = findDialect(method.toUpperCase(), url.pathname, dialects);
  return dialect && { input, init, dialect, dialects, url, body };
}

/** A response and, where it refuses, a function that adds the report to it. */
type Answer = { readonly response: Response; readonly addReport?: (report: OverflowReport) => Response };

async function fetchWithRecovery(fetch: Fetch, call: Call, recovery: Recovery): Promise<Response> {
  const { input, init, dialects } = call;
  const result = await recoverExchange<Answer>(recovery, {
    describe: () => describeBody(call.dialect, call.url, toBodyBytes(call.body)),
    read: () => readOutgoing(call),
    send: async (replacement) =>
      inspectResponse(await fetch(input, replacement ? withBody(init, replacement) : init), dialects),
    provider: {
      url: call.url,
      async post(address, json, signal) {
        const response = await fetch(address, {
          method: "POST",
          headers: countHeaders(input, init),
          body: json,
          signal,
        });
        return response.ok ? await response.text() : undefined;
      },
    },
    resend: async (smaller) => inspectResponse(await fetch(input, withNewKey(withBody(init, smaller))), dialects),
  });
  const { response, addReport } = result.answer;
  if (result.outcome === "unchanged") return response;
  if (result.outcome === "failed") return withHeaders(addReport?.(result.report) ?? response, failureHeaders);
  const makeHeader = result.outcome === "prepared" ? makePreparedHeader : makeRecoveredHeader;
  return withHeaders(response, makeHeader(result.stubs));
}

function toBodyBytes(body: string | Uint8Array) {
  return typeof body === "string" ? body : { sizeBytes: body.length, start: body, read: () => body };
}

function readOutgoing({ input, init, dialect, body, url }: Call): OutgoingRequest | undefined {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  const json = typeof body === "string" ? body : decodeBody(body);
  return json === undefined ? undefined : parseOutgoing({ dialect, url, header: (name) => headers.get(name) }, json);
}

/** The headers of the request, whose body is another one. */
function countHeaders(input: Input, init: Init): Headers {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  for (const name of ["content-length", "content-encoding", "accept", "idempotency-key"]) headers.delete(name);
  return headers;
}

function withBody(init: Init, { json }: OutgoingRequest): Init {
  const headers = new Headers(init.headers);
  headers.delete("content-length");
  return { ...init, headers, body: json ?? null };
}

/** With the same idempotency key a provider would answer the smaller request with the refusal of the first one. */
function withNewKey(init: Init): Init {
  const headers = new Headers(init.headers);
  const key = headers.get("idempotency-key");
  if (key !== null) headers.set("idempotency-key", `${key}-smaller`);
  return { ...init, headers };
}

/** Reads errors, and the beginning of JSON and streams. Anything else is not read. */
async function inspectResponse(response: Response, dialects: readonly Dialect[]): Promise<SendResult<Answer>> {
  if (!response.ok) return inspectError(response);
  const type = response.headers.get("content-type") ?? "";
  const scanner = response.body ? createRefusalScanner(type, { dialects }) : undefined;
  if (scanner === undefined || response.body === null) return { answer: { response }, isAccepted: true };
  return inspectSuccess(response, response.body, scanner);
}

async function inspectError(response: Response): Promise<SendResult<Answer>> {
  const body = await response.text();
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  const refusal = { verdict: classify({ status, headers, body }), status, body };
  const addReport = (report: OverflowReport) => copyResponse(response, addReportToBody(report, body));
  return { answer: { response: copyResponse(response, body), addReport }, isAccepted: false, refusal };
}

/** A success may hold a refusal, or an answer that was cut before its first token. */
async function inspectSuccess(
  response: Response,
  stream: ReadableStream<Uint8Array>,
  { scan, finish }: RefusalScanner,
): Promise<SendResult<Answer>> {
  const reader = stream.getReader();
  const heldChunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) heldChunks.push(value);
    const result = done ? finish() : scan(value);
    if (result.status === "undecided") continue;
    const usage = createUsageTail();
    const listeners: OnUsage[] = [];
    const onEnd = () => {
      const inputTokens = readInputTokens(heldChunks) ?? usage.read();
      for (const listener of listeners.splice(0)) listener(inputTokens);
    };
    const resumeWith = (chunks: readonly Uint8Array[]) =>
      copyResponse(response, done ? Buffer.concat(chunks) : resumeStream(reader, chunks, usage.push, onEnd));
    const answer = { response: resumeWith(heldChunks) };
    if (result.status !== "refused") {
      const onUsage = (listener: OnUsage) =>
        void (done ? listener(readInputTokens(heldChunks)) : listeners.push(listener));
      return { answer, isAccepted: true, onUsage };
    }
    const { verdict, body } = result;
    const addReport = (report: OverflowReport) => resumeWith([addReportToStream(report, heldChunks, body)]);
    const refusal = { verdict, status: response.status, body };
    return { answer: { ...answer, addReport }, isAccepted: false, refusal, discard: () => reader.cancel() };
  }
}

/** The chunks that were held, then the rest of the stream as it arrives. */
function resumeStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  heldChunks: readonly Uint8Array[],
  onChunk: (chunk: Uint8Array) => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (const chunk of heldChunks) controller.enqueue(chunk);
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (value) onChunk(value);
        if (done) onEnd();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The response with another body. Length and encoding described the bytes on the wire and are dropped. */
function copyResponse(response: Response, body: string | Buffer | ReadableStream<Uint8Array> | null): Response {
  const { status, statusText, url } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  const copy = new Response(hasNoBody(status) ? null : body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

const hasNoBody = (status: number): boolean => [204, 205, 304].includes(status);

/** The response with headers that say what was done with the request. */
function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const copy = copyResponse(response, response.body);
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
  return copy;
}
