/** Sends requests upstream, and decides which headers are passed on. */
import * as http from "node:http";
import * as https from "node:https";
import { systemCode } from "../../errors.ts";
import type { SendableBody } from "./held-body.ts";

/** Headers that describe one connection and are not passed on to the next. */
const hopHeaders =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;

/** Twice what most servers accept. Node's own limit is 16 KB. */
export const MAX_HEADER_BYTES = 64 * 1024;

export type Relay = ReturnType<typeof createRelay>;

/** Connections are kept open and shared until `close`. */
export function createRelay() {
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

  /** Starts a request. `response` resolves with the upstream's headers. A fresh request uses a new connection. */
  function open(
    url: URL,
    method: string,
    headers: readonly string[],
    signal: AbortSignal,
    isFresh = false,
  ): OpenedRequest {
    const isSecure = url.protocol === "https:";
    const { request } = isSecure ? https : http;
    const upstream = request(url, {
      method,
      headers: [...headers, "host", url.host],
      agent: isFresh ? false : agents[isSecure ? "https:" : "http:"],
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    const response = new Promise<http.IncomingMessage>((resolve, reject) => {
      upstream.once("response", resolve);
      upstream.on("error", reject);
    });
    return { upstream, response };
  }

  /** Sends a request with a whole body. Throws `StaleConnection` if a kept connection was closed. */
  async function send(
    url: URL,
    method: string,
    headers: readonly string[],
    body: SendableBody,
    { signal, isFresh = false }: { readonly signal: AbortSignal; readonly isFresh?: boolean },
  ): Promise<http.IncomingMessage> {
    const allHeaders = [...headers, "content-length", String(body.sizeBytes)];
    const { upstream, response } = open(url, method, allHeaders, signal, isFresh);
    body.writeTo(upstream);
    return response.catch((error: unknown) => {
      throw isStale(upstream, error) ? new StaleConnection("A kept connection was closed.", { cause: error }) : error;
    });
  }

  /** Starts a request that asks to upgrade its connection. Headers of the connection are passed on. */
  function openUpgrade(url: URL, method: string, headers: readonly string[]): http.ClientRequest {
    const { request } = url.protocol === "https:" ? https : http;
    return request(url, { method, headers: [...headers, "host", url.host], agent: false });
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }

  return { open, openUpgrade, send, close };
}

type OpenedRequest = { readonly upstream: http.ClientRequest; readonly response: Promise<http.IncomingMessage> };

/** The upstream closed a connection kept from an earlier request. Most likely it has not read this request. */
export class StaleConnection extends Error {}

function isStale(upstream: http.ClientRequest, error: unknown): boolean {
  return upstream.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(systemCode(error) ?? "");
}

/** The headers to pass on as a flat list, without those of the connection and `droppedHeaders`. */
export function filterHeaders(raw: readonly string[], droppedHeaders: readonly string[] = []): string[] {
  const headers: string[] = [];
  const nominated = findNominated(raw);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    const lower = name.toLowerCase();
    if (!hopHeaders.test(name) && !droppedHeaders.includes(lower) && !nominated.has(lower)) headers.push(name, value);
  }
  return headers;
}

/** `Connection: x-hop` makes `x-hop` a header of this connection too. */
function findNominated(raw: readonly string[]): Set<string> {
  const values = raw.filter((_, index) => index % 2 === 1 && /^connection$/i.test(raw[index - 1] ?? ""));
  return new Set(values.flatMap((value) => value.split(",")).map((name) => name.trim().toLowerCase()));
}
