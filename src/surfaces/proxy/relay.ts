/** Carries requests upstream and answers back: headers as they are, bodies as they come. */
import * as http from "node:http";
import * as https from "node:https";

/** Headers of one connection, which are not the next one's. */
const ownHeaders =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;

export type Relay = ReturnType<typeof createRelay>;

/** Connections are kept open and shared. Disposing closes them. */
export function createRelay() {
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

  /** Opens a request; its answer comes when the upstream's headers do. */
  function open(url: URL, method: string, headers: readonly string[], signal: AbortSignal) {
    const secure = url.protocol === "https:";
    const { request } = secure ? https : http;
    const upstream = request(url, {
      method,
      headers: [...headers, "host", url.host],
      agent: agents[secure ? "https:" : "http:"],
      signal,
    });
    const answer = new Promise<http.IncomingMessage>((done, fail) => {
      upstream.once("response", done);
      upstream.on("error", fail);
    });
    return { upstream, answer };
  }

  function close(): void {
    for (const agent of Object.values(agents)) agent.destroy();
  }

  return { open, close };
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
