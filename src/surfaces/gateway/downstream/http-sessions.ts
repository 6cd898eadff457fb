/**
 * Serves clients over Streamable HTTP in front of servers that speak in lines. A client with a session has a link of its
 * own; requests of the revision without sessions share one link, under ids of ours.
 */
import type { ServerResponse } from "node:http";
import { type JsonObject, readRevision } from "../json-rpc.ts";
import { type Connect, HttpSession, refuse, SharedLink } from "./http-session.ts";

/** Sessions that are open at once. */
const MAX_SESSIONS = 64;

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
