/**
 * One path with wrapped servers behind it. Every client with a session has servers of its own; requests of an owner without
 * sessions share them. A session is a row of the catalogue, so it outlives its servers: they are started again when needed.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Catalogue } from "../../../catalogue/catalogue.ts";
import {
  addMcpSession,
  deleteMcpSession,
  deleteOldMcpSessions,
  findMcpSession,
  markMcpSessionUsed,
} from "../../../catalogue/mcp-session-rows.ts";
import {
  type Connect,
  HttpSession,
  refuse as refuseMessage,
  SharedLink,
} from "../../gateway/downstream/http-session.ts";
import { readMessages } from "../../gateway/downstream/serve-http.ts";
import { type JsonObject, parseMessage, readRevision, toObject } from "../../gateway/json-rpc.ts";
import { tooMany } from "../guard/admission.ts";
import type { Caller } from "../guard/callers.ts";
import { type FairQueue, QueueFullError } from "../guard/fair-queue.ts";
import { waitForEnd } from "../http/open-answer.ts";
import { CLIENT_HEADER, findClientProblem } from "../mcp/client-header.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { LiveLink, LiveLinks } from "./live-links.ts";

/** The servers of a caller, which are started by the first connection. */
export type OpenedServers = AsyncDisposable & { readonly connect: Connect };

export type ServerEndpointOptions = {
  /** Its path, which its sessions are bound to. */
  readonly path: string;
  /** How many servers are behind it. */
  readonly servers: number;
  readonly open: (caller: Caller, clientName: string | undefined) => Promise<OpenedServers>;
  readonly links: LiveLinks;
  readonly queue: FairQueue;
  readonly catalogue: Catalogue;
  /** How long a session lasts without a request. */
  readonly keepMs: number;
  readonly now: () => number;
};

export type ServerRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  readonly caller: Caller;
};

export type ServerEndpoint = {
  serve(request: ServerRequest): Promise<void>;
  /** Ends the streams that have no end of their own. */
  closeStreams(): void;
};

/** A batch counts as one call, so it must not be many. */
const MAX_BATCH = 20;

const MAX_SESSIONS_PER_OWNER = 1_000;
const MAX_HANDSHAKE_CHARS = 64 * 1024;
const MARK_INTERVAL_MS = 60_000;
const MAX_CANCELLATION_AGE_MS = 10 * 60_000;

/** How long servers may take to greet again. */
const RESTORE_MS = 60_000;

/** How often, and after which pauses, room for servers is looked for. */
const ROOM_ATTEMPTS = 10;
const ROOM_PAUSE_MS = 100;

/** A connection to servers, with its place among all links. Until it is marked as started it does not count as idle. */
type Live<T> = { readonly target: T; readonly place: LiveLink; markStarted(): void };

/** Thrown for a request that is refused after its servers were looked for. */
class RefusedRequest extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function createServerEndpoint(options: ServerEndpointOptions): ServerEndpoint {
  const { path, servers, links, queue, catalogue, keepMs, now } = options;
  /** By session id and holder: an id alone opens nothing. */
  const sessions = new Map<string, Promise<Live<HttpSession>>>();
  const shared = new Map<string, Promise<Live<SharedLink>>>();
  const settled = new Set<{ closeStreams(): void }>();
  const holderOf = ({ owner, tokenName }: Caller) => ({ owner, token: `${tokenName} ${path}` });
  const keyOf = (caller: Caller, id: string): string => JSON.stringify([holderOf(caller), id]);

  async function serve({ request, response, body, caller }: ServerRequest): Promise<void> {
    const messages = request.method === "POST" ? readMessages(body) : [];
    if (messages === undefined) return refuseMessage(response, 400, "The body is not a JSON-RPC message.");
    if (messages.length > MAX_BATCH) return refuseMessage(response, 400, `A batch has at most ${MAX_BATCH} messages.`);
    const problem = findClientProblem(request);
    if (problem !== undefined) return refuse(response, { status: 400, message: problem });
    const left = new AbortController();
    response.once("close", () => left.abort());
    try {
      const isCall = messages.some(({ method }) => method === "tools/call");
      const work = () => answer(request, response, messages, caller);
      await (isCall ? queue.run(caller.owner, left.signal, work) : work());
    } catch (error) {
      if (error instanceof RefusedRequest) return refuse(response, error.refusal);
      if (error instanceof QueueFullError) return refuse(response, tooMany(error.message, 1));
      if (!left.signal.aborted) throw error;
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    messages: readonly JsonObject[],
    caller: Caller,
  ): Promise<void> {
    if (messages.some((json) => readRevision(json) !== undefined)) {
      const { target, place } = await findShared(caller, request);
      place.usedAt = now();
      await target.post(messages, response);
    } else await answerSession(request, response, messages, caller);
    await waitForEnd(response);
  }

  async function answerSession(
    request: IncomingMessage,
    response: ServerResponse,
    messages: readonly JsonObject[],
    caller: Caller,
  ): Promise<void> {
    const greeting = messages.find((json) => json.method === "initialize");
    const id = request.headers["mcp-session-id"];
    if (greeting === undefined && typeof id !== "string")
      return refuseMessage(response, 400, "A session id is missing: initialize first.");
    const look = () => (greeting ? begin(greeting, caller, request) : find(String(id), caller, request));
    let live = await look();
    // Another session may have taken its place in the meantime.
    if (live !== undefined && !links.has(live.place)) live = await look();
    if (live === undefined) return refuseMessage(response, 404, "There is no such session: initialize again.");
    const { target: session, place } = live;
    place.usedAt = now();
    response.setHeader("mcp-session-id", session.id);
    if (request.method === "POST") return session.post(messages, response);
    if (request.method === "GET") return session.listen(response);
    await deleteMcpSession(catalogue, session.id);
    await links.end(place);
    response.writeHead(200, { "content-length": 0 }).end();
  }

  async function begin(greeting: JsonObject, caller: Caller, request: IncomingMessage): Promise<Live<HttpSession>> {
    const handshake = JSON.stringify(toObject(greeting.params));
    if (handshake.length > MAX_HANDSHAKE_CHARS) throw refused(400, "The handshake is too long.");
    await deleteOldMcpSessions(catalogue, now() - keepMs, now() - MAX_CANCELLATION_AGE_MS);
    const id = randomUUID();
    const live = await openSession(id, caller, request);
    await addMcpSession(catalogue, { id, ...holderOf(caller), handshake, now: now() }, MAX_SESSIONS_PER_OWNER);
    return live;
  }

  /** The session in memory, or one whose servers are started again. */
  async function find(id: string, caller: Caller, request: IncomingMessage): Promise<Live<HttpSession> | undefined> {
    const row = await findMcpSession(catalogue, id, holderOf(caller), now() - keepMs);
    if (row === undefined) return undefined;
    if (now() - row.used_at > MARK_INTERVAL_MS) await markMcpSessionUsed(catalogue, id, now());
    return sessions.get(keyOf(caller, id)) ?? openSession(id, caller, request, row.handshake);
  }

  function openSession(id: string, caller: Caller, request: IncomingMessage, handshake?: string) {
    const make = (connect: Connect) => new HttpSession(connect, id);
    return remember(sessions, keyOf(caller, id), async () => {
      const live = await open(caller, request, make, (session) => session.closeListener());
      if (handshake !== undefined) await restore(live, handshake);
      return live;
    });
  }

  async function restore({ target, place }: Live<HttpSession>, handshake: string): Promise<void> {
    const params = parseMessage(handshake)?.json ?? {};
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const message = "The server did not start in time. Try again, or ask the operator to look at its log.";
      timer = setTimeout(() => reject(refused(504, message)), RESTORE_MS);
    });
    try {
      await Promise.race([target.restore(params), late]);
    } catch (error) {
      void links.end(place);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  const findShared = (caller: Caller, request: IncomingMessage): Promise<Live<SharedLink>> => {
    const key = keyOf(caller, String(request.headers[CLIENT_HEADER]));
    const make = (connect: Connect) => new SharedLink(connect);
    return shared.get(key) ?? remember(shared, key, () => open(caller, request, make, (link) => link.closeListeners()));
  };

  /** Kept while its servers run; a failure is forgotten, so that the next request tries again. */
  function remember<T>(all: Map<string, Promise<Live<T>>>, key: string, make: () => Promise<Live<T>>) {
    const live = make();
    all.set(key, live);
    const forget = () => {
      if (all.get(key) === live) all.delete(key);
    };
    live.then(({ place, markStarted }) => {
      ended.set(place, forget);
      // Those who wait for it send their requests first.
      setImmediate(markStarted);
    }, forget);
    return live;
  }
  const ended = new WeakMap<LiveLink, () => void>();

  /** Its place is taken before its servers are started, so that many who come at once do not start more than there is room for. */
  async function open<T extends { readonly link: HttpSession["link"]; readonly isBusy: boolean }>(
    caller: Caller,
    request: IncomingMessage,
    make: (connect: Connect) => T,
    closeStreams: (target: T) => void,
  ): Promise<Live<T>> {
    let isStarting = true;
    let running: { readonly target: T; end(): Promise<void> } | undefined;
    const place: LiveLink = {
      owner: caller.owner,
      servers,
      usedAt: now(),
      isBusy: () => isStarting || running?.target.isBusy === true,
      end: async () => running?.end(),
    };
    if (!(await takeRoom(place))) throw refused(503, "All servers are at work. Try again in 5 s.", "5");
    const { target, opened } = await start(caller, request, make).catch(async (error: unknown) => {
      await links.end(place);
      throw error;
    });
    const streams = { closeStreams: () => closeStreams(target) };
    running = {
      target,
      async end() {
        settled.delete(streams);
        ended.get(place)?.();
        closeStreams(target);
        await target.link.stop();
        await opened[Symbol.asyncDispose]();
      },
    };
    if (!links.has(place)) {
      await running.end();
      throw refused(503, "This server is stopping. Try again in 5 s.", "5");
    }
    settled.add(streams);
    void target.link.ended.then(() => links.end(place));
    const markStarted = () => {
      isStarting = false;
    };
    return { target, place, markStarted };
  }

  async function start<T>(caller: Caller, request: IncomingMessage, make: (connect: Connect) => T) {
    const clientName = request.headers[CLIENT_HEADER];
    const opened = await options.open(caller, typeof clientName === "string" ? clientName : undefined);
    try {
      return { target: make(opened.connect), opened };
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A server that is starting, or has just answered, is idle in a moment. */
  async function takeRoom(place: LiveLink): Promise<boolean> {
    for (let attempt = 0; attempt < ROOM_ATTEMPTS; attempt++) {
      if (links.add(place)) return true;
      await sleep(ROOM_PAUSE_MS);
    }
    return false;
  }

  return {
    serve,
    closeStreams() {
      for (const streams of settled) streams.closeStreams();
    },
  };
}

const refused = (status: number, message: string, retryAfter?: string): RefusedRequest =>
  new RefusedRequest({ status, message, ...(retryAfter && { headers: { "retry-after": retryAfter } }) });
