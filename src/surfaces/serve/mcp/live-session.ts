/** A session of an older revision while this process has it in memory: an SDK server on the SDK's transport. */
import { type RequestId, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { McpSessionRow } from "../../../catalogue/mcp-session-rows.ts";
import { explainInvalidParams } from "../../mcp/invalid-params.ts";
import type { EventMemory } from "./event-memory.ts";
import { listCancelledIds, listRequestIds, replayMessages } from "./session-messages.ts";

/** What a session runs on: a server, and what has to be released with it. */
export type ServerLease = Disposable & { readonly server: Server };

export type LiveSession = {
  readonly id: string;
  /** What the caller may do, in a form that can be compared. */
  readonly access: string;
  /** The ids of requests that are worked on here, as JSON. */
  readonly requests: Set<string>;
  /** Answers that are being sent, streams of notifications included. */
  openAnswers: number;
  usedAt: number;
  handle(request: Request, body: unknown): Promise<Response>;
  /** Ends the stream of notifications, which has no end of its own. */
  closeStream(): void;
  close(): Promise<void>;
};

type LiveOptions = {
  readonly id: string;
  readonly access: string;
  readonly lease: ServerLease;
  readonly events: EventMemory;
  readonly now: () => number;
};

/** A session that has not seen its handshake. */
export async function openLiveSession({ id, access, lease, events, now }: LiveOptions): Promise<LiveSession> {
  const eventStore = events.openSession();
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id, eventStore });
  await lease.server.connect(transport);
  const requests = new Set<string>();
  const send = transport.send.bind(transport);
  // The SDK does not say when a request is answered; its answer does.
  transport.send = async (message, options) => {
    if (!("method" in message) && message.id !== undefined) requests.delete(JSON.stringify(message.id));
    await send(explainInvalidParams(message), options);
  };

  /** A cancelled request gets no answer, so the stream for it is ended here, also for a client that comes back to it. */
  async function forgetCancelled(body: unknown): Promise<void> {
    for (const requestId of listCancelledIds(body)) {
      if (!requests.delete(requestId)) continue;
      const cancelledId: RequestId = JSON.parse(requestId);
      transport.closeSSEStream(cancelledId);
      await send({
        jsonrpc: "2.0",
        id: cancelledId,
        error: { code: CANCELLED_CODE, message: "The request was cancelled." },
      });
    }
  }

  /** Undefined unless the request resumes a stream by an event that is not remembered. */
  function refuseUnknownEvent({ method, headers }: Request): Response | undefined {
    const lastId = headers.get("last-event-id");
    if (method !== "GET" || lastId === null || eventStore.has(lastId)) return undefined;
    const error = { code: -32000, message: "The event is not remembered here any more: send the request again." };
    return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 400 });
  }

  return {
    id,
    access,
    requests,
    openAnswers: 0,
    usedAt: now(),
    async handle(request, body) {
      const refusal = refuseUnknownEvent(request);
      if (refusal !== undefined) return refusal;
      for (const requestId of listRequestIds(body)) requests.add(requestId);
      const reply = await transport.handleRequest(request, body === undefined ? undefined : { parsedBody: body });
      if (!reply.ok) for (const requestId of listRequestIds(body)) requests.delete(requestId);
      else await forgetCancelled(body);
      return reply;
    },
    closeStream: () => transport.closeStandaloneSSEStream(),
    async close() {
      await lease.server.close();
      eventStore[Symbol.dispose]();
      lease[Symbol.dispose]();
    },
  };
}

/** The code that editors know from the protocol of language servers; MCP has none. */
const CANCELLED_CODE = -32800;

/** Brings a new session to the state of the stored one, by what its client once sent. */
export async function replaySession(live: LiveSession, { id, handshake, log_level }: McpSessionRow): Promise<void> {
  for (const message of replayMessages(handshake, log_level)) {
    const reply = await live.handle(makeReplayedRequest(id), message);
    if (!reply.ok) throw new Error(`A session could not be restored (${reply.status}).`);
    await reply.text();
  }
}

const makeReplayedRequest = (id: string): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-session-id": id,
    },
  });

/** Tells the session's server to cancel a request. */
export async function cancelRequest(live: LiveSession, requestId: string): Promise<void> {
  const params = { requestId: JSON.parse(requestId) };
  await live.handle(makeReplayedRequest(live.id), { jsonrpc: "2.0", method: "notifications/cancelled", params });
}
