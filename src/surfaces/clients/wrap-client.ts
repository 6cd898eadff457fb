/** Plans to put the servers in a client's config behind the gateway, and to take them out again. */
import { existsSync } from "node:fs";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { planRestoration, readValueBefore, restoreConfig, writeConfig } from "./change-config.ts";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import {
  type ClientConfig,
  editServers,
  editUrlEntry,
  listServers,
  openClientConfig,
  type ServerEntry,
} from "./client-config.ts";
import { makePlan, needsOwnProgram, type PlannedChange } from "./install-client.ts";
import { readWrapped, readWrappedUrl, runsGateway, runsSpillway } from "./own-command.ts";
import { makeUrlCommand, needsNoLogin, type UrlServer } from "./url-entries.ts";

export type WrapOptions = {
  readonly scope: Scope;
  readonly machine: ClientMachine;
  /** The folder of backups. */
  readonly folder: string;
  /** The servers that are meant; all if there are none. */
  readonly servers: readonly string[];
  /** How the gateway is started, before its options. */
  readonly gateway: ServerCommand;
};

/**
 * What an entry is: behind the gateway or not, or one that is left alone: reached by a URL that its client may log in to or
 * surely does, with a URL in a form that is not known, a whole command line as the name of a program, which only a shell takes
 * apart, or anything else.
 */
export type WrapState = "wrapped" | "plain" | "url" | "login" | "unknown" | "line" | "other" | "spillway";

/** A server in a client's config. */
export type ListedServer = Pick<ServerEntry, "name" | "folder"> & { readonly state: WrapState };

/** The servers of a client, and whether they are wrapped. */
export async function listWrapped(client: Client, scope: Scope, machine: ClientMachine): Promise<ListedServer[]> {
  const config = await openClientConfig(client, scope, machine);
  return listServers(config).map((entry) => ({ name: entry.name, folder: entry.folder, state: stateOf(entry) }));
}

function stateOf({ server, isRemote, remote }: ServerEntry): WrapState {
  if (server === undefined && remote === undefined) return isRemote ? "unknown" : "other";
  if (server === undefined) return remote === "login" || remote === undefined ? "login" : stateOfUrl(remote);
  if (readWrapped(server) !== undefined || readWrappedUrl(server) !== undefined) return "wrapped";
  if (runsSpillway(server) || runsGateway(server)) return "spillway";
  return /\s/.test(server.command) && !existsSync(server.command) ? "line" : "plain";
}

const stateOfUrl = (server: UrlServer): WrapState => (needsNoLogin(server) ? "plain" : "url");

/** Plans to put servers behind the gateway. Those that are there already, and those that it cannot start, stay as they are. */
export async function planWrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, (entry) => findInner(entry, options));
  const commands = chosen.flatMap((entry) => ("command" in entry.inner ? [{ ...entry, inner: entry.inner }] : []));
  const changes = commands.map((entry) => ({ entry, server: wrapServer(entry, options.gateway) }));
  const text = editUrls(config, editServers(config, changes), chosen, ({ name, inner }) =>
    makeUrlCommand(name, inner, options.gateway),
  );
  const hadChange = entries.some((entry) => stateOf(entry) === "wrapped");
  const { folder } = options;
  return makePlan(config, {
    action: chosen.length === 0 ? "none" : "update",
    text,
    notes: [...(chosen.length === 0 ? [] : needsOwnProgram(options.scope)), ...describeLeftAlone(entries, options)],
    apply: () => writeConfig(config, text, { purpose: "wrap", folder, hadChange }),
  });
}

/** The server that is put behind the gateway; undefined for one that is left alone. A URL without a key has to be named. */
function findInner(entry: ServerEntry, { servers }: WrapOptions): ServerCommand | UrlServer | undefined {
  const state = stateOf(entry);
  const { server, remote } = entry;
  if (server !== undefined) return state === "plain" ? server : undefined;
  const isMeant = state === "plain" || (state === "url" && servers.includes(entry.name));
  return isMeant && typeof remote === "object" ? remote : undefined;
}

type Reached = ServerEntry & { readonly inner: UrlServer };

/** The text with the chosen servers that have a URL changed, one after the other. */
function editUrls(
  config: ClientConfig,
  text: string,
  chosen: readonly ChosenEntry[],
  change: (entry: Reached) => ServerCommand | UrlServer,
  before?: unknown,
): string {
  return chosen.reduce((edited, entry) => {
    const { inner } = entry;
    if ("command" in inner) return edited;
    const value = config.format.parse(edited);
    return editUrlEntry({ ...config, text: edited, value }, entry, change({ ...entry, inner }), before);
  }, text);
}

/** Why a server is left alone. */
export const obstacles: Readonly<Partial<Record<WrapState, string>>> = {
  url: "it has a URL and no key in its headers, so its client may log in to it; name it to wrap it without a login",
  login: "its client logs in to it",
  unknown: "its URL is in a form that is not known",
  other: "it has no command with a list of words as arguments",
  line: "its command is a whole command line; move all words but the first into its arguments",
};

/** A sentence for each server that is meant and cannot be wrapped. Without names, what may not be a server is not meant. */
function describeLeftAlone(entries: readonly ServerEntry[], { servers }: WrapOptions): string[] {
  return entries.flatMap((entry) => {
    const state = stateOf(entry);
    const isMeant = servers.length === 0 ? state !== "other" : servers.includes(entry.name);
    const isNamedUrl = state === "url" && servers.includes(entry.name);
    const obstacle = isMeant && !isNamedUrl ? obstacles[state] : undefined;
    return obstacle === undefined ? [] : [`${clip(entry.name)} is left as it is: ${obstacle}.`];
  });
}

/** Plans to take servers out: byte for byte if all are meant and the file has not changed since, else only the wrapping. */
export async function planUnwrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, ({ server }) => readWrapped(server) ?? readWrappedUrl(server));
  const context = { purpose: "wrap", folder: options.folder } as const;
  const changes = chosen.flatMap((entry) => ("command" in entry.inner ? [{ entry, server: entry.inner }] : []));
  const before = await readValueBefore(config, context);
  const edited = editUrls(config, editServers(config, changes, before), chosen, ({ inner }) => inner, before);
  const isAll = chosen.length === entries.filter((entry) => stateOf(entry) === "wrapped").length;
  const restoration = await planRestoration(config, context, () => edited);
  const isRestored = isAll && restoration.kind === "restore";
  return makePlan(config, {
    action: chosen.length === 0 ? "none" : isRestored ? "restore" : "update",
    text: isRestored ? new TextDecoder().decode(restoration.bytes) : edited,
    apply: () =>
      isAll
        ? restoreConfig(config, isRestored ? restoration : { kind: "edit", text: edited }, context)
        : writeConfig(config, edited, { ...context, hadChange: true }),
  });
}

type ChosenEntry = ServerEntry & {
  /** The server as it is started or reached without the gateway. */
  readonly inner: ServerCommand | UrlServer;
};

/** The entries that are meant and have an inner server. */
function choose(
  entries: readonly ServerEntry[],
  { servers }: WrapOptions,
  readInner: (entry: ServerEntry) => ServerCommand | UrlServer | undefined,
): readonly ChosenEntry[] {
  const chosen = entries.flatMap((entry) => {
    const inner = servers.length === 0 || servers.includes(entry.name) ? readInner(entry) : undefined;
    return inner === undefined ? [] : [{ ...entry, inner }];
  });
  const counts = Map.groupBy(entries, ({ path }) => JSON.stringify(path));
  const repeated = chosen.find(({ path }) => (counts.get(JSON.stringify(path))?.length ?? 0) > 1);
  if (repeated !== undefined) throw makeRepeatedError(repeated.name);
  return chosen;
}

function makeRepeatedError(name: string): SpillwayError {
  return new SpillwayError("client_config", `The config has two servers named ${JSON.stringify(clip(name))}.`, {
    hint: "Give each server a name of its own, or name the servers to change. The file was not changed.",
  });
}

type StartedEntry = ServerEntry & { readonly inner: ServerCommand };

/** The client has chosen the environment of an entry, in whatever way, so the gateway passes all of it on. */
function wrapServer({ name, inner }: StartedEntry, gateway: ServerCommand): ServerCommand {
  const { command, args } = inner;
  return { command: gateway.command, args: [...gateway.args, `--name=${name}`, "--env=*", "--", command, ...args] };
}
