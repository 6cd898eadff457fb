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

  /** Opens a request; its answer comes when the upstream's headers do. */
  function open(url: URL, method: string, headers: readonly string[], signal: AbortSignal, fresh = false) {
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

  /** Sends a whole body. A kept connection that the upstream was just closing took nothing: then a fresh one is used. */
  async function send(url: URL, method: string, headers: readonly string[], body: Buffer, signal: AbortSignal) {
    const all = [...headers, "content-length", String(body.length)];
    const { upstream, answer } = open(url, method, all, signal);
    upstream.end(body);
    try {
      return await answer;
    } catch (error) {
      if (!upstream.reusedSocket || !/^(?:ECONNRESET|EPIPE)$/.test(systemCode(error) ?? "")) throw error;
      const fresh = open(
        url,
        method,
        [...headers, "connection", "close", "content-length", String(body.length)],
        signal,
      );
      fresh.upstream.end(body);
      return await fresh.answer;
    }
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }

  return { open, send, close };
}

/** The caller's headers as a flat list, without those of its connection and those named. */
export function passedHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!ownHeaders.test(name) && !without.includes(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}
