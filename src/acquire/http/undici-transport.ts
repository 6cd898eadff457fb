/** One request over one connection: undici above our own connector, or above a proxy that the environment names. */
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import * as tls from "node:tls";
import type { Agent, Dispatcher, Pool } from "undici";
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { untilAborted } from "../abortable.ts";
import { type Guard, permissiveGuard } from "./address-guard.ts";
import { getPort, makeProxyChooser } from "./env-proxy.ts";
import { type Dialler, makeGuardedConnector } from "./guarded-connect.ts";

/** The beginning of an answer; its body must be read or discarded. */
export type TransportResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Whether a proxy reached the host for us, so that its address was not ours to judge. */
  readonly isProxied: boolean;
  /** Lets go of the body: a short rest is read so that the connection can be used again. */
  discard(): void;
};

/** Requests made while the answer to another is held wait for connections of their own, or both could wait for ever. */
export type Lane = "first" | "beside";

export type Transport = AsyncDisposable & {
  /** With a body it is a POST. */
  request(
    url: URL,
    headers: Headers,
    signal: AbortSignal,
    more?: { lane?: Lane; body?: string },
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
/** What is read of a body that nobody wants, to keep its connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** Nothing is loaded or opened before the first request. */
export function openTransport(options: TransportOptions): Transport {
  const chooseProxy = makeProxyChooser(options.env);
  let loading: Promise<Dispatchers> | undefined;
  return {
    async request(url, headers, signal, { lane = "first", body } = {}) {
      const proxy = chooseProxy(url);
      if (proxy !== undefined) options.guard.checkHost({ host: url.hostname, port: Number(getPort(url)) });
      // A failed start (a certificate file that is not there yet) must not last.
      loading ??= loadDispatchers(options).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const dispatcher = (await loading).getDispatcher(proxy, lane);
      return sendRequest(dispatcher, { url, headers, body }, signal, proxy !== undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.destroy();
    },
  };
}

async function sendRequest(
  dispatcher: Dispatcher,
  { url, headers, body: sent }: { readonly url: URL; readonly headers: Headers; readonly body: string | undefined },
  signal: AbortSignal,
  proxied: boolean,
): Promise<TransportResponse> {
  const path = `${url.pathname}${url.search}`;
  const requested = dispatcher.request({
    origin: url.origin,
    path,
    method: sent === undefined ? "GET" : "POST",
    headers: { ...headers },
    body: sent ?? null,
    signal,
  });
  // undici hears of an abort only once the request is on a connection; looking up, dialling and queueing take time too.
  const answered = await untilAborted(
    requested,
    signal,
    ({ body }) => void body.on("error", () => undefined).destroy(),
  );
  const { statusCode, headers: raw, body } = answered;
  // Whoever reads the body meets its error; where nobody does, it must not end the process.
  body.on("error", () => undefined);
  const discard = () => {
    if (body.readableDidRead) body.destroy();
    else body.dump({ limit: MAX_DISCARDED_BYTES, signal }).catch(() => undefined);
  };
  return { status: statusCode, headers: joinHeaderLists(raw), body, isProxied: proxied, discard };
}

/** A header that came several times is one list, as HTTP has it. */
function joinHeaderLists(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(raw).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

type Dispatchers = { getDispatcher(proxy: string | undefined, lane: Lane): Dispatcher; destroy(): Promise<void> };

async function loadDispatchers({ settings, dialler, guard }: TransportOptions): Promise<Dispatchers> {
  const undici = await import("undici");
  const trust = tls.createSecureContext(await readTrustedCertificates(settings["network.ca_file"]));
  const timeoutMs = settings["network.connect_timeout"];
  const common: Agent.Options = {
    connections: settings["network.connections_per_host"],
    maxHeaderSize: MAX_HEADERS_BYTES,
    // The fetch as a whole has a deadline; a second clock would contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const openDirect = () =>
    new undici.Agent({ ...common, connect: makeGuardedConnector({ ...dialler, guard, timeoutMs, trust }) });
  const opened = new Map<string, Dispatcher>();

  /** The proxy is the user's own choice: its address is not judged. */
  function openProxy(uri: string): Dispatcher {
    const connect = makeGuardedConnector({ ...dialler, guard: permissiveGuard, timeoutMs, trust });
    const toProxy = (origin: string | URL, more: object) => new undici.Pool(origin, { ...common, ...more, connect });
    return new undici.ProxyAgent({
      ...common,
      uri,
      proxyTunnel: false,
      requestTls: { secureContext: trust },
      clientFactory: toProxy,
      // A request that is not tunnelled goes to the proxy itself; a tunnelled one gets its socket handed in.
      factory: (origin, more) =>
        isSameOrigin(origin, uri) ? toProxy(origin, more) : new undici.Pool(origin, more as Pool.Options),
    });
  }

  return {
    getDispatcher(proxy, lane) {
      const key = `${lane} ${proxy ?? "direct"}`;
      const dispatcher = opened.get(key) ?? (proxy === undefined ? openDirect() : openProxy(proxy));
      opened.set(key, dispatcher);
      return dispatcher;
    },
    async destroy() {
      await Promise.all([...opened.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function isSameOrigin(origin: string | URL, uri: string): boolean {
  return new URL(origin).origin === new URL(uri).origin;
}

/** The platform's certificates and the file's; without a file Node's own choice, NODE_EXTRA_CA_CERTS included. */
async function readTrustedCertificates(file: string | null): Promise<tls.SecureContextOptions> {
  if (file === null) return {};
  try {
    const own = await readFile(file, "utf8");
    if (!own.includes("-----BEGIN CERTIFICATE-----")) throw new Error("It holds no certificate in PEM.");
    // Node before 22.15 cannot tell which ones it uses by default.
    return { ca: [...(tls.getCACertificates?.("default") ?? tls.rootCertificates), own] };
  } catch (cause) {
    throw new SpillwayError("config_invalid", `The certificates of network.ca_file cannot be used: ${file}.`, {
      hint: "Name a file in PEM that this user can read.",
      cause,
    });
  }
}
