/**
 * Serves clients over Streamable HTTP in front of servers that speak in lines. A client with a session has a link of its
 * own; requests of the revision without sessions share one link, under ids of ours.
 */
import type { ServerResponse } from "node:http";
import {
  isObject,
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  readRevision,
  toObject,
  toText,
} from "../json-rpc.ts";
import type { Link } from "../server-link.ts";
import { writeEvent } from "../upstream/sse-events.ts";

/** Sessions that are open at once. */
const MAX_SESSIONS = 64;

/** Messages of a server that wait for the client to listen. */
const MAX_BACKLOG = 1_000;

export type Connect = (toClient: (line: string) => Promise<void>) => Link;

/** A request of a client, as far as it matters here. */
export type HttpRequest = {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** The messages of its body. */
  readonly messages: readonly JsonObject[];
};

export type HttpSessions = AsyncDisposable & {
  serve(request: HttpRequest, response: ServerResponse): Promise<void>;
};

/** Sessions over one way to connect. */
export function createHttpSessions(connect: Connect): HttpSessions {
  const sessions = new Map<string, HttpSession>();
  let shared: SharedLink | undefined;

  async function serve({ method, sessionId, messages }: HttpRequest, response: ServerResponse): Promise<void> {
    if (messages.some((json) => readRevision(json) !== undefined)) {
      shared ??= new SharedLink(connect);
      return shared.post(messages, response);
    }
    const isNew = messages.some((json) => json.method === "initialize");
    const session = isNew ? open() : sessions.get(sessionId ?? "");
    if (session === "full") return refuse(response, 503, "Too many sessions are open.");
    if (session === undefined && sessionId === undefined) return refuse(response, 400, "A session id is missing.");
    if (session === undefined) return refuse(response, 404, "There is no such session: initialize again.");
    response.setHeader("mcp-session-id", session.id);
    if (method === "POST") return session.post(messages, response);
    if (method === "GET") return session.listen(response);
    sessions.delete(session.id);
    await session.link.stop();
    response.writeHead(200).end();
  }

  function open(): HttpSession | "full" {
    if (sessions.size >= MAX_SESSIONS) return "full";
    const session = new HttpSession(connect);
    sessions.set(session.id, session);
    void session.link.ended.then(() => sessions.delete(session.id));
    return session;
  }

  return {
    serve,
    async [Symbol.asyncDispose]() {
      const links = [...sessions.values(), ...(shared === undefined ? [] : [shared])].map(({ link }) => link);
      await Promise.all(links.map((link) => link.stop()));
    },
  };
}

/** Answers with an error that is not about one message. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }));
}

/** The open answer to some requests: it ends when all of them are answered. */
class AnswerStream {
  readonly #response: ServerResponse;
  readonly #open: Set<string>;

  constructor(response: ServerResponse, ids: readonly RequestId[]) {
    this.#response = response;
    this.#open = new Set(ids.map(keyOf));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.flushHeaders();
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Waits while the client is behind. */
  async send(line: string, answered?: RequestId): Promise<void> {
    if (!this.isOpen) return;
    const hasRoom = this.#response.write(writeEvent({ data: line }));
    if (answered !== undefined) this.#open.delete(keyOf(answered));
    if (answered !== undefined && this.#open.size === 0) return void this.#response.end();
    if (hasRoom) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#response.off("drain", done).off("close", done);
        resolve();
      };
      this.#response.once("drain", done).once("close", done);
    });
  }
}

const readIds = (messages: readonly JsonObject[]): RequestId[] =>
  messages.flatMap((json) => (json.method === undefined ? [] : (readId(json) ?? [])));

class HttpSession {
  readonly id = crypto.randomUUID();
  readonly link: Link;
  readonly #streams = new Map<string, AnswerStream>();
  #listener: AnswerStream | undefined;
  #backlog: string[] = [];

  constructor(connect: Connect) {
    this.link = connect((line) => this.#toClient(line));
  }

  async post(messages: readonly JsonObject[], response: ServerResponse): Promise<void> {
    const ids = readIds(messages);
    if (ids.length === 0) response.writeHead(202).end();
    else {
      const stream = new AnswerStream(response, ids);
      for (const id of ids) this.#streams.set(keyOf(id), stream);
    }
    for (const json of messages) await this.link.fromClient(JSON.stringify(json));
  }

  async listen(response: ServerResponse): Promise<void> {
    if (this.#listener?.isOpen) return refuse(response, 409, "This session has a listener already.");
    this.#listener = new AnswerStream(response, []);
    const waiting = this.#backlog;
    this.#backlog = [];
    for (const line of waiting) await this.#listener.send(line);
  }

  async #toClient(line: string): Promise<void> {
    const json = parseMessage(line)?.json ?? {};
    const id = json.method === undefined ? readId(json) : undefined;
    if (id !== undefined) {
      const stream = this.#streams.get(keyOf(id));
      this.#streams.delete(keyOf(id));
      return stream?.send(line, id);
    }
    // Clients read every open stream, so the newest one will do for what belongs to no request.
    const stream = [...this.#streams.values()].findLast(({ isOpen }) => isOpen) ?? this.#listener;
    if (stream?.isOpen) return stream.send(line);
    if (this.#backlog.length < MAX_BACKLOG) this.#backlog.push(line);
  }
}

/** A request under our id, and what the client calls it. */
type Shared = {
  readonly id: RequestId;
  readonly token: unknown;
  readonly isListening: boolean;
  readonly stream: AnswerStream;
};

/** One link for requests of many clients, whose ids and tokens may be the same. */
class SharedLink {
  readonly link: Link;
  readonly #requests = new Map<string, Shared>();
  #count = 0;

  constructor(connect: Connect) {
    this.link = connect((line) => this.#toClient(line));
  }

  async post(messages: readonly JsonObject[], response: ServerResponse): Promise<void> {
    const ids = readIds(messages);
    const stream = ids.length === 0 ? undefined : new AnswerStream(response, ids);
    if (stream === undefined) response.writeHead(202).end();
    for (const json of messages) {
      const id = json.method === undefined ? undefined : readId(json);
      if (stream === undefined || id === undefined) await this.link.fromClient(JSON.stringify(json));
      else await this.#take(json, id, stream, response);
    }
  }

  async #take(json: JsonObject, id: RequestId, stream: AnswerStream, response: ServerResponse): Promise<void> {
    const ownId = `shared-${++this.#count}`;
    const params = toObject(json.params);
    const meta = toObject(params._meta);
    const token = meta.progressToken;
    const isListening = json.method === "subscriptions/listen";
    this.#requests.set(ownId, { id, token, isListening, stream });
    response.once("close", () => {
      if (!this.#requests.delete(ownId)) return;
      // In this revision, closing the connection is the cancellation.
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: ownId } };
      void this.link.fromClient(JSON.stringify(cancelled));
    });
    const ownMeta = token === undefined ? meta : { ...meta, progressToken: ownId };
    await this.link.fromClient(JSON.stringify({ ...json, id: ownId, params: { ...params, _meta: ownMeta } }));
  }

  async #toClient(line: string): Promise<void> {
    const json = parseMessage(line)?.json ?? {};
    const id = json.method === undefined ? readId(json) : undefined;
    if (id !== undefined) {
      const request = this.#requests.get(String(id));
      this.#requests.delete(String(id));
      return request?.stream.send(JSON.stringify({ ...json, id: request.id }), request.id);
    }
    const params = toObject(json.params);
    const request = this.#requests.get(toText(params.progressToken) ?? "");
    if (request !== undefined)
      return request.stream.send(JSON.stringify({ ...json, params: { ...params, progressToken: request.token } }));
    for (const each of this.#requests.values())
      if (each.isListening) await each.stream.send(JSON.stringify(withSubscription(json, each.id)));
  }
}

/** A client knows the notifications of a subscription by the id of its own request. */
function withSubscription(json: JsonObject, id: RequestId): JsonObject {
  const params = toObject(json.params);
  const meta = isObject(params._meta) ? params._meta : {};
  if (meta[SUBSCRIPTION] === undefined) return json;
  return { ...json, params: { ...params, _meta: { ...meta, [SUBSCRIPTION]: id } } };
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
