/** The HTTP server: how long a client may take, how many may be connected, and what is refused before a request exists. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { SpillwayError, systemCode } from "../../../errors.ts";
import { refuseConnection } from "../../../system/refuse-connection.ts";
import { LLM_PATH } from "../llm-path.ts";
import { serveInOrder } from "./serve-in-order.ts";

export type HttpServerOptions = {
  readonly address: string;
  readonly port: number;
  serve(request: IncomingMessage, response: ServerResponse): void;
};

export type HttpServer = {
  readonly address: string;
  readonly port: number;
  /** Takes no more connections and ends those that are idle. */
  stopListening(): void;
  /** Ends every connection. */
  close(): Promise<void>;
};

/** A client that sends its headers, or its whole request, more slowly is disconnected. */
const MAX_HEADERS_MS = 10_000;
const MAX_REQUEST_MS = 60_000;

/** How often slow clients are looked for. */
const CHECK_MS = 2_000;

/** Clients keep their connections open between calls. */
const KEEP_ALIVE_MS = 65_000;

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 2_000;

/** Listens. `serve` never throws. */
export async function openHttpServer({ address, port, ...options }: HttpServerOptions): Promise<HttpServer> {
  /** The last response on a connection. */
  const responses = new WeakMap<Duplex, ServerResponse>();
  const serve = serveInOrder((request, response) => {
    responses.set(request.socket, response);
    options.serve(request, response);
  });
  const server = createServer(
    {
      headersTimeout: MAX_HEADERS_MS,
      requestTimeout: MAX_REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    },
    serve,
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  // A body that was announced is asked for only when it is read, which is after the checks.
  server.on("checkContinue", serve);
  server.on("checkExpectation", (_, response: ServerResponse) => void response.writeHead(417).end());
  // A client of a provider that prefers WebSockets falls back to requests, which can be recovered.
  server.on("upgrade", ({ url = "" }, socket) =>
    refuseConnection(socket, url.startsWith(`${LLM_PATH}/`) ? "426 Upgrade Required" : "400 Bad Request"),
  );
  server.on("connect", (_, socket) => refuseConnection(socket, "405 Method Not Allowed"));
  server.on("clientError", (error, socket) => {
    const response = responses.get(socket);
    if (!response?.headersSent) refuseConnection(socket, statusOf(error));
    // A request that has its answer gets no second one for what follows it. If that is its own body, the answer is sent first.
    else if (response.req.complete) socket.destroy();
    else response.req.socket.destroySoon();
  });
  await listen(server, address, port);
  const bound = server.address() as AddressInfo;
  return {
    address: bound.address,
    port: bound.port,
    stopListening: () => void server.close(),
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  server.listen(port, address);
  await once(server, "listening").catch((cause: unknown) => {
    throw new SpillwayError(
      "config_invalid",
      `The server cannot listen on ${address}:${port} (${systemCode(cause)}).`,
      {
        hint: "Choose another port with --set serve.port=PORT, 0 for any that is free; another spillway serve may be running already.",
        cause,
      },
    );
  });
}

/** Says what was wrong with bytes that are not a request. */
function statusOf(error: unknown): string {
  const code = systemCode(error);
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "408 Request Timeout";
  return "400 Bad Request";
}
