/** Loopback servers for tests: HTTP with a handler, or raw bytes for malformed responses. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Certificate } from "./certificate.ts";

export type TestServer = AsyncDisposable & {
  /** `http://127.0.0.1:4711` */
  readonly origin: string;
  readonly port: number;
  /** The entry for network.allow that permits this server. */
  readonly allow: string;
  /** Every request so far. */
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
};

/** Starts an HTTP server, or an HTTPS server if a certificate is given. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  certificate?: Certificate,
): Promise<TestServer> {
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    // Many tests close the connection early.
    response.on("error", () => undefined);
    answer(request, response);
  };
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  return { ...(await listen(server, certificate ? "https" : "http")), requests };
}

/** Starts a TCP server that calls `answer` when a connection has sent its first bytes. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<TestServer> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  return { ...(await listen(server, "http")), requests: [] };
}

async function listen(server: Server, scheme: string) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    allow: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
