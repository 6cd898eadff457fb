/** One request over one connection: undici above our own connector, or above a proxy that the environment names. */
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import * as tls from "node:tls";
import type { Agent, Dispatcher, Pool } from "undici";
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { untilAborted } from "../abortable.ts";
import { anywhere, type Guard } from "./address-guard.ts";
import { portOf, proxiesOf } from "./env-proxy.ts";
import { guardedConnector, type Wires } from "./guarded-connect.ts";

/** The beginning of an answer; its body must be read or discarded. */
export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Whether a proxy reached the host for us, so that its address was not ours to judge. */
  readonly proxied: boolean;
  /** Lets go of the body: a short rest is read so that the connection can be used again. */
  discard(): void;
};

/** Requests made while the answer to another is held wait for connections of their own, or both could wait for ever. */
export type Lane = "first" | "beside";

export type Transport = AsyncDisposable & {
  /** With a body it is a POST. */
  request(url: URL, headers: Headers, signal: AbortSignal, more?: { lane?: Lane; body?: string }): Promise<Response>;
};

type Headers = Readonly<Record<string, string>>;

export type TransportOptions = {
  readonly settings: Settings;
  readonly env: Environment;
  readonly wires: Wires;
  readonly guard: Guard;
};

const largestHeadersBytes = 64 * 1024;
/** What is read of a body that nobody wants, to keep its connection. */
const discardedBytes = 64 * 1024;

/** Nothing is loaded or opened before the first request. */
export function openTransport(options: TransportOptions): Transport {
  const chooseProxy = proxiesOf(options.env);
  let loading: Promise<Dispatchers> | undefined;
  return {
    async request(url, headers, signal, { lane = "first", body } = {}) {
      const proxy = chooseProxy(url);
      if (proxy !== undefined) options.guard.host({ host: url.hostname, port: Number(portOf(url)) });
      // A failed start (a certificate file that is not there yet) must not last.
      loading ??= loadDispatchers(options).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const dispatcher = (await loading).through(proxy, lane);
      return send(dispatcher, { url, headers, body }, signal, proxy !== undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.destroy();
    },
  };
}

async function send(
  dispatcher: Dispatcher,
  { url, headers, body: sent }: { readonly url: URL; readonly headers: Headers; readonly body: string | undefined },
  signal: AbortSignal,
  proxied: boolean,
): Promise<Response> {
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
    else body.dump({ limit: discardedBytes, signal }).catch(() => undefined);
  };
  return { status: statusCode, headers: joined(raw), body, proxied, discard };
}

/** A header that came several times is one list, as HTTP has it. */
function joined(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(raw).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

type Dispatchers = { through(proxy: string | undefined, lane: Lane): Dispatcher; destroy(): Promise<void> };

async function loadDispatchers({ settings, wires, guard }: TransportOptions): Promise<Dispatchers> {
  const undici = await import("undici");
  const trust = tls.createSecureContext(await trusted(settings["network.ca_file"]));
  const timeoutMs = settings["network.connect_timeout"];
  const common: Agent.Options = {
    connections: settings["network.connections_per_host"],
    maxHeaderSize: largestHeadersBytes,
    // The fetch as a whole has a deadline; a second clock would contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const openDirect = () =>
    new undici.Agent({ ...common, connect: guardedConnector({ ...wires, guard, timeoutMs, trust }) });
  const opened = new Map<string, Dispatcher>();

  /** The proxy is the user's own choice: its address is not judged. */
  function openProxy(uri: string): Dispatcher {
    const connect = guardedConnector({ ...wires, guard: anywhere, timeoutMs, trust });
    const toProxy = (origin: string | URL, more: object) => new undici.Pool(origin, { ...common, ...more, connect });
    return new undici.ProxyAgent({
      ...common,
      uri,
      proxyTunnel: false,
      requestTls: { secureContext: trust },
      clientFactory: toProxy,
      // A request that is not tunnelled goes to the proxy itself; a tunnelled one gets its socket handed in.
      factory: (origin, more) =>
        isSame(origin, uri) ? toProxy(origin, more) : new undici.Pool(origin, more as Pool.Options),
    });
  }

  return {
    through(proxy, lane) {
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

function isSame(origin: string | URL, uri: string): boolean {
  return new URL(origin).origin === new URL(uri).origin;
}

/** The platform's certificates and the file's; without a file Node's own choice, NODE_EXTRA_CA_CERTS included. */
async function trusted(file: string | null): Promise<tls.SecureContextOptions> {
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
