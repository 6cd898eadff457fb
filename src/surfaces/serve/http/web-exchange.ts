/** Requests and responses of Node as those of the web standard, which the MCP SDK works with. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** A client that takes nothing for this long is disconnected, so that its replies do not pile up. */
const MAX_UNREAD_MS = 30_000;

/** The head of a request. Its body was read already. */
export function toWebRequest({ method = "GET", url = "/", headers }: IncomingMessage, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  // The host was checked; nothing below looks at it.
  return new Request(new URL(url, "http://localhost"), { method, headers: pairs, signal });
}

/** Sends a response as it is made. Resolves when it has ended or the client has left. */
export async function sendWebResponse(reply: Response, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => name !== "connection"));
  if (reply.body === null) {
    response.writeHead(reply.status, headers).end();
    return;
  }
  const reader = reply.body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  if (response.destroyed) return leave();
  response.once("close", leave);
  response.writeHead(reply.status, { "cache-control": "no-store", ...headers });
  response.flushHeaders();
  for (let part = await reader.read(); !part.done && !response.destroyed; part = await reader.read())
    if (!response.write(part.value)) await waitForReader(response);
  response.off("close", leave);
  response.end();
}

async function waitForReader(response: ServerResponse): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const isDrained = once(response, "drain", { signal }).then(() => true);
  const isClosed = once(response, "close", { signal }).then(() => true);
  const isLate = wait(MAX_UNREAD_MS, false, { signal, ref: false });
  const finished = await Promise.race([isDrained, isClosed, isLate]);
  stop.abort();
  await Promise.allSettled([isDrained, isClosed, isLate]);
  if (!finished) response.destroy();
}
