/** Servers on this machine's loopback for tests: HTTP by a handler, or raw bytes for what no honest server sends. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Certificate } from "./certificate.ts";

export type TestServer = AsyncDisposable & {
  /** `http://127.0.0.1:4711` */
  readonly origin: string;
  readonly port: number;
  /** What a test has to allow. */
  readonly allow: string;
  /** Every request so far. */
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
};

export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  certificate?: Certificate,
): Promise<TestServer> {
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    // A client that hangs up early is part of many tests.
    response.on("error", () => undefined);
    answer(request, response);
  };
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  return { ...(await listening(server, certificate ? "https" : "http")), requests };
}

/** Answers every connection's first bytes with what the test writes. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<TestServer> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  return { ...(await listening(server, "http")), requests: [] };
}

async function listening(server: Server, scheme: string) {
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
