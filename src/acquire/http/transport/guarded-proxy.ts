/** A proxy on this machine for one program that dials by itself: every connection it asks for passes the guard. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { canonicalHost } from "../../../config/network-values.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Guard } from "../guard/address-guard.ts";
import { getPort } from "./env-proxy.ts";
import { connectGuarded, type Dialler } from "./guarded-connect.ts";

export type GuardedProxyOptions = {
  readonly guard: Guard;
  readonly dialler: Dialler;
  readonly timeoutMs: number;
  /** Once all servers together have sent more, every connection is closed. */
  readonly maxBytes: number;
};

export type GuardedProxy = AsyncDisposable & {
  /** With the user and password that it asks for: other programs of this machine cannot use it. */
  readonly url: string;
  /** Why the guard refused a connection, where it did. */
  refusal(): SpillwayError | undefined;
  /** Whether more was sent than is allowed. */
  isOverLimit(): boolean;
};

/** Starts the proxy; disposing it closes all of its connections. */
export async function openGuardedProxy(options: GuardedProxyOptions): Promise<GuardedProxy> {
  const { guard, dialler, timeoutMs, maxBytes } = options;
  const password = randomBytes(16).toString("hex");
  const expected = `Basic ${Buffer.from(`spillway:${password}`).toString("base64")}`;
  const sockets = new Set<Duplex>();
  let refusal: SpillwayError | undefined;
  let isClosed = false;
  let receivedBytes = 0;

  async function connect(url: URL): Promise<Socket> {
    try {
      const destination = { host: canonicalHost(url.hostname), port: Number(getPort(url)) };
      guard.checkHost(destination);
      const socket = await connectGuarded(destination, { ...dialler, guard, timeoutMs });
      keep(socket);
      socket.on("data", count);
      return socket;
    } catch (error) {
      if (error instanceof SpillwayError) refusal ??= error;
      throw error;
    }
  }

  function keep(socket: Duplex): void {
    // A connection may arrive while the others are closed.
    if (isClosed) socket.destroy();
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  }

  function count({ length }: Buffer): void {
    receivedBytes += length;
    if (receivedBytes > maxBytes) for (const socket of sockets) socket.destroy();
  }

  /** An https URL: bytes pass in both directions. */
  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const url = URL.parse(`https://${request.url}`);
    if (!isKnown(request, expected) || url === null) return void client.end(refuse(407));
    try {
      const server = await connect(url);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.write(head);
      server.pipe(client).pipe(server);
    } catch {
      client.end(refuse(403));
    }
  }

  /** An http URL: the request is passed on with its path. */
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "");
    if (!isKnown(request, expected)) return void response.writeHead(407, authenticate).end();
    if (url?.protocol !== "http:") return void response.writeHead(400).end();
    try {
      const socket = await connect(url);
      const { "proxy-authorization": _, "proxy-connection": __, ...headers } = request.headers;
      const options = { method: request.method ?? "GET", path: `${url.pathname}${url.search}`, headers };
      const passed = sendRequest({ ...options, createConnection: () => socket }, (answer) => {
        passOn(answer, response);
      });
      for (const event of ["error", "upgrade", "close"] as const) passed.once(event, () => endUnlessSent(response));
      request.pipe(passed);
    } catch {
      response.writeHead(403).end();
    }
  }

  const server = createServer((request, response) => void forward(request, response));
  server.on("connect", (request, client, head) => void tunnel(request, client, head));
  server.on("connection", keep);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://spillway:${password}@127.0.0.1:${port}`,
    refusal: () => refusal,
    isOverLimit: () => receivedBytes > maxBytes,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A server may answer with a status or headers that cannot be sent on. */
function passOn(answer: IncomingMessage, response: ServerResponse): void {
  try {
    const { trailer: _, connection: __, "keep-alive": ___, "transfer-encoding": ____, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, headers);
    pipeline(answer, response, () => response.destroy());
  } catch {
    response.destroy();
    answer.destroy();
  }
}

/** A connection that ended before its answer began has none. */
function endUnlessSent(response: ServerResponse): void {
  if (!response.headersSent) response.destroy();
}

function isKnown({ headers }: IncomingMessage, expected: string): boolean {
  const given = Buffer.from(headers["proxy-authorization"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

const authenticate = { "proxy-authenticate": 'Basic realm="spillway"' };

const refuse = (status: 403 | 407): string => {
  const lines = Object.entries(authenticate).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${status === 407 ? lines.join("") : ""}content-length: 0\r\n\r\n`;
};
