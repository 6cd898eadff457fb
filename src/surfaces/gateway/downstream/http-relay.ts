/**
 * HTTP to HTTP: requests pass unchanged with their headers, and so do answers, sessions and
 * challenges to log in included. Only lists of tools and results that are too large are changed on the way.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { startCallSpan } from "../call-span.ts";
import { type Deadline, startDeadline } from "../deadline.ts";
import { type JsonObject, parseMessage, type RequestId, readId, toObject, toText, writeTimeout } from "../json-rpc.ts";
import {
  type ClientIdentity,
  createEditor,
  type EditorOptions,
  learnClient,
  profileOf,
  readRequest,
  refuseCall,
  type SentRequest,
} from "../result-editor.ts";
import { createReadTool } from "../tools/read-tool.ts";
import { openTurns } from "../turns.ts";
import { readEvents, writeEvent } from "../upstream/sse-events.ts";

export type HttpRelayOptions = Omit<EditorOptions, "readTool" | "listsReadTool"> & {
  readonly url: string;
  /** Headers from the user's file, which replace those of the client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  /** How long a call may take; by default the setting says. */
  readonly timeoutMs?: number | undefined;
};

export type HttpRelay = {
  /** Challenges to log in are passed on as `rewriteChallenge` returns them. */
  serve(
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
    rewriteChallenge: (challenge: string) => string,
  ): Promise<void>;
};

/** Sessions whose client is remembered. */
const MAX_SESSIONS = 1_000;

/** A relay in front of one HTTP server, for all clients. */
export function createHttpRelay(options: HttpRelayOptions): HttpRelay {
  const readTool = createReadTool(options.session);
  const editor = createEditor({ ...options, readTool, listsReadTool: true });
  const clients = new Map<string, ClientIdentity>();
  const turns = openTurns(options.session);
  const timeoutMs = options.timeoutMs ?? options.session.settings["gateway.call_timeout"];

  async function serve(...[request, body, response, rewriteChallenge]: Parameters<HttpRelay["serve"]>): Promise<void> {
    const json = parseMessage(body)?.json ?? {};
    const [id, method, params] = [readId(json), toText(json.method) ?? "", toObject(json.params)];
    const known = clients.get(String(request.headers["mcp-session-id"])) ?? {};
    const client = { ...learnClient(known, method, params), ...(options.client && { name: options.client }) };
    const sent = readRequest(method, params, profileOf(client));
    const own = id === undefined ? undefined : await answer(id, sent, params);
    if (own !== undefined) return void response.writeHead(200, { "content-type": "application/json" }).end(own);
    const controller = new AbortController();
    response.once("close", () => controller.abort());
    const open = id === undefined ? undefined : openRequest({ ...sent, id }, params, controller);
    try {
      const reply = await send(request, body, controller.signal);
      const sessionId = reply.headers.get("mcp-session-id");
      if (method === "initialize" && sessionId !== null) remember(sessionId, client);
      const challenge = reply.headers.get("www-authenticate");
      if (challenge !== null) response.setHeader("www-authenticate", rewriteChallenge(challenge));
      await pass(reply, response, open);
    } catch (error) {
      if (open === undefined || controller.signal.reason !== EXPIRED) throw error;
      fail(response, writeTimeout(open.id, timeoutMs));
    } finally {
      open?.deadline?.clear();
      open?.turn?.finish(0);
      open?.span?.failed(controller.signal.reason === EXPIRED ? "timeout" : "server_gone");
    }
  }

  /** A request on its way; calls share the characters of their turn and have a deadline. */
  function openRequest(request: Open, params: JsonObject, controller: AbortController): Open {
    if (request.method !== "tools/call") return request;
    const deadline = startDeadline(timeoutMs, () => controller.abort(EXPIRED));
    const { id, tool, client } = request;
    const span = startCallSpan(options.session, { id, tool, server: options.server, client: client?.name, params });
    return { ...request, turn: turns.join(), span, deadline };
  }

  /** An error in place of the answer, or at the end of a stream that has begun. */
  function fail(response: ServerResponse, line: string): void {
    if (response.headersSent) return void response.end(writeEvent({ data: line }));
    response.writeHead(200, { "content-type": "application/json" }).end(line);
  }

  function remember(sessionId: string, client: ClientIdentity): void {
    const [oldest] = clients.keys();
    if (clients.size >= MAX_SESSIONS && oldest !== undefined) clients.delete(oldest);
    clients.set(sessionId, client);
  }

  /** What is answered here: calls of our tool, and of tools that the rules leave out. */
  async function answer(id: RequestId, request: SentRequest, params: JsonObject) {
    if (request.method !== "tools/call") return undefined;
    if (request.tool === readTool.name) return readTool.answer(id, params, request.client);
    return refuseCall(id, request, options);
  }

  function send({ method = "GET", headers }: IncomingMessage, body: string, signal: AbortSignal): Promise<Response> {
    const passed = Object.entries(headers).flatMap(([name, value]) =>
      HOP_HEADERS.test(name) || value === undefined ? [] : [[name, String(value)]],
    );
    const own = { ...Object.fromEntries(passed), ...options.headers };
    return options.fetch(options.url, {
      method,
      headers: own,
      redirect: "manual",
      signal,
      ...(body && { body }),
    });
  }

  async function pass(reply: Response, response: ServerResponse, request: Open | undefined): Promise<void> {
    const headers = Object.fromEntries([...reply.headers].filter(([name]) => !HOP_HEADERS.test(name)));
    const type = reply.headers.get("content-type") ?? "";
    const isEdited = request !== undefined && /^(tools\/(list|call)|tasks\/(get|result))$/.test(request.method);
    if (isEdited && /^application\/json\b/i.test(type)) {
      const text = await edit(await reply.text(), request);
      return void response.writeHead(reply.status, headers).end(text);
    }
    response.writeHead(reply.status, headers);
    response.flushHeaders();
    if (isEdited && /^text\/event-stream\b/i.test(type)) return passEvents(reply, response, request);
    if (reply.body !== null) for await (const chunk of reply.body) response.write(chunk);
    response.end();
  }

  async function passEvents(reply: Response, response: ServerResponse, request: Open | undefined): Promise<void> {
    if (reply.body !== null)
      for await (const event of readEvents(reply.body)) {
        request?.deadline?.restart();
        const text = writeEvent({ ...event, data: await edit(event.data, request) });
        if (response.write(text) || response.destroyed) continue;
        await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
      }
    response.end();
  }

  async function edit(text: string, request: Open | undefined): Promise<string> {
    const message = request === undefined ? undefined : parseMessage(text);
    if (request === undefined || message === undefined || readId(message.json) !== request.id) return text;
    return editor.edit(request, message);
  }

  return { serve };
}

type Open = SentRequest & {
  readonly id: RequestId;
  readonly deadline?: Deadline;
};

/** Why a call is aborted whose time is over. */
const EXPIRED = new Error("The call took too long.");

/** Headers of one connection, what describes a body that may change, and challenges; origins were checked here. */
const HOP_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|origin|content-length|content-encoding|accept-encoding|expect|www-authenticate)$/i;
