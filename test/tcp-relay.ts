/** A relay on loopback that can cut, stall and restore the connections between a program and a server. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export type Relay = {
  readonly port: number;
  /** Ends every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
} & AsyncDisposable;

/** Relays connections to a port on loopback. */
export async function startRelay(toPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => undefined); // The other side sees that the connection is gone.
    socket.on("close", () => sockets.delete(socket));
  }

  const server = createServer((near) => {
    track(near);
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(toPort, "127.0.0.1");
    track(far);
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  const port = await listen(server);

  function cut(): void {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    port,
    cut,
    restore() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

/** Listens on a free port of loopback and gives it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
