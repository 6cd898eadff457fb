/** Carries requests upstream and answers back: headers as they are, bodies as they come. */
import * as http from "node:http";
import * as https from "node:https";
import { systemCode } from "../../errors.ts";

/** Headers of one connection, which are not the next one's. */
const ownHeaders =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;

export type Relay = ReturnType<typeof createRelay>;

/** Connections are kept open and shared. Disposing closes them. */
export function createRelay() {
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

  /** Opens a request; its answer comes when the upstream's headers do. A fresh one uses no connection of another. */
  function open(url: URL, method: string, headers: readonly string[], signal: AbortSignal, fresh = false): Opened {
    const secure = url.protocol === "https:";
    const { request } = secure ? https : http;
    const upstream = request(url, {
      method,
      headers: [...headers, "host", url.host],
      agent: fresh ? false : agents[secure ? "https:" : "http:"],
      signal,
    });
    const answer = new Promise<http.IncomingMessage>((done, fail) => {
      upstream.once("response", done);
      upstream.on("error", fail);
    });
    return { upstream, answer };
  }

  /** Sends a whole body. */
  async function send(
    url: URL,
    method: string,
    headers: readonly string[],
    body: readonly Buffer[],
    { signal, fresh = false }: { readonly signal: AbortSignal; readonly fresh?: boolean },
  ): Promise<http.IncomingMessage> {
    const all = [...headers, "content-length", String(bytesIn(body))];
    const { upstream, answer } = open(url, method, all, signal, fresh);
    for (const chunk of body) upstream.write(chunk);
    upstream.end();
    return answer.catch((error: unknown) => {
      throw isStale(upstream, error) ? new StaleConnection("a kept connection was closed", { cause: error }) : error;
    });
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }

  return { open, send, close };
}

/** What some chunks weigh together. */
export const bytesIn = (chunks: readonly Buffer[]): number => chunks.reduce((bytes, { length }) => bytes + length, 0);

type Opened = { readonly upstream: http.ClientRequest; readonly answer: Promise<http.IncomingMessage> };

/** A connection kept from an earlier request was closed by the upstream just now; most likely it took nothing. */
export class StaleConnection extends Error {}

function isStale(upstream: http.ClientRequest, error: unknown): boolean {
  return upstream.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(systemCode(error) ?? "");
}

/** The caller's headers as a flat list, without those of its connection and those named. */
export function passedHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const passed: string[] = [];
  const nominated = nominatedIn(raw);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const lower = name.toLowerCase();
    if (!ownHeaders.test(name) && !without.includes(lower) && !nominated.has(lower)) passed.push(name, value);
  }
  return passed;
}

/** `Connection: x-hop` makes that header one of this connection too. */
function nominatedIn(raw: readonly string[]): Set<string> {
  const values = raw.filter((_, at) => at % 2 === 1 && /^connection$/i.test(raw[at - 1] ?? ""));
  return new Set(values.flatMap((value) => value.split(",")).map((name) => name.trim().toLowerCase()));
}
