/** MCP over Streamable HTTP: the revision without sessions by the SDK's handler, earlier ones by stored sessions. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, isLegacyRequest, type JSONRPCMessage, type Server } from "@modelcontextprotocol/server";
import type { Catalogue } from "../../../catalogue/catalogue.ts";
import { isRecord } from "../../../system/json-values.ts";
import { explainInvalidParams } from "../../mcp/invalid-params.ts";
import { isMessage, normalizeArguments } from "../../mcp/parse-messages.ts";
import type { Caller } from "../guard/callers.ts";
import { sendWebResponse, toWebRequest } from "../http/web-exchange.ts";
import { refuse } from "../refusal.ts";
import { CLIENT_HEADER, findClientProblem } from "./client-header.ts";
import type { ServerLease } from "./live-session.ts";
import { createSessionHandler } from "./session-handler.ts";

/** Makes the server of one request, or of one session. */
export type MakeServer = (caller: Caller, clientName: string | undefined) => Promise<ServerLease>;

export type McpEndpointOptions = {
  readonly catalogue: Catalogue;
  readonly makeServer: MakeServer;
  readonly sessionKeepMs: number;
  readonly now: () => number;
  readonly log: (line: string) => void;
};

export interface McpEndpoint extends AsyncDisposable {
  /** Answers a request that was let in. `body` is that of a POST. */
  serve(request: IncomingMessage, response: ServerResponse, body: string, caller: Caller): Promise<void>;
  /** Ends the streams that have no end of their own. */
  closeStreams(): void;
  /** Sessions in memory. */
  readonly liveSessions: number;
}

/** Streams of notifications that are open at once. We send none, so they only cost memory. */
const MAX_SUBSCRIPTIONS = 1_024;

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { makeServer, log } = options;
  /** What the SDK's handler does not know about a request. */
  const exchanges = new WeakMap<Request, { readonly caller: Caller; readonly leases: ServerLease[] }>();
  const subscriptions = new Set<AbortController>();
  const sessions = createSessionHandler({
    ...options,
    keepMs: options.sessionKeepMs,
    makeServer: (caller, request) => makeServer(caller, request.headers.get(CLIENT_HEADER) ?? undefined),
  });
  const stateless = createMcpHandler(({ requestInfo }) => makeRequestServer(requestInfo), {
    legacy: "reject",
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: (error) => log(`mcp: ${error.message}`),
  });

  async function makeRequestServer(request: Request | undefined): Promise<Server> {
    const exchange = request && exchanges.get(request);
    if (request === undefined || exchange === undefined) throw new Error("A request without a caller.");
    const lease = await makeServer(exchange.caller, request.headers.get(CLIENT_HEADER) ?? undefined);
    exchange.leases.push(lease);
    return lease.server;
  }

  async function serve(request: IncomingMessage, response: ServerResponse, text: string, caller: Caller) {
    const body = request.method === "POST" ? parseBody(text) : undefined;
    if (body === null) return sendWebResponse(parseError(), response);
    if (request.method !== "POST" && request.headers["mcp-session-id"] === undefined)
      return refuse(response, { status: 405, message: "Without a session, use POST.", headers: { allow: "POST" } });
    const clientProblem = findClientProblem(request);
    if (clientProblem !== undefined) return refuse(response, { status: 400, message: clientProblem });
    const disconnect = new AbortController();
    response.once("close", () => disconnect.abort());
    if (isSubscription(body)) {
      subscriptions.add(disconnect);
      response.once("close", () => subscriptions.delete(disconnect));
    }
    const webRequest = toWebRequest(request, disconnect.signal);
    if (await isLegacyRequest(webRequest, body)) {
      return sendWebResponse(await sessions.serve(webRequest, body, caller), response);
    }
    const leases: ServerLease[] = [];
    exchanges.set(webRequest, { caller, leases });
    try {
      const reply = await stateless.fetch(webRequest, { parsedBody: body });
      await sendWebResponse(await explainReply(reply), response);
    } finally {
      for (const lease of leases) lease[Symbol.dispose]();
    }
  }

  return {
    serve,
    closeStreams() {
      sessions.closeStreams();
      for (const subscription of subscriptions) subscription.abort();
    },
    get liveSessions() {
      return sessions.live;
    },
    async [Symbol.asyncDispose]() {
      await stateless.close();
      await sessions[Symbol.asyncDispose]();
    },
  };
}

/** The message or messages of a body, with lenient arguments as over stdio; null if it is not JSON. */
function parseBody(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) ? body.map(normalize) : normalize(body);
  } catch {
    return null;
  }
}

const isSubscription = (body: unknown): boolean => isRecord(body) && body.method === "subscriptions/listen";

const normalize = (message: unknown): unknown =>
  isRecord(message) && isMessage(message) ? normalizeArguments(message) : message;

const parseError = (): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32700, message: "The body is not valid JSON." }, id: null },
    { status: 400 },
  );

/** An error about parameters in the words of the protocol. Other replies are passed as they are. */
async function explainReply(reply: Response): Promise<Response> {
  const { status, headers } = reply;
  if (!headers.get("content-type")?.startsWith("application/json")) return reply;
  const text = await reply.text();
  const explained = text.slice(0, ERROR_HEAD_CHARS).includes('"error"') ? explain(text) : text;
  const sentHeaders = new Headers(headers);
  sentHeaders.delete("content-length");
  return new Response(explained, { status, headers: sentHeaders });
}

/** The error comes after the id, which is short. */
const ERROR_HEAD_CHARS = 500;

function explain(text: string): string {
  const message: JSONRPCMessage = JSON.parse(text);
  return JSON.stringify(explainInvalidParams(message));
}
