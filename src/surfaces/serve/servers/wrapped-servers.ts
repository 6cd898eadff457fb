/** The operator's wrapped servers for the owners of the server: each under a path, and all of them as one. */
import { homeFolder } from "../../../config/paths.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { clip, safeFileName } from "../../../system/safe-names.ts";
import { toLogText } from "../../../system/terminal-text.ts";
import { findGatewayFile, openGatewayFile, type ServerEntry } from "../../gateway/gateway-file.ts";
import { openGateway } from "../../gateway/open-gateway.ts";
import type { Caller } from "../guard/callers.ts";
import type { FairQueue } from "../guard/fair-queue.ts";
import type { Owners } from "../owners.ts";
import type { Route } from "../routes.ts";
import { createLiveLinks } from "./live-links.ts";
import { createServerEndpoint, type OpenedServers } from "./server-endpoint.ts";

export type WrappedServersOptions = {
  /** The session of the operator. */
  readonly session: Session;
  readonly owners: Owners;
  readonly queue: FairQueue;
  readonly log: (line: string) => void;
};

export type WrappedServers = AsyncDisposable & {
  readonly routes: readonly Route[];
  /** The paths by the name of the server; the empty name is all of them as one. */
  readonly paths: ReadonlyMap<string, string>;
  /** Ends the streams that have no end of their own. */
  closeStreams(): void;
  /** How many servers are running or connected. */
  readonly running: number;
};

/** Names the owner, for files and accounts that owners should not share. */
const OWNER_VARIABLE = "SPILLWAY_OWNER";

/** Throws if the file of servers cannot be used. */
export async function openWrappedServers(options: WrappedServersOptions): Promise<WrappedServers> {
  const { session, queue } = options;
  const { settings, now, store } = session;
  const readEntries = await openEntries(session);
  const names = readEntries(store.owner).map(({ name }) => name);
  const links = createLiveLinks({
    servers: settings["serve.server_processes"],
    serversPerOwner: settings["serve.owner_processes"],
    idleMs: settings["serve.server_idle"],
    now,
  });
  const paths = new Map([
    ...(names.length > 1 ? [["", "/servers/mcp"] as const] : []),
    ...names.map((name) => [name, `/servers/${name}/mcp`] as const),
  ]);
  const endpoints = [...paths].map(([name, path]) => {
    const open = (caller: Caller, client: string | undefined) => {
      const entries = readEntries(caller.owner).filter((entry) => name === "" || entry.name === name);
      return openServers(entries, caller, client, options);
    };
    const keepMs = settings["serve.session_keep"];
    const servers = name === "" ? names.length : 1;
    return {
      path,
      ...createServerEndpoint({ path, servers, open, links, queue, keepMs, catalogue: store.catalogue, now }),
    };
  });
  return {
    paths,
    routes: endpoints.map(
      ({ path, serve }): Route => ({
        name: "servers",
        path,
        methods: ["POST", "GET", "DELETE"],
        access: "token",
        takesJson: true,
        serve,
      }),
    ),
    closeStreams() {
      for (const endpoint of endpoints) endpoint.closeStreams();
    },
    get running() {
      return links.servers;
    },
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}

/** The servers that the settings name, for any owner. The file is read once. */
async function openEntries({ settings, env }: Session): Promise<(owner: string) => readonly ServerEntry[]> {
  const wanted = settings["serve.servers"];
  const { platform } = process;
  const file = findGatewayFile({ env, platform, homeDir: homeFolder(env, platform) });
  if (file === undefined)
    throw new SpillwayError("config_invalid", "There is no home folder that gateway.jsonc could be in.", {
      hint: "Set HOME or XDG_CONFIG_HOME, or leave serve.servers empty.",
    });
  const read = await openGatewayFile(file, false);
  const all = read({ ...env, [OWNER_VARIABLE]: "owner" }).map(({ name }) => name);
  const missing = wanted.find((name) => name !== "*" && !all.includes(name));
  if (missing !== undefined)
    throw new SpillwayError("config_invalid", `serve.servers has ${JSON.stringify(clip(missing))}.`, {
      hint: `${file} has ${all.join(", ")}. Use some of these names, or * for all.`,
    });
  const isWanted = ({ name }: ServerEntry) => wanted.includes("*") || wanted.includes(name);
  return (owner) => read({ ...env, [OWNER_VARIABLE]: safeFileName(owner) }).filter(isWanted);
}

/** The servers of one client, on the session of its owner. */
async function openServers(
  entries: readonly ServerEntry[],
  caller: Caller,
  client: string | undefined,
  { owners, session, log }: WrappedServersOptions,
): Promise<OpenedServers> {
  const lease = await owners.open(caller);
  const write = (sentence: string) => log(`servers: ${clip(toLogText(sentence.trimEnd()), MAX_LOG_CHARS)}`);
  const gateway = openGateway({
    session: lease.session,
    servers: entries,
    cwd: session.cwd,
    client,
    log: write,
    note: write,
  });
  return {
    connect: (toClient) => gateway.connect(toClient),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      lease[Symbol.dispose]();
    },
  };
}

/** What a server writes is one line of the log, however long it is. */
const MAX_LOG_CHARS = 2_000;
