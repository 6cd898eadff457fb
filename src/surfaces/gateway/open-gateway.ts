/** Opens a gateway on its servers: one as it is, several under prefixes. */
import { join } from "node:path";
import { openServiceFetch } from "../../acquire/http/transport/service-fetch.ts";
import { findDataHome } from "../../config/paths.ts";
import type { Session } from "../../session/session.ts";
import type { ServerEntry } from "./gateway-file.ts";
import { openMergedLink } from "./merged-link.ts";
import { noteResultSize } from "./result-sizes.ts";
import { type Link, openLink } from "./server-link.ts";
import type { ReadTool } from "./tools/read-tool.ts";
import { openToolPins, type ToolPins } from "./tools/tool-pins.ts";
import { makeToolRules } from "./tools/tool-rules.ts";
import { openTurns, type Turns } from "./turns.ts";
import { openHttpUpstream } from "./upstream/http-upstream.ts";
import { makeServerEnvironment } from "./upstream/server-environment.ts";
import { openSseUpstream } from "./upstream/sse-upstream.ts";
import { startStdioUpstream } from "./upstream/stdio-upstream.ts";
import type { Upstream } from "./upstream/upstream.ts";

export type GatewayOptions = {
  readonly session: Session;
  readonly servers: readonly ServerEntry[];
  readonly cwd: string;
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  /** The name of the gateway in the client's config, where it is known. */
  readonly configName?: string | undefined;
  log(sentence: string): void;
  /** Takes what servers write to their error output. */
  note(text: string): void;
};

export type Gateway = AsyncDisposable & {
  /** Connects one client. Each client has servers of its own. */
  connect(toClient: (line: string) => Promise<void>): Link;
};

/** Prepares the gateway; servers are started when a client connects. */
export function openGateway(options: GatewayOptions): Gateway {
  const { session, servers } = options;
  const service = openServerFetch(session);
  return {
    connect(toClient) {
      const turns = openTurns(session);
      const open = (entry: ServerEntry, toRelay: (line: string) => Promise<void>, readTool?: ReadTool) =>
        openServer(entry, { ...options, toClient: toRelay, readTool, turns, fetch: service.fetch });
      const [first, ...others] = servers;
      if (first !== undefined && others.length === 0) return open(first, toClient);
      const members = servers.map((entry) => ({
        name: entry.name,
        open: (toMerged: (line: string) => Promise<void>, readTool: ReadTool) => open(entry, toMerged, readTool),
      }));
      return openMergedLink({ ...options, servers: members, toClient });
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

type ServerOptions = GatewayOptions & {
  readonly readTool: ReadTool | undefined;
  readonly turns: Turns;
  readonly fetch: typeof globalThis.fetch;
  toClient(line: string): Promise<void>;
};

function openServer({ name, source, rules, timeoutMs }: ServerEntry, options: ServerOptions): Link {
  const { session, client, configName, readTool, turns, toClient } = options;
  const log = (sentence: string) => options.log(`${name}: ${sentence}`);
  return openLink({
    ...{ session, client, configName, readTool, turns, timeoutMs, toClient, log },
    server: name,
    rules: makeToolRules(rules),
    pins: openPins({ name, source }, options),
    onBounded: (tool, chars) => noteSize(session, name, tool, chars),
    start: () => startServer(source, { ...options, log }),
  });
}

function startServer(source: ServerEntry["source"], { session, cwd, fetch, log, note }: ServerOptions): Upstream {
  if ("url" in source)
    return source.transport === "sse"
      ? openSseUpstream({ ...source, fetch, log })
      : openHttpUpstream({ ...source, fetch, log });
  const env = makeServerEnvironment(session.env, source.passEnv, source.env);
  return startStdioUpstream({ command: source.command, args: source.args, env, cwd: source.cwd ?? cwd, note });
}

/** Where definitions of tools are remembered; nowhere if the data folder cannot be used. */
export function findPinFolder({ settings, env, homeProblem }: Pick<Session, "settings" | "env" | "homeProblem">) {
  return homeProblem === null ? join(findDataHome(settings.home, env, process.platform), "gateway") : null;
}

/** The pins of one server. */
export function openPins(
  { name, source }: Pick<ServerEntry, "name" | "source">,
  { session, log }: Pick<GatewayOptions, "session" | "log">,
): ToolPins {
  const identity = "url" in source ? source.url : JSON.stringify([source.command, ...source.args]);
  const rule = session.settings["gateway.changed_tools"];
  return openToolPins({ folder: findPinFolder(session), server: name, source: identity, rule, log });
}

/** Remembers the length of a bounded result. */
export function noteSize(session: Session, server: string, tool: string, chars: number): void {
  const folder = findPinFolder(session);
  if (folder !== null) noteResultSize(folder, server, tool, chars);
}

/** Every session and every open answer of a server holds a connection, so the limit for polite fetching does not apply. */
const MAX_CONNECTIONS = 1_000;

/** The `fetch` for servers over HTTP, with the user's proxy and certificates. */
export function openServerFetch({ settings, env }: Pick<Session, "settings" | "env">) {
  return openServiceFetch({ settings: { ...settings, "network.connections_per_host": MAX_CONNECTIONS }, env });
}
