/** Serves clients of this machine over Streamable HTTP: local programs that know the token, no web pages. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SpillwayError, systemCode } from "../../../errors.ts";
import { admit } from "../../proxy/access.ts";
import { isObject, type JsonObject } from "../json-rpc.ts";
import { type GatewayOptions, noteSize, openGateway, openPins, openServerFetch } from "../open-gateway.ts";
import { makeToolRules } from "../tools/tool-rules.ts";
import { createHttpRelay } from "./http-relay.ts";
import { refuse } from "./http-session.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { createLoginRelay, type OwnPlace } from "./login-relay.ts";

export type HttpServerOptions = GatewayOptions & {
  /** 0 picks a free one. */
  readonly port: number;
};

type ServeOptions = HttpServerOptions & {
  readonly signal: AbortSignal;
  out(text: string): Promise<void>;
};

/** Prints the address and serves until the signal. */
export async function serveHttp(options: ServeOptions): Promise<number> {
  await using server = await openHttpServer(options);
  await options.out(`${server.url}\n`);
  if (!options.signal.aborted) await once(options.signal, "abort");
  return 0;
}

/** A request with a longer body is refused. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Handles an admitted request: its path after the token. */
type Handle = (
  path: string,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
  place: OwnPlace,
) => Promise<void>;

/** Listens on 127.0.0.1. The address holds a token, which stays the same so that clients can be given it. */
export async function openHttpServer(options: HttpServerOptions): Promise<AsyncDisposable & { readonly url: string }> {
  const token = (await options.session.store.seal("spillway gateway")).slice(0, 32);
  const handler = openHandler(options);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    serveRequest(request, response, { port, token, handle: handler.handle }).catch((error: unknown) => {
      if (response.destroyed) return; // The client has left.
      options.log(`a request failed: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, "The server could not be reached.");
    });
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw new SpillwayError("usage", `The gateway cannot listen on port ${options.port} (${systemCode(cause)}).`, {
      hint: "Use another --port, or 0 for any that is free.",
      cause,
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${token}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await handler[Symbol.asyncDispose]();
    },
  };
}

/** One server over HTTP is relayed request by request; anything else has sessions of ours. */
function openHandler(options: HttpServerOptions): AsyncDisposable & { readonly handle: Handle } {
  const [only, ...others] = options.servers;
  if (only !== undefined && others.length === 0 && "url" in only.source && only.source.transport === "http") {
    const service = openServerFetch(options.session);
    const { name: server, source, rules, timeoutMs } = only;
    const relay = createHttpRelay({
      ...options,
      ...source,
      server,
      timeoutMs,
      rules: makeToolRules(rules),
      pins: openPins(only, options),
      onBounded: (tool, chars) => noteSize(options.session, server, tool, chars),
      fetch: service.fetch,
    });
    const login = createLoginRelay({ url: source.url, fetch: service.fetch });
    return {
      async handle(path, request, body, response, place) {
        if (await login.serve(path, request, body, response, place)) return;
        if (!isMcpPath(path, response)) return;
        await relay.serve(request, body, response, (challenge) => login.rewriteChallenge(challenge, place));
      },
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  }
  const gateway = openGateway(options);
  const sessions = createHttpSessions((toClient) => gateway.connect(toClient));
  return {
    async handle(path, request, body, response) {
      if (!isMcpPath(path, response)) return;
      const { method = "GET", headers } = request;
      const messages = method === "POST" ? readMessages(body) : [];
      if (messages === undefined) return refuse(response, 400, "The body is not a JSON-RPC message.");
      await sessions.serve({ method, sessionId: toText(headers["mcp-session-id"]), messages }, response);
    },
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

const toText = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

type RequestContext = { readonly port: number; readonly token: string; readonly handle: Handle };

const METHODS = ["GET", "POST", "DELETE"];

async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { port, token, handle }: RequestContext,
): Promise<void> {
  const allowOrigins = ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:${port}`);
  request.url = moveTokenToFront(request.url ?? "");
  const admission = admit(request, { port, token, allowOrigins });
  if ("refusal" in admission) return refuse(response, admission.status, admission.refusal);
  if (!METHODS.includes(request.method ?? "")) return refuse(response, 405, "Use POST, GET or DELETE.");
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 413, `A message may have ${MAX_BODY_BYTES} bytes.`);
  const origin = `http://127.0.0.1:${port}`;
  await handle(admission.target, request, body, response, { origin, base: `${origin}/${token}` });
}

/** Metadata of an address with a path is at a well-known path with that path behind it (RFC 8414, 9728). */
const moveTokenToFront = (url: string): string =>
  url.replace(/^(\/\.well-known\/[\w-]+)(\/[^/?#]+)(?=\/)/, (_, wellKnown: string, token: string) => token + wellKnown);

function isMcpPath(path: string, response: ServerResponse): boolean {
  if (path.split("?")[0] === "/mcp") return true;
  refuse(response, 404, "The path ends in /mcp.");
  return false;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Otherwise the connection would be destroyed before the refusal is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The messages of a body, of which a batch has several; undefined if it is anything else. */
export function readMessages(body: string): readonly JsonObject[] | undefined {
  try {
    const json: unknown = JSON.parse(body);
    const messages = Array.isArray(json) ? json : [json];
    return messages.length > 0 && messages.every(isObject) ? messages : undefined;
  } catch {
    return undefined; // The caller answers with 400.
  }
}
