/** The LLM proxy: a client switches its base URL, and requests that were refused for their size are sent again, smaller. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SpillwayError, systemCode } from "../../errors.ts";
import type { Dialect } from "../../overflow/dialects/dialect.ts";
import { dialectFor } from "../../overflow/dialects/dialects.ts";
import { type Ended, recoverExchange, type Sent } from "../../overflow/exchange.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import {
  failureBody,
  failureHeaders,
  failureStream,
  preparedHeader,
  recoveredHeader,
} from "../../overflow/wire/failure.ts";
import { type Outgoing, outgoingOf, textOfJson } from "../../overflow/wire/outgoing-request.ts";
import { admit } from "./access.ts";
import { type Answer, seen } from "./inspect-response.ts";
import { type Beginning, readUntil } from "./read-body.ts";
import { bytesIn, createRelay, passedHeaders, type Relay, StaleConnection } from "./relay.ts";
import { type Upstreams, upstreamFor } from "./upstreams.ts";

export type ProxyOptions = {
  readonly recovery: Recovery;
  readonly upstreams: Upstreams;
  /** 0 takes a free port. */
  readonly port: number;
  readonly allowOrigins: readonly string[];
  /** What every path must begin with; without one every program of this machine is served. */
  readonly token?: string | undefined;
  /** Largest request that is held to be sent again. */
  readonly bodyBytes: number;
};

/** Clients keep their connections open between the turns of a conversation. */
const keepAliveMs = 65_000;

export type Proxy = AsyncDisposable & { readonly url: string };

/** Listens on this machine only. Disposing ends what is still running. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const relay = createRelay();
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    serve(request, response, { ...options, relay, port: portOf(server.address()) }).catch((error: unknown) =>
      refuse(
        response,
        502,
        "upstream_unreachable",
        `The upstream could not be reached (${systemCode(error) ?? "error"}).`,
      ),
    );
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw cannotListen(options.port, cause);
  });
  const origin = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url: options.token === undefined ? origin : `${origin}/${options.token}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      relay.close();
      await new Promise((done) => server.close(done));
    },
  };
}

function cannotListen(port: number, cause: unknown): SpillwayError {
  const code = systemCode(cause) ?? "error";
  return new SpillwayError("config_invalid", `The proxy cannot listen on port ${port} (${code}).`, {
    hint: "Set proxy.port to one that is free, or to 0 for any; another proxy may be running already.",
    cause,
  });
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address ? address.port : 0;

type Context = ProxyOptions & { readonly relay: Relay };

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const admitted = admit(request, context);
  if ("refused" in admitted) return refuse(response, 403, "forbidden", admitted.refused);
  const { method = "GET" } = request;
  const url = upstreamFor(context.upstreams, admitted.target);
  if (url === undefined) return refuse(response, 404, "unknown_upstream", unknownPlace(context.upstreams));
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const call: Call = { request, response, url, method, context, signal: gone.signal };
  const dialect = context.recovery.mode === "off" ? undefined : dialectFor(method, url.pathname);
  return dialect === undefined ? passThrough(call) : recovering(call, dialect);
}

function unknownPlace(upstreams: Upstreams): string {
  return `The path must begin with one of ${[...upstreams.keys()].map((name) => `/${name}`).join(", ")}.`;
}

/** In the error format that most clients can show. */
function refuse(response: ServerResponse, status: number, type: string, message: string): void {
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

/** Any other endpoint of the provider, and what is too large to hold: the body flows upstream as it comes. */
async function passThrough(call: Call, held: readonly Buffer[] = []): Promise<void> {
  const { request, response, url, method, context, signal } = call;
  const { "content-length": length } = request.headers;
  const headers = passedHeaders(request.rawHeaders);
  const all = length === undefined ? headers : [...headers, "content-length", length];
  const { upstream, answer } = context.relay.open(url, method, all, signal);
  for (const chunk of held) upstream.write(chunk);
  request.pipe(upstream);
  handOn(response, { message: await answer, held: [], ended: false });
}

/** A request's body up to so many bytes; of one that is announced to be larger nothing is held. */
async function readBody(request: IncomingMessage, mostBytes: number): Promise<Beginning> {
  if (Number(request.headers["content-length"]) > mostBytes) return { chunks: [], ended: false };
  return readUntil(request, (_, bytes) => bytes > mostBytes);
}

/** The body is sent in one piece: an upstream that refuses it before it was read can still be heard. */
async function recovering(call: Call, dialect: Dialect): Promise<void> {
  const { request, response, context } = call;
  const { chunks, ended: whole } = await readBody(request, context.bodyBytes);
  if (!whole) return passThrough(call, chunks);
  // A compressed success could not be looked at, and the client loses nothing; in shadow nothing at all is changed.
  const headers = passedHeaders(request.rawHeaders, context.recovery.mode === "on" ? ["accept-encoding"] : []);
  const ended = await recoverExchange<Answer>(context.recovery, {
    read: () => readOutgoing(call, dialect, Buffer.concat(chunks)),
    send: (instead) => post(call, headers, instead?.json === undefined ? chunks : [Buffer.from(instead.json)]),
    resend: ({ json = "" }) => postAfresh(call, withNewKey(headers), [Buffer.from(json)]),
  });
  answerWith(response, ended);
}

function readOutgoing({ request, url }: Call, dialect: Dialect, body: Buffer): Outgoing | undefined {
  const json = textOfJson(body);
  const header = (name: string) => request.headers[name]?.toString();
  return json === undefined ? undefined : outgoingOf({ dialect, url, header }, json);
}

/** A provider that remembers keys would answer the smaller request with the refusal of the first. */
function withNewKey(headers: readonly string[]): string[] {
  return headers.map((text, at) =>
    /^idempotency-key$/i.test(headers[at - 1] ?? "") && at % 2 === 1 ? `${text}-smaller` : text,
  );
}

async function post(call: Call, headers: readonly string[], body: readonly Buffer[]): Promise<Sent<Answer>> {
  const { url, method, context, signal } = call;
  try {
    return await seen(await context.relay.send(url, method, headers, body, { signal }));
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return postAfresh(call, headers, body);
  }
}

/** The second and last request, over a connection that cannot be stale. */
async function postAfresh(
  { url, method, context, signal }: Call,
  headers: readonly string[],
  body: readonly Buffer[],
): Promise<Sent<Answer>> {
  return { ...(await seen(await context.relay.send(url, method, headers, body, { signal, fresh: true }))), last: true };
}

/** The answer as it came, or the provider's error with our fields in it. */
function answerWith(response: ServerResponse, ended: Ended<Answer>): void {
  if (ended.how !== "failed") handOn(response, ended.answer, addedHeaders(ended));
  else handOn(response, told(ended), failureHeaders, ["content-encoding", "content-length"]);
}

/** A refusal with the report in it; where it stands in a stream, the rest of that still comes. */
function told({ answer, refusal, report }: Extract<Ended<Answer>, { how: "failed" }>): Answer {
  const { message, held, ended } = answer;
  const body = String(refusal.body);
  if ((message.statusCode ?? 502) < 400) return { message, held: [failureStream(report, held, body)], ended };
  return { message, held: [Buffer.from(failureBody(report, body))], ended: true };
}

function addedHeaders(ended: Exclude<Ended<Answer>, { how: "failed" }>): Readonly<Record<string, string>> {
  if (ended.how === "as_it_came") return {};
  return ended.how === "recovered" ? recoveredHeader(ended.stubs) : preparedHeader(ended.stubs);
}

/** Status and headers, what was held, and then every chunk as it arrives. */
function handOn(
  response: ServerResponse,
  { message, held, ended }: Answer,
  added: Readonly<Record<string, string>> = {},
  without: readonly string[] = [],
): void {
  const headers = [...passedHeaders(message.rawHeaders, without), ...Object.entries(added).flat()];
  const announced = without.includes("content-length") ? undefined : message.headers["content-length"];
  const length = ended ? String(bytesIn(held)) : announced;
  if (length !== undefined) headers.push("content-length", length);
  response.writeHead(message.statusCode ?? 502, message.statusMessage, headers);
  for (const chunk of held) response.write(chunk);
  if (ended) {
    response.end();
    return;
  }
  // Where the upstream breaks off nobody can be told any more; where the client leaves, its signal lets the upstream go.
  if (message.destroyed && !message.readableEnded) response.destroy();
  else message.once("error", () => response.destroy()).pipe(response);
}
