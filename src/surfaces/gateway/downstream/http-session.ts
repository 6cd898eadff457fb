/** One client over Streamable HTTP in front of a link that speaks in lines: what is sent on which open answer. */
import type { ServerResponse } from "node:http";
import { answerEarly } from "../../../system/early-answer.ts";
import {
  isObject,
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  toObject,
  toText,
} from "../json-rpc.ts";
import type { Link } from "../server-link.ts";
import { writeEvent } from "../upstream/sse-events.ts";

/** Messages of a server that wait for the client to listen, and their characters. */
const MAX_BACKLOG = 1_000;
const MAX_BACKLOG_CHARS = 4 * 1024 * 1024;

/** Opens a link whose lines go to the client. */
export type Connect = (toClient: (line: string) => Promise<void>) => Link;

/** Answers with an error that is not about one message. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });
  answerEarly(response, { status, headers: { "content-type": "application/json" }, body });
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

  end(): void {
    if (this.isOpen) this.#response.end();
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

/** A client of a revision with sessions. It has a link of its own. */
export class HttpSession {
  readonly id: string;
  readonly link: Link;
  readonly #streams = new Map<string, AnswerStream>();
  #listener: AnswerStream | undefined;
  #backlog: string[] = [];
  #restored: { readonly id: string; resolve(): void } | undefined;

  constructor(connect: Connect, id: string = crypto.randomUUID()) {
    this.id = id;
    this.link = connect((line) => this.#toClient(line));
  }

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#streams.size > 0;
  }

  /** Repeats the handshake of a session whose link has ended, so that the new link is where the old one was. */
  async restore(params: JsonObject): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#restored = { id: `spillway-restored-${crypto.randomUUID()}`, resolve };
    const { id } = this.#restored;
    await this.link.fromClient(JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params }));
    await Promise.race([promise, this.link.ended]);
    await this.link.fromClient(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }

  /** Ends the stream that carries only what belongs to no request. It has no end of its own. */
  closeListener(): void {
    this.#listener?.end();
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
      if (id === this.#restored?.id) return this.#restored.resolve();
      const stream = this.#streams.get(keyOf(id));
      this.#streams.delete(keyOf(id));
      return stream?.send(line, id);
    }
    // Clients read every open stream, so the newest one will do for what belongs to no request.
    const stream = [...this.#streams.values()].findLast(({ isOpen }) => isOpen) ?? this.#listener;
    if (stream?.isOpen) return stream.send(line);
    const waitingChars = this.#backlog.reduce((sum, { length }) => sum + length, line.length);
    if (this.#backlog.length < MAX_BACKLOG && waitingChars <= MAX_BACKLOG_CHARS) this.#backlog.push(line);
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
export class SharedLink {
  readonly link: Link;
  readonly #requests = new Map<string, Shared>();
  #count = 0;

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#requests.size > 0;
  }

  /** Ends the streams of subscriptions, which have no end of their own. */
  closeListeners(): void {
    for (const { isListening, stream } of this.#requests.values()) if (isListening) stream.end();
  }

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
