/** `spillway serve` as a whole: tokens, owners, MCP and probes behind one HTTP server. */
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Settings } from "../../config/settings.ts";
import type { Session } from "../../session/session.ts";
import { createFairQueue } from "./guard/fair-queue.ts";
import { createRateLimit } from "./guard/rate-limit.ts";
import { allowedNames } from "./guard/request-checks.ts";
import { createDispatcher } from "./http/dispatch.ts";
import { openHttpServer } from "./http/http-server.ts";
import { LLM_PATH } from "./llm-path.ts";
import { toLogLine } from "./log-line.ts";
import { createMcpEndpoint } from "./mcp/mcp-endpoint.ts";
import { type CreateServer, makeOwnerServers } from "./mcp/owner-servers.ts";
import { createServeMetrics } from "./metrics.ts";
import { openCallers } from "./open-callers.ts";
import { openOwners } from "./owners.ts";
import { metadataRoutes, metadataUrl } from "./resource-metadata.ts";
import { MCP_PATH, makeRoutes, readServeMetrics } from "./server-routes.ts";
import { openServices } from "./services.ts";
import { createSignIn } from "./sign-in/sign-in.ts";
import { SIGN_IN_PATH } from "./sign-in/sign-in-routes.ts";

export type ServeOptions = {
  /** The session of the operator, whose settings and store are used for all owners. */
  readonly session: Session;
  readonly config: LoadedConfig;
  /** Folders that the bearer of the local token may read by path. */
  readonly localFolders?: readonly string[];
  readonly log: (line: string) => void;
  /** Makes the MCP server of a caller; tests add what the conformance suite asks for. */
  readonly createServer?: CreateServer;
};

export type RunningServer = {
  /** `http://127.0.0.1:8403` */
  readonly url: string;
  /** The operator's own token; undefined if the server listens to other machines. */
  readonly localToken: string | undefined;
  /** A link that signs the operator in once; undefined without such a token. */
  readonly signInUrl: string | undefined;
  /** The proxy for providers, if it is on. */
  readonly llm: ServedLlm | undefined;
  /** The paths of wrapped servers by name; the empty name is all of them as one. */
  readonly serverPaths: ReadonlyMap<string, string>;
  /** Takes no more requests, finishes those that run, and ends. */
  stop(): Promise<void>;
};

export type ServedLlm = {
  /** With the operator's token, if it has one: `http://127.0.0.1:8403/llm/spw_...` */
  readonly url: string;
  readonly upstreams: readonly string[];
};

/** Opens the server. It runs until it is stopped. */
export async function openServe(options: ServeOptions): Promise<RunningServer> {
  const { session } = options;
  const log = (line: string) => options.log(toLogLine(line));
  const { settings, env, now, store } = session;
  const place = { address: settings["serve.address"], port: settings["serve.port"] };
  const resource = () => resourceUrl(settings, place);
  await using opened = new AsyncDisposableStack();
  const callers = opened.use(await openCallers({ ...options, resource }));
  const lifetime = new AbortController();
  const queue = createFairQueue({
    running: settings["serve.calls"],
    runningPerOwner: settings["serve.owner_calls"],
    waitingPerOwner: settings["serve.owner_waiting"],
  });
  const owners = opened.use(openOwners({ settings, storage: store, env, signal: lifetime.signal, log, now }));
  const makeServer = makeOwnerServers({ ...options, owners, queue });
  const sessionKeepMs = settings["serve.session_keep"];
  const mcp = opened.use(createMcpEndpoint({ catalogue: store.catalogue, makeServer, sessionKeepMs, now, log }));
  const metrics = createServeMetrics();
  let isStopping = false;
  const lists = { hosts: settings["serve.hosts"], origins: settings["serve.origins"] };
  let names = allowedNames(place, lists);
  const issuer = settings["serve.issuer"];
  const isSecure = settings["serve.hosts"].length > 0;
  const signIn = createSignIn({ store, findByHash: callers.findByHash, isSecure, now });
  const streams = new AbortController();
  const dashboard = { owners, catalogue: store.catalogue, signIn, resource, streams: streams.signal, now };
  const { llm, wrapped } = opened.use(await openServices({ session, owners, queue, log }));
  const isStoppingNow = () => isStopping;
  const served = { mcp, metrics, queue, owners, store, signIn, dashboard, llm, wrapped };
  session.exportMetrics(() => readServeMetrics(served));
  const routes = makeRoutes({ ...served, isStopping: isStoppingNow });
  const dispatcher = createDispatcher({
    findCaller: callers.find,
    findSignedIn: signIn.findCaller,
    rates: createRateLimit(now),
    routes: [...routes, ...(issuer === null ? [] : metadataRoutes({ resource, issuer }, MCP_PATH))],
    metadataUrl: () => (issuer === null ? undefined : metadataUrl(resource())),
    names: () => names,
    maxBodyBytes: settings["serve.body_bytes"],
    maxOpenPerOwner: settings["serve.owner_waiting"],
    isStopping: isStoppingNow,
    metrics,
    log,
  });
  const http = await openHttpServer({ ...place, serve: dispatcher.serve });
  place.port = http.port;
  names = allowedNames(place, lists);
  opened.defer(() => lifetime.abort());
  const parts = opened.move();

  async function stop(): Promise<void> {
    isStopping = true;
    http.stopListening();
    mcp.closeStreams();
    wrapped?.closeStreams();
    streams.abort();
    await waitAtMost(settings["serve.drain"], dispatcher.idle());
    await parts.disposeAsync();
    await http.close();
  }

  const { localToken, localLlmToken } = callers;
  const url = makeUrl(place);
  const code = localToken === undefined ? undefined : await signIn.makeCode(localToken);
  const signInUrl = code === undefined ? undefined : `${url}${SIGN_IN_PATH}?code=${code}`;
  const llmUrl = localLlmToken === undefined ? `${url}${LLM_PATH}` : `${url}${LLM_PATH}/${localLlmToken}`;
  const servedLlm = llm && { url: llmUrl, upstreams: llm.upstreams };
  return { url, localToken, signInUrl, llm: servedLlm, serverPaths: wrapped?.paths ?? new Map(), stop };
}

/** The address of the MCP endpoint as clients know it: behind TLS by its name there. */
function resourceUrl({ "serve.hosts": hosts }: Settings, place: Place): string {
  const [host] = hosts;
  return `${host === undefined ? makeUrl(place) : `https://${host}`}${MCP_PATH}`;
}

type Place = { readonly address: string; readonly port: number };

function makeUrl({ address, port }: Place): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
