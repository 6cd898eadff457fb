/**
 * Serves the revisions with sessions (2025-03-26 to 2025-11-25). A session is a row of the catalogue. What this process
 * has in memory of it is made from the row, so any replica can answer any request.
 */
import { randomUUID } from "node:crypto";
import type { Catalogue } from "../../../catalogue/catalogue.ts";
import {
  addMcpCancellation,
  addMcpSession,
  deleteMcpCancellation,
  deleteMcpSession,
  deleteOldMcpSessions,
  findMcpSession,
  listMcpCancellations,
  type McpSessionRow,
  markMcpSessionUsed,
  setMcpLogLevel,
} from "../../../catalogue/mcp-session-rows.ts";
import type { Caller } from "../guard/callers.ts";
import { createEventMemory } from "./event-memory.ts";
import { cancelRequest, type LiveSession, openLiveSession, replaySession, type ServerLease } from "./live-session.ts";
import { findHandshake, findLogLevel, listCancelledIds, writeHandshake } from "./session-messages.ts";

export type SessionHandlerOptions = {
  readonly catalogue: Catalogue;
  /** Makes the server of a session. */
  readonly makeServer: (caller: Caller, request: Request) => Promise<ServerLease>;
  /** How long a session lasts without a request. */
  readonly keepMs: number;
  readonly now: () => number;
  readonly log: (line: string) => void;
};

export interface SessionHandler extends AsyncDisposable {
  serve(request: Request, body: unknown, caller: Caller): Promise<Response>;
  /** Ends the streams that only carry notifications. */
  closeStreams(): void;
  /** Sessions in memory. */
  readonly live: number;
}

const MAX_SESSIONS_PER_OWNER = 1_000;

/** Sessions in memory that nothing runs in. They are made from their rows again when they are needed. */
const MAX_IDLE_SESSIONS = 500;
const MAX_IDLE_MS = 10 * 60_000;

/** A session's use is written at most this often. */
const MARK_INTERVAL_MS = 60_000;

/** How often a process with running requests looks for cancellations that reached another one. */
const CANCELLATION_POLL_MS = 1_000;
const MAX_CANCELLATION_AGE_MS = 10 * 60_000;

const MAX_HANDSHAKE_CHARS = 64 * 1024;

/** Events of all sessions that are remembered for clients whose connection broke. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export function createSessionHandler(options: SessionHandlerOptions): SessionHandler {
  const { catalogue, makeServer, keepMs, now, log } = options;
  /** In the order of their last use. */
  const sessions = new Map<string, Promise<LiveSession>>();
  const settled = new Map<string, LiveSession>();
  const events = createEventMemory(MAX_EVENT_BYTES);

  async function serve(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const handshake = findHandshake(body);
    if (request.method === "POST" && handshake !== undefined) return initialize(request, body, caller, handshake);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return refuse(400, -32000, "Bad Request: Mcp-Session-Id header is required");
    const row = await findMcpSession(catalogue, id, holderOf(caller), now() - keepMs);
    if (row === undefined) {
      // Another replica may have ended it. A stranger who knows the id ends nothing.
      if (settled.get(id)?.access === accessOf(caller)) await drop(id);
      return refuse(404, -32001, "Session not found");
    }
    if (request.method === "DELETE") return end(id);
    const live = await restore(row, caller, request);
    live.openAnswers++; // From here on it is in use.
    try {
      return await answer(live, row, request, body);
    } finally {
      live.openAnswers--;
    }
  }

  async function answer(live: LiveSession, row: McpSessionRow, request: Request, body: unknown): Promise<Response> {
    await noteUse(row, live);
    await passCancellations(live, body);
    const reply = await live.handle(request, body);
    const level = findLogLevel(body);
    if (level !== undefined && reply.ok) await setMcpLogLevel(catalogue, row.id, level);
    return follow(live, reply);
  }

  async function initialize(
    request: Request,
    body: unknown,
    caller: Caller,
    message: Parameters<typeof writeHandshake>[0],
  ): Promise<Response> {
    const handshake = writeHandshake(message);
    if (handshake.length > MAX_HANDSHAKE_CHARS) return refuse(400, -32600, "The handshake is too long.");
    await deleteOldMcpSessions(catalogue, now() - keepMs, now() - MAX_CANCELLATION_AGE_MS);
    const id = randomUUID();
    const live = await open(id, caller, request);
    try {
      const reply = await live.handle(request, body);
      // A reply that arrives before its session is stored would lead to a request that another replica refuses.
      const row = { id, ...holderOf(caller), handshake, now: now() };
      if (reply.ok) await addMcpSession(catalogue, row, MAX_SESSIONS_PER_OWNER);
      if (reply.ok) remember(id, Promise.resolve(live));
      else await live.close();
      return follow(live, reply);
    } catch (error) {
      await live.close();
      throw error;
    }
  }

  async function open(id: string, caller: Caller, request: Request): Promise<LiveSession> {
    const lease = await makeServer(caller, request);
    return openLiveSession({ id, access: accessOf(caller), lease, events, now });
  }

  /** The session in memory, or one made from its row. */
  async function restore(row: McpSessionRow, caller: Caller, request: Request): Promise<LiveSession> {
    const current = await sessions.get(row.id)?.catch(() => undefined);
    if (current !== undefined && current.access === accessOf(caller)) return current;
    if (current !== undefined) await drop(row.id);
    const pending = sessions.get(row.id);
    if (pending !== undefined) return pending; // Another request is restoring it.
    const restored = open(row.id, caller, request).then(async (live) => {
      await replaySession(live, row);
      return live;
    });
    remember(row.id, restored);
    return restored;
  }

  function remember(id: string, session: Promise<LiveSession>): void {
    sessions.set(id, session);
    session.then(
      (live) => settled.set(id, live),
      () => sessions.delete(id), // The next request tries again.
    );
    for (const live of findIdle()) void drop(live.id);
  }

  function findIdle(): LiveSession[] {
    const idle = [...settled.values()].filter(({ openAnswers, requests }) => openAnswers === 0 && requests.size === 0);
    const surplus = idle.length - MAX_IDLE_SESSIONS;
    idle.sort((one, other) => one.usedAt - other.usedAt);
    return idle.filter(({ usedAt }, index) => index < surplus || now() - usedAt > MAX_IDLE_MS);
  }

  async function drop(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    settled.delete(id);
    await (await session?.catch(() => undefined))?.close();
  }

  async function end(id: string): Promise<Response> {
    await deleteMcpSession(catalogue, id);
    await drop(id);
    return new Response(null, { status: 200 });
  }

  async function noteUse({ id, used_at }: McpSessionRow, live: LiveSession): Promise<void> {
    live.usedAt = now();
    if (now() - used_at >= MARK_INTERVAL_MS) await markMcpSessionUsed(catalogue, id, now());
  }

  /** A cancellation may reach another process than the one that works on the request. */
  async function passCancellations(live: LiveSession, body: unknown): Promise<void> {
    const others = listCancelledIds(body).filter((requestId) => !live.requests.has(requestId));
    for (const requestId of others) await addMcpCancellation(catalogue, live.id, requestId, now());
  }

  /** Keeps the session in memory while its answer is being sent. */
  function follow(live: LiveSession, reply: Response): Response {
    if (reply.body === null) return reply;
    live.openAnswers++;
    const done = () => {
      live.openAnswers--;
      live.usedAt = now();
    };
    return new Response(watchEnd(reply.body, done), reply);
  }

  /** Cancels requests here whose cancellation reached another process. */
  async function takeCancellations(): Promise<void> {
    for (const live of settled.values()) {
      if (live.requests.size === 0) continue;
      for (const requestId of await listMcpCancellations(catalogue, live.id)) {
        if (!live.requests.has(requestId)) continue;
        await deleteMcpCancellation(catalogue, live.id, requestId);
        await cancelRequest(live, requestId);
      }
    }
  }

  let isPolling = false;
  const poll = setInterval(() => {
    for (const live of findIdle()) void drop(live.id);
    if (isPolling) return;
    isPolling = true;
    takeCancellations()
      .catch((error: unknown) => log(`cancellations could not be read: ${String(error)}`))
      .finally(() => {
        isPolling = false;
      });
  }, CANCELLATION_POLL_MS);
  poll.unref();

  return {
    serve,
    closeStreams() {
      for (const live of settled.values()) live.closeStream();
    },
    get live() {
      return settled.size;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      await Promise.all([...sessions.keys()].map(drop));
    },
  };
}

const holderOf = ({ owner, tokenName }: Caller) => ({ owner, token: tokenName });

/** Who may use what a process has in memory of a session. */
const accessOf = ({ owner, tokenName, folders }: Caller): string => JSON.stringify([owner, tokenName, folders]);

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

/** The same stream, with a call when it has ended or its reader has left. */
function watchEnd(body: ReadableStream<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const part = await reader.read();
      if (!part.done) return controller.enqueue(part.value);
      done();
      controller.close();
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason);
    },
  });
}
