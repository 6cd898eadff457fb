/** The LLM proxy: a client sets its base URL, and a request that is refused for its size is retried once, smaller. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { SpillwayError, systemCode } from "../../errors.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import { refuseConnection } from "../../system/refuse-connection.ts";
import { admit } from "./access.ts";
import { createProxyHandler, type ProxyHandler, respondError } from "./proxy-handler.ts";
import { MAX_HEADER_BYTES } from "./relay.ts";
import type { Upstreams } from "./upstreams.ts";

export type ProxyOptions = {
  readonly recovery: Recovery;
  readonly upstreams: Upstreams;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly allowOrigins: readonly string[];
  /** What every path must begin with. Without it every local program is served. */
  readonly token?: string | undefined;
  /** The largest request that is held for a retry. */
  readonly bodyBytes: number;
  /** Where large requests wait in files, in order of preference. Without any they are held in memory. */
  readonly folders?: readonly string[];
};

/** Clients keep their connections open between the turns of a conversation. */
const KEEP_ALIVE_MS = 65_000;

const serverOptions = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEADER_BYTES };

type Proxy = AsyncDisposable & { readonly url: string };

/** Listens on 127.0.0.1. Disposing ends requests that are still running. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const handler = createProxyHandler(options);
  const context = (): Context => ({ ...options, handler, port: portOf(server.address()) });
  const server = createServer(serverOptions, (request, response) => void serve(request, response, context()));
  server.on("upgrade", (request, socket, first) => serveUpgrade(request, socket, first, context()));
  // Node hands the bare socket over for CONNECT; without a listener it would close it without an answer.
  server.on("connect", (_, socket) => void socket.end("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n"));
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw listenError(options.port, cause);
  });
  const origin = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url: options.token === undefined ? origin : `${origin}/${options.token}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      handler[Symbol.dispose]();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listenError(port: number, cause: unknown): SpillwayError {
  const code = systemCode(cause) ?? "error";
  return new SpillwayError("config_invalid", `The proxy cannot listen on port ${port} (${code}).`, {
    hint: "Set proxy.port to a free port, or to 0 for any; another proxy may be running already.",
    cause,
  });
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address ? address.port : 0;

type Context = ProxyOptions & { readonly handler: ProxyHandler };

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const { handler, recovery, folders = [] } = context;
  const admission = admit(request, context);
  if ("refusal" in admission) respondError(response, admission.status, "forbidden", admission.refusal);
  else await handler.serve({ request, response, target: admission.target, recovery, folders });
}

function serveUpgrade(request: IncomingMessage, socket: Duplex, first: Buffer, context: Context): void {
  socket.once("error", () => socket.destroy());
  const admission = admit(request, context);
  if ("refusal" in admission) refuseConnection(socket, "403 Forbidden");
  else context.handler.upgrade(request, socket, first, admission.target);
}
