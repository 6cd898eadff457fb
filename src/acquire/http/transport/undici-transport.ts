/** Sends single requests with undici, over our own connector or through a proxy that the environment names. */
import type { Readable } from "node:stream";
import * as tls from "node:tls";
import type { Agent, Dispatcher, Pool } from "undici";
import type { Environment } from "../../../config/paths.ts";
import type { Settings } from "../../../config/settings.ts";
import { rejectOnAbort } from "../../abortable.ts";
import { type Guard, permissiveGuard } from "../guard/address-guard.ts";
import { getPort, makeProxyChooser } from "./env-proxy.ts";
import { type Dialler, makeGuardedConnector } from "./guarded-connect.ts";

/** Status and headers of a response; its body must be read or discarded. */
export type TransportResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Whether a proxy connected to the host, so that its address could not be checked. */
  readonly isProxied: boolean;
  /** Releases the body: a short remainder is read so that the connection can be reused. */
  discard(): void;
};

/** A request made while another response is held open uses connections of its own, or both could wait forever. */
export type Lane = "main" | "nested";

/** Sends requests; disposing closes its connections. */
export type Transport = AsyncDisposable & {
  /** With a body the request is a POST, unless a method is named. */
  request(
    url: URL,
    headers: Headers,
    signal: AbortSignal,
    options?: { lane?: Lane; body?: string; method?: "DELETE" },
  ): Promise<TransportResponse>;
};

type Headers = Readonly<Record<string, string>>;

export type TransportOptions = {
  readonly settings: Settings;
  readonly env: Environment;
  readonly dialler: Dialler;
  readonly guard: Guard;
};

const MAX_HEADERS_BYTES = 64 * 1024;
/** How much of a discarded body is read to keep its connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** A transport; nothing is loaded or opened before the first request. */
export function openTransport(options: TransportOptions): Transport {
  const chooseProxy = makeProxyChooser(options.env);
  let loading: Promise<Dispatchers> | undefined;
  return {
    async request(url, headers, signal, { lane = "main", body, method } = {}) {
      const proxy = chooseProxy(url);
      if (proxy !== undefined) options.guard.checkHost({ host: url.hostname, port: Number(getPort(url)) });
      // A failed start (a certificate file that does not exist yet) is tried again by the next request.
      loading ??= loadDispatchers(options).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const dispatcher = (await loading).getDispatcher(proxy, lane);
      return sendRequest(dispatcher, { url, headers, body, method }, signal, proxy !== undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.destroy();
    },
  };
}

async function sendRequest(
  dispatcher: Dispatcher,
  {
    url,
    headers,
    body: requestBody,
    method = requestBody === undefined ? "GET" : "POST",
  }: {
    readonly url: URL;
    readonly headers: Headers;
    readonly body: string | undefined;
    readonly method: "GET" | "POST" | "DELETE" | undefined;
  },
  signal: AbortSignal,
  isProxied: boolean,
): Promise<TransportResponse> {
  const path = `${url.pathname}${url.search}`;
  const pendingResponse = dispatcher.request({
    origin: url.origin,
    path,
    method,
    headers: { ...headers },
    body: requestBody ?? null,
    signal,
  });
  // undici handles an abort only once the request is on a connection; resolving, dialling and queueing take time too.
  const rawResponse = await rejectOnAbort(
    pendingResponse,
    signal,
    ({ body }) => void body.on("error", () => undefined).destroy(),
  );
  const { statusCode, headers: rawHeaders, body } = rawResponse;
  // A reader of the body gets its error; without a reader, the error must not end the process.
  body.on("error", () => undefined);
  const discard = () => {
    if (body.readableDidRead) body.destroy();
    else body.dump({ limit: MAX_DISCARDED_BYTES, signal }).catch(() => undefined);
  };
  return { status: statusCode, headers: joinHeaderLists(rawHeaders), body, isProxied, discard };
}

/** A header that occurs several times becomes one comma-separated list, as HTTP defines. */
function joinHeaderLists(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

type Dispatchers = { getDispatcher(proxy: string | undefined, lane: Lane): Dispatcher; destroy(): Promise<void> };

async function loadDispatchers({ settings, dialler, guard }: TransportOptions): Promise<Dispatchers> {
  const undici = await import("undici");
  const trust = tls.createSecureContext(await readTrust(settings["network.ca_file"]));
  const timeoutMs = settings["network.connect_timeout"];
  const poolOptions: Agent.Options = {
    connections: settings["network.connections_per_host"],
    maxHeaderSize: MAX_HEADERS_BYTES,
    // The whole fetch has a deadline; undici's own timeouts would contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const openDirect = () =>
    new undici.Agent({ ...poolOptions, connect: makeGuardedConnector({ ...dialler, guard, timeoutMs, trust }) });
  const dispatchers = new Map<string, Dispatcher>();

  /** The proxy is the user's own choice, so its address is not checked. */
  function openProxy(uri: string): Dispatcher {
    const connect = makeGuardedConnector({ ...dialler, guard: permissiveGuard, timeoutMs, trust });
    const toProxy = (origin: string | URL, options: object) =>
      new undici.Pool(origin, { ...poolOptions, ...options, connect });
    return new undici.ProxyAgent({
      ...poolOptions,
      uri,
      proxyTunnel: false,
      requestTls: { secureContext: trust },
      clientFactory: toProxy,
      // A request without a tunnel goes to the proxy itself; a tunnelled one is given its socket.
      factory: (origin, options) =>
        isSameOrigin(origin, uri) ? toProxy(origin, options) : new undici.Pool(origin, options as Pool.Options),
    });
  }

  return {
    getDispatcher(proxy, lane) {
      const key = `${lane} ${proxy ?? "direct"}`;
      const dispatcher = dispatchers.get(key) ?? (proxy === undefined ? openDirect() : openProxy(proxy));
      dispatchers.set(key, dispatcher);
      return dispatcher;
    },
    async destroy() {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function isSameOrigin(origin: string | URL, uri: string): boolean {
  return new URL(origin).origin === new URL(uri).origin;
}

/** Without a file Node's defaults, NODE_EXTRA_CA_CERTS included. */
async function readTrust(file: string | null): Promise<tls.SecureContextOptions> {
  if (file === null) return {};
  const { readTrustedCertificates } = await import("../../../system/trusted-certificates.ts");
  return readTrustedCertificates(file);
}
