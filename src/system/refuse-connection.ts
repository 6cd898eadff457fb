/** Answers on a connection that carries no request to respond to, and ends it. */
import type { Duplex } from "node:stream";

/** A client that was refused has this long to disconnect. */
const MAX_LEAVE_MS = 2_000;

/** Discards what still arrives until the client has left: unread bytes would reset the connection, and the answer with it. */
export function refuseConnection(socket: Duplex, status: string): void {
  if (socket.writableEnded) return; // What follows a refusal is refused already.
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.once("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), MAX_LEAVE_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
