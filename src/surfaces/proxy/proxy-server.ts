/** The LLM proxy: a client sets its base URL, and a request that is refused for its size is retried once, smaller. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SpillwayError, systemCode } from "../../errors.ts";
import type { Dialect } from "../../overflow/dialects/dialect.ts";
import { findDialect } from "../../overflow/dialects/dialects.ts";
import { type ExchangeResult, recoverExchange, type SendResult } from "../../overflow/exchange.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import {
  addReportToBody,
  addReportToStream,
  failureHeaders,
  makePreparedHeader,
  makeRecoveredHeader,
} from "../../overflow/wire/failure.ts";
import { decodeBody, type OutgoingRequest, parseOutgoing } from "../../overflow/wire/outgoing-request.ts";
import { admit } from "./access.ts";
import { inspectResponse, type UpstreamResponse } from "./inspect-response.ts";
import { type BodyStart, readUntil } from "./read-body.ts";
import { createRelay, filterHeaders, type Relay, StaleConnection, sumLengths } from "./relay.ts";
import { resolveUpstream, type Upstreams } from "./upstreams.ts";

export type ProxyOptions = {
  readonly recovery: Recovery;
  readonly upstreams: Upstreams;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly allowOrigins: readonly string[];
  /** What every path must begin with. Without it every local program is served. */
  readonly token?: string | undefined;
  /** The largest request that is held for a retry. */
  readonly bodyBytes: number;
};

/** Clients keep their connections open between the turns of a conversation. */
const KEEP_ALIVE_MS = 65_000;

type Proxy = AsyncDisposable & { readonly url: string };

/** Listens on 127.0.0.1. Disposing ends requests that are still running. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const relay = createRelay();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(request, response, { ...options, relay, port: portOf(server.address()) }).catch((error: unknown) =>
      respondError(
        response,
        502,
        "upstream_unreachable",
        `The upstream could not be reached (${systemCode(error) ?? "error"}).`,
      ),
    );
  });
  // Node hands the bare socket over for CONNECT; without a listener it would close it without an answer.
  server.on("connect", (_, socket) => void socket.end("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n"));
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw listenError(options.port, cause);
  });
  const origin = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url: options.token === undefined ? origin : `${origin}/${options.token}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      relay.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listenError(port: number, cause: unknown): SpillwayError {
  const code = systemCode(cause) ?? "error";
  return new SpillwayError("config_invalid", `The proxy cannot listen on port ${port} (${code}).`, {
    hint: "Set proxy.port to a free port, or to 0 for any; another proxy may be running already.",
    cause,
  });
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address ? address.port : 0;

type Context = ProxyOptions & { readonly relay: Relay };

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const admission = admit(request, context);
  if ("refusal" in admission) return respondError(response, admission.status, "forbidden", admission.refusal);
  const { method = "GET" } = request;
  const url = resolveUpstream(context.upstreams, admission.target);
  if (url === undefined) return respondError(response, 404, "unknown_upstream", listUpstreams(context.upstreams));
  const disconnect = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) disconnect.abort();
  });
  const call: Call = { request, response, url, method, context, signal: disconnect.signal };
  const dialect = context.recovery.mode === "off" ? undefined : findDialect(method, url.pathname);
  return dialect === undefined ? passThrough(call) : forwardWithRecovery(call, dialect);
}

function listUpstreams(upstreams: Upstreams): string {
  return `The path must begin with one of ${[...upstreams.keys()].map((name) => `/${name}`).join(", ")}.`;
}

/** Uses the error format that most clients can show. */
function respondError(response: ServerResponse, status: number, type: string, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { type, message } }));
}

type Call = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly method: string;
  readonly context: Context;
  readonly signal: AbortSignal;
};

/** For any other endpoint of the provider, and for bodies that are too large to hold: streams the body upstream. */
async function passThrough(call: Call, chunks: readonly Buffer[] = []): Promise<void> {
  const { request, response, url, method, context, signal } = call;
  const { "content-length": length } = request.headers;
  const headers = filterHeaders(request.rawHeaders);
  const allHeaders = length === undefined ? headers : [...headers, "content-length", length];
  const { upstream, response: upstreamResponse } = context.relay.open(url, method, allHeaders, signal);
  for (const chunk of chunks) upstream.write(chunk);
  request.pipe(upstream);
  forward(response, { message: await upstreamResponse, chunks: [], isComplete: false });
}

/** Reads a body up to the limit. If its announced length is larger, nothing is read. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<BodyStart> {
  if (Number(request.headers["content-length"]) > maxBytes) return { chunks: [], isComplete: false };
  return readUntil(request, (_, bytes) => bytes > maxBytes);
}

/** Sends the whole body at once, so that the response is read even if the upstream refuses before it has read the body. */
async function forwardWithRecovery(call: Call, dialect: Dialect): Promise<void> {
  const { request, response, context } = call;
  const { chunks, isComplete } = await readBody(request, context.bodyBytes);
  if (!isComplete) return passThrough(call, chunks);
  // A compressed success could not be inspected. In shadow mode the request is not changed at all.
  const headers = filterHeaders(request.rawHeaders, context.recovery.mode === "on" ? ["accept-encoding"] : []);
  const result = await recoverExchange<UpstreamResponse>(context.recovery, {
    read: () => readOutgoing(call, dialect, Buffer.concat(chunks)),
    send: (replacement) =>
      post(call, headers, replacement?.json === undefined ? chunks : [Buffer.from(replacement.json)]),
    resend: ({ json = "" }) => postFresh(call, withNewKey(headers), [Buffer.from(json)]),
  });
  respond(response, result);
}

function readOutgoing({ request, url }: Call, dialect: Dialect, body: Buffer): OutgoingRequest | undefined {
  const json = decodeBody(body);
  const header = (name: string) => request.headers[name]?.toString();
  return json === undefined ? undefined : parseOutgoing({ dialect, url, header }, json);
}

/** With the same idempotency key a provider would answer the smaller request with the refusal of the first one. */
function withNewKey(headers: readonly string[]): string[] {
  return headers.map((text, index) =>
    /^idempotency-key$/i.test(headers[index - 1] ?? "") && index % 2 === 1 ? `${text}-smaller` : text,
  );
}

async function post(
  call: Call,
  headers: readonly string[],
  body: readonly Buffer[],
): Promise<SendResult<UpstreamResponse>> {
  const { url, method, context, signal } = call;
  try {
    return await inspectResponse(await context.relay.send(url, method, headers, body, { signal }));
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return postFresh(call, headers, body);
  }
}

/** Sends the second and last request, over a new connection, which cannot be stale. */
async function postFresh(
  { url, method, context, signal }: Call,
  headers: readonly string[],
  body: readonly Buffer[],
): Promise<SendResult<UpstreamResponse>> {
  const message = await context.relay.send(url, method, headers, body, { signal, isFresh: true });
  return { ...(await inspectResponse(message)), isLast: true };
}

type Result = ExchangeResult<UpstreamResponse>;

/** Passes the response on, or the provider's error with our fields in it. */
function respond(response: ServerResponse, result: Result): void {
  if (result.outcome !== "failed") forward(response, result.answer, addedHeaders(result));
  else forward(response, addReport(result), failureHeaders, ["content-encoding", "content-length"]);
}

/** A refusal with the report in it. If it is an event of a stream, the rest of the stream follows. */
function addReport({ answer, refusal, report }: Extract<Result, { outcome: "failed" }>): UpstreamResponse {
  const { message, chunks, isComplete } = answer;
  const body = String(refusal.body);
  if ((message.statusCode ?? 502) < 400)
    return { message, chunks: [addReportToStream(report, chunks, body)], isComplete };
  return { message, chunks: [Buffer.from(addReportToBody(report, body))], isComplete: true };
}

function addedHeaders(result: Exclude<Result, { outcome: "failed" }>): Readonly<Record<string, string>> {
  if (result.outcome === "unchanged") return {};
  return result.outcome === "recovered" ? makeRecoveredHeader(result.stubs) : makePreparedHeader(result.stubs);
}

/** Sends status and headers, the chunks that were held, and then every chunk as it arrives. */
function forward(
  response: ServerResponse,
  { message, chunks, isComplete }: UpstreamResponse,
  extraHeaders: Readonly<Record<string, string>> = {},
  droppedHeaders: readonly string[] = [],
): void {
  const headers = [...filterHeaders(message.rawHeaders, droppedHeaders), ...Object.entries(extraHeaders).flat()];
  const announced = droppedHeaders.includes("content-length") ? undefined : message.headers["content-length"];
  const length = isComplete ? String(sumLengths(chunks)) : announced;
  if (length !== undefined) headers.push("content-length", length);
  response.writeHead(message.statusCode ?? 502, message.statusMessage, headers);
  for (const chunk of chunks) response.write(chunk);
  if (isComplete) {
    response.end();
    return;
  }
  // If the upstream breaks off, the client's connection is cut. If the client leaves, its signal ends the upstream request.
  if (message.destroyed && !message.readableEnded) response.destroy();
  else message.once("error", () => response.destroy()).pipe(response);
}
