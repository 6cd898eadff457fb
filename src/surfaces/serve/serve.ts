/** `spillway serve` as a whole: tokens, owners, MCP and probes behind one HTTP server. */
import type { LoadedConfig } from "../../config/load-config.ts";
import { findDataHome } from "../../config/paths.ts";
import type { Session } from "../../session/session.ts";
import { askInTurn, type FindCaller, fileCallers, localCaller } from "./guard/callers.ts";
import { createFairQueue } from "./guard/fair-queue.ts";
import { createRateLimit } from "./guard/rate-limit.ts";
import { allowedNames, isLoopback } from "./guard/request-checks.ts";
import { createDispatcher } from "./http/dispatch.ts";
import { openHttpServer } from "./http/http-server.ts";
import { createMcpEndpoint } from "./mcp/mcp-endpoint.ts";
import { type CreateServer, makeOwnerServers } from "./mcp/owner-servers.ts";
import { createServeMetrics } from "./metrics.ts";
import { openOwners } from "./owners.ts";
import { makeRoutes } from "./server-routes.ts";
import { checkStart } from "./start-checks.ts";
import { readTokenFile } from "./tokens/token-file.ts";
import { makeTokenText, openTokens, tokenFilePath } from "./tokens/tokens.ts";

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
  /** Takes no more requests, finishes those that run, and ends. */
  stop(): Promise<void>;
};

/** Opens the server. It runs until it is stopped. */
export async function openServe(options: ServeOptions): Promise<RunningServer> {
  const { session, log } = options;
  const { settings, env, now, store } = session;
  const { localToken, findCaller } = await openCallers(options);
  const lifetime = new AbortController();
  const queue = createFairQueue({
    running: settings["serve.calls"],
    runningPerOwner: settings["serve.owner_calls"],
    waitingPerOwner: settings["serve.owner_waiting"],
  });
  const owners = openOwners({ settings, storage: store, env, signal: lifetime.signal, log, now });
  const makeServer = makeOwnerServers({ ...options, owners, queue });
  const sessionKeepMs = settings["serve.session_keep"];
  const mcp = createMcpEndpoint({ catalogue: store.catalogue, makeServer, sessionKeepMs, now, log });
  const metrics = createServeMetrics();
  let isStopping = false;
  const place = { address: settings["serve.address"], port: settings["serve.port"] };
  const dispatcher = createDispatcher({
    findCaller,
    rates: createRateLimit(now),
    routes: makeRoutes({ mcp, metrics, queue, owners, store, isStopping: () => isStopping }),
    names: () => allowedNames(place, { hosts: settings["serve.hosts"], origins: settings["serve.origins"] }),
    maxBodyBytes: settings["serve.body_bytes"],
    maxOpenPerOwner: settings["serve.owner_waiting"],
    isStopping: () => isStopping,
    metrics,
    log,
  });
  const http = await openHttpServer({ ...place, serve: dispatcher.serve });
  place.port = http.port;

  async function stop(): Promise<void> {
    isStopping = true;
    http.stopListening();
    mcp.closeStreams();
    await waitAtMost(settings["serve.drain"], dispatcher.idle());
    lifetime.abort();
    await mcp[Symbol.asyncDispose]();
    await http.close();
    await owners[Symbol.asyncDispose]();
  }

  return { url: makeUrl(place), localToken, stop };
}

/** Whom the server lets in. Throws where it may not listen. */
async function openCallers({ session, localFolders = [] }: ServeOptions) {
  const { settings, env, now } = session;
  const path = tokenFilePath(findDataHome(settings.home, env, process.platform), settings["serve.tokens"]);
  checkStart(settings, readTokenFile(path).rows.length > 0);
  const rate = settings["serve.owner_rate"];
  const kinds: FindCaller[] = [fileCallers(openTokens(path, now), rate)];
  if (!isLoopback(settings["serve.address"])) return { localToken: undefined, findCaller: askInTurn(kinds) };
  const localToken = await makeLocalToken(session);
  const operator = { owner: session.store.owner, tokenName: "local", rate, folders: localFolders, isAdmin: true };
  return { localToken, findCaller: askInTurn([localCaller(localToken, operator), ...kinds]) };
}

/** Derived from the owner's key: the same at every start, so a client is set up once. */
async function makeLocalToken({ store }: Session): Promise<string> {
  return makeTokenText(Buffer.from(await store.seal("spillway serve"), "hex"));
}

function makeUrl({ address, port }: { readonly address: string; readonly port: number }): string {
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
