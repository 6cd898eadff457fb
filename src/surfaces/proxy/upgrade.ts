/** Upgrades of a connection, which WebSockets begin with. Recovery cannot look into them. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { findDialect } from "../../overflow/dialects/dialects.ts";
import { refuseConnection } from "../../system/refuse-connection.ts";
import type { Relay } from "./relay.ts";

/**
 * Where the same address also takes plain requests, the upgrade is refused, and the client sends plain requests, which can
 * be recovered. Any other upgrade is passed on, and the two connections are joined.
 */
export function upgrade(request: IncomingMessage, socket: Duplex, first: Buffer, url: URL, relay: Relay): void {
  if (findDialect("POST", url.pathname) !== undefined) {
    refuseConnection(socket, "426 Upgrade Required");
    return;
  }
  const headers = withoutHost(request.rawHeaders);
  const upstream = relay.openUpgrade(url, request.method ?? "GET", headers);
  socket.once("error", () => upstream.destroy());
  upstream.once("error", () => refuseConnection(socket, "502 Bad Gateway"));
  upstream.once("response", (response) => {
    refuseConnection(socket, `${response.statusCode ?? 502} ${response.statusMessage ?? ""}`);
    response.destroy();
  });
  upstream.once("upgrade", (response, upstreamSocket: Duplex, upstreamFirst: Buffer) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${toLines(response.rawHeaders)}\r\n`);
    join(socket, first, upstreamSocket, upstreamFirst);
  });
  upstream.end();
}

/** Either side's end ends the other. */
function join(socket: Duplex, first: Buffer, upstreamSocket: Duplex, upstreamFirst: Buffer): void {
  if (upstreamFirst.length > 0) socket.write(upstreamFirst);
  if (first.length > 0) upstreamSocket.write(first);
  socket.once("close", () => upstreamSocket.destroy()).once("error", () => upstreamSocket.destroy());
  upstreamSocket.once("close", () => socket.destroy()).once("error", () => socket.destroy());
  socket.pipe(upstreamSocket).pipe(socket);
}

function withoutHost(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !/^host$/i.test(raw[index - (index % 2)] ?? ""));
}

function toLines(raw: readonly string[]): string {
  return raw.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
}
