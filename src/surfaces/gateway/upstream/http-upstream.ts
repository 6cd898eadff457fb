/** A server over Streamable HTTP, in the revisions with sessions and in those without. */
import { setTimeout as pause } from "node:timers/promises";
import { redactUrl } from "../../../system/redact-url.ts";
import { clip } from "../../../system/safe-names.ts";
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
import { makeMessageHeaders, type ParameterHeaders, readParameterHeaders } from "./message-headers.ts";
import { readEvents } from "./sse-events.ts";
import { createLineQueue, type Upstream } from "./upstream.ts";

export type HttpOptions = {
  readonly url: string;
  /** Headers from the user's file, such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  log(sentence: string): void;
};

/** Attempts to continue a stream that broke off. */
const MAX_RESUMES = 5;
const RESUME_MS = 1_000;
const MAX_RESUME_MS = 30_000;

/** A longer answer is a fault of its sender. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Opens the connection; nothing is sent before the first message. */
export function openHttpUpstream(options: HttpOptions): Upstream {
  const connection = new HttpConnection(options);
  return {
    lines: connection.queue,
    ended: connection.ended.promise,
    async write(line) {
      connection.take(line);
      return undefined;
    },
    stop: () => connection.stop(),
  };
}

/** A request that is being answered. */
type Exchange = {
  readonly id: RequestId;
  readonly method: string;
  readonly revision: string | undefined;
  readonly controller: AbortController;
  isAnswered: boolean;
};

class HttpConnection {
  readonly queue = createLineQueue();
  readonly ended = Promise.withResolvers<string>();
  readonly #options: HttpOptions;
  readonly #lifetime = new AbortController();
  readonly #exchanges = new Map<string, Exchange>();
  #parameters: ReadonlyMap<string, ParameterHeaders> = new Map();
  #sessionId: string | undefined;
  /** The revision of the handshake. */
  #revision: string | undefined;
  /** The handshake as the client sent it, for when the server has forgotten the session. */
  #handshake: { readonly initialize: string; initialized?: string } | undefined;
  #renewal: Promise<void> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Sends a message without waiting for what comes of it. */
  take(line: string): void {
    const json = parseMessage(line)?.json ?? {};
    const [id, method] = [readId(json), toText(json.method)];
    if (method === "initialize") this.#handshake = { initialize: line };
    if (method === "notifications/initialized" && this.#handshake !== undefined) this.#handshake.initialized = line;
    if (method === "notifications/cancelled" && this.#abort(toObject(json.params).requestId)) return;
    const exchange =
      id === undefined || method === undefined
        ? undefined
        : { id, method, revision: readRevision(json), controller: new AbortController(), isAnswered: false };
    if (exchange !== undefined) this.#exchanges.set(keyOf(exchange.id), exchange);
    void this.#carry(line, json, exchange);
  }

  /** In revisions without sessions, the end of the connection is the cancellation. */
  #abort(id: unknown): boolean {
    const exchange = typeof id === "string" || typeof id === "number" ? this.#exchanges.get(keyOf(id)) : undefined;
    if (exchange?.revision === undefined) return false;
    exchange.controller.abort();
    return true;
  }

  async #carry(line: string, json: JsonObject, exchange: Exchange | undefined): Promise<void> {
    try {
      await this.#post(line, json, exchange);
      if (exchange !== undefined && !exchange.isAnswered) await this.#fail(exchange, "The server sent no answer.");
      if (json.method === "notifications/initialized") void this.#listen();
    } catch (error) {
      const reason = describe(error, this.#options.url);
      if (exchange === undefined) this.#options.log(reason);
      else if (!exchange.controller.signal.aborted) await this.#fail(exchange, reason);
    } finally {
      if (exchange !== undefined) this.#exchanges.delete(keyOf(exchange.id));
    }
  }

  async #post(line: string, json: JsonObject, exchange: Exchange | undefined, isRetry = false): Promise<void> {
    const hadSession = this.#sessionId;
    const response = await this.#send("POST", this.#headersFor(json), exchange?.controller.signal, line);
    if (response.status === 404 && hadSession !== undefined && !isRetry && json.method !== "initialize") {
      await readBody(response);
      await this.#renew(hadSession);
      return this.#post(line, json, exchange, true);
    }
    if (json.method === "initialize" && response.ok)
      this.#sessionId = response.headers.get("mcp-session-id") ?? undefined;
    await this.#receive(response, exchange);
  }

  #headersFor(json: JsonObject): Record<string, string> {
    const own = readRevision(json);
    const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    if (own !== undefined) {
      const tool = toText(toObject(json.params).name) ?? "";
      return { ...accept, ...makeMessageHeaders(json, own, this.#parameters.get(tool)) };
    }
    return { ...accept, ...(json.method === "initialize" ? {} : this.#sessionHeaders()) };
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#sessionId === undefined ? {} : { "mcp-session-id": this.#sessionId }),
      ...(this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision }),
    };
  }

  #send(method: string, headers: Record<string, string>, signal?: AbortSignal, body?: string): Promise<Response> {
    const { url, fetch } = this.#options;
    const both = signal === undefined ? this.#lifetime.signal : AbortSignal.any([this.#lifetime.signal, signal]);
    return fetch(url, {
      method,
      headers: { ...this.#options.headers, ...headers },
      redirect: "manual",
      signal: both,
      ...(body === undefined ? {} : { body }),
    });
  }

  async #receive(response: Response, exchange: Exchange | undefined): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && /^text\/event-stream\b/i.test(type)) return this.#receiveEvents(response, exchange);
    const text = await readBody(response);
    const message = parseMessage(text);
    if (message !== undefined && (response.ok || exchange !== undefined)) {
      const answersThis = exchange === undefined || readId(message.json) === exchange.id;
      if (answersThis) return this.#deliver(text.replaceAll(/\r?\n/g, " "), message.json);
    }
    if (response.ok && exchange === undefined) return;
    throw new HttpStatusError(response, text);
  }

  /** Reads a stream to its end; if it breaks off before the answer, continues it by the id of its last event. */
  async #receiveEvents(first: Response, exchange: Exchange | undefined): Promise<void> {
    let response: Response | undefined = first;
    let lastId: string | undefined;
    let waitMs = RESUME_MS;
    for (let resumes = 0; response !== undefined; resumes++) {
      try {
        for await (const { data, id, retryMs } of readEvents(toChunks(response))) {
          lastId = id ?? lastId;
          waitMs = Math.min(retryMs ?? waitMs, MAX_RESUME_MS);
          const message = parseMessage(data);
          if (message !== undefined) await this.#deliver(data.replaceAll("\n", " "), message.json);
        }
      } catch (error) {
        if (lastId === undefined || this.#isStopped(exchange)) throw error;
      }
      if (exchange === undefined || exchange.isAnswered || lastId === undefined || resumes === MAX_RESUMES) return;
      await pause(waitMs, undefined, { signal: this.#lifetime.signal });
      response = await this.#resume(lastId, exchange);
    }
  }

  #isStopped = (exchange: Exchange | undefined): boolean =>
    this.#lifetime.signal.aborted || exchange?.controller.signal.aborted === true;

  async #resume(lastId: string, exchange: Exchange): Promise<Response | undefined> {
    const headers = { accept: "text/event-stream", "last-event-id": lastId, ...this.#sessionHeaders() };
    const response = await this.#send("GET", headers, exchange.controller.signal);
    if (response.ok) return response;
    await readBody(response);
    return undefined;
  }

  async #deliver(line: string, json: JsonObject): Promise<void> {
    const id = json.method === undefined ? readId(json) : undefined;
    const exchange = id === undefined ? undefined : this.#exchanges.get(keyOf(id));
    if (exchange !== undefined) this.#learn(exchange, json);
    if (id !== undefined && this.#isRenewing(id)) return;
    await this.queue.push(line);
  }

  #learn(exchange: Exchange, { result }: JsonObject): void {
    exchange.isAnswered = true;
    if (!isObject(result)) return;
    if (exchange.method === "initialize") this.#revision = toText(result.protocolVersion);
    if (exchange.method === "tools/list")
      this.#parameters = new Map([...this.#parameters, ...readParameterHeaders(result)]);
  }

  /** The server has forgotten the session: the handshake is made again, once for all requests that notice. */
  #renew(lostSession: string): Promise<void> {
    if (this.#sessionId !== lostSession && this.#renewal === undefined) return Promise.resolve();
    this.#renewal ??= this.#repeatHandshake().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  #isRenewing = (id: RequestId): boolean => typeof id === "string" && id.startsWith(RENEWAL_ID);

  async #repeatHandshake(): Promise<void> {
    const handshake = this.#handshake;
    if (handshake === undefined) throw new Error("The session has ended.");
    this.#sessionId = undefined;
    this.#options.log("the server has forgotten the session; it is opened again");
    const json = { ...parseMessage(handshake.initialize)?.json, id: `${RENEWAL_ID}${crypto.randomUUID()}` };
    const exchange = { id: json.id, method: "initialize", revision: undefined, isAnswered: false };
    const own = { ...exchange, controller: new AbortController() };
    this.#exchanges.set(keyOf(json.id), own);
    try {
      await this.#post(JSON.stringify(json), json, own, true);
    } finally {
      this.#exchanges.delete(keyOf(json.id));
    }
    const { initialized } = handshake;
    if (initialized !== undefined)
      await this.#post(initialized, parseMessage(initialized)?.json ?? {}, undefined, true);
  }

  /** Messages that the server sends on its own. Servers may refuse this stream. */
  async #listen(): Promise<void> {
    let lastId: string | undefined;
    for (let failures = 0; failures <= MAX_RESUMES && !this.#lifetime.signal.aborted; failures++) {
      try {
        const headers = { accept: "text/event-stream", ...this.#sessionHeaders() };
        const response = await this.#send("GET", { ...headers, ...(lastId && { "last-event-id": lastId }) });
        if (!response.ok) return void (await readBody(response));
        for await (const { data, id } of readEvents(toChunks(response))) {
          failures = 0;
          lastId = id ?? lastId;
          const message = parseMessage(data);
          if (message !== undefined) await this.#deliver(data.replaceAll("\n", " "), message.json);
        }
      } catch {
        // Without this stream only messages are missed that belong to no request; it is opened again a few times.
      }
      await pause(RESUME_MS * 2 ** failures, undefined, { signal: this.#lifetime.signal }).catch(() => undefined);
    }
  }

  async #fail({ id }: Exchange, reason: string): Promise<void> {
    await this.queue.push(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: reason } }));
  }

  async stop(): Promise<void> {
    if (this.#sessionId !== undefined) {
      const headers = this.#sessionHeaders();
      const response = await this.#send("DELETE", headers, AbortSignal.timeout(RESUME_MS)).catch(() => undefined);
      if (response !== undefined) await readBody(response).catch(() => undefined); // What it says changes nothing any more.
    }
    this.#lifetime.abort();
    this.queue.close();
    this.ended.resolve("The connection was closed.");
  }
}

const RENEWAL_ID = "spillway-renewal-";

/** An answer that is not a message. A challenge says how to log in, so it is passed on. */
class HttpStatusError extends Error {
  constructor(response: Response, text: string) {
    const challenge = response.headers.get("www-authenticate");
    const hint =
      challenge === null
        ? ""
        : ` It asks to log in: ${clip(challenge, CHALLENGE_CHARS)}. Log in with a client that speaks HTTP to it, or set the header Authorization of this server in gateway.jsonc.`;
    const said = text.trim() === "" ? "" : `: ${clip(text.trim(), SAID_CHARS)}`;
    super(`The server answered with HTTP ${response.status}${said}.${hint}`);
  }
}

const CHALLENGE_CHARS = 500;
const SAID_CHARS = 200;

function describe(error: unknown, url: string): string {
  if (error instanceof HttpStatusError) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `The server at ${redactUrl(url)} could not be reached: ${reason}.`;
}

export async function* toChunks(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body !== null) yield* response.body;
}

/** The text of an answer; throws if it is too long. */
export async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of toChunks(response)) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new Error(`an answer has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
