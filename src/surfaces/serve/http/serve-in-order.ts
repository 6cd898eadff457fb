/** Serves the requests of a connection one after another, in the order of their answers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests of one connection that may wait. Hardly any client sends one before it has the answer to the last. */
const MAX_WAITING = 32;

/** A request that was sent behind another waits for its answer. If that closes the connection, it is not served. */
export function serveInOrder(serve: Serve): Serve {
  const connections = new WeakMap<Duplex, { last: ServerResponse; waiting: number }>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined || connection.last.closed) {
      connections.set(socket, { last: response, waiting: 0 });
      serve(request, response);
      return;
    }
    if (connection.waiting === MAX_WAITING) {
      socket.destroy();
      return;
    }
    connection.waiting++;
    connection.last.once("close", () => {
      connection.waiting--;
      if (socket.writable) serve(request, response);
    });
    connection.last = response;
  };
}
