/** Plans to put the servers in a client's config behind the gateway, and to take them out again. */
import { existsSync } from "node:fs";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { planRestoration, readValueBefore, restoreConfig, writeConfig } from "./change-config.ts";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import { editServers, listServers, openClientConfig, type ServerEntry } from "./client-config.ts";
import { makePlan, needsOwnProgram, type PlannedChange } from "./install-client.ts";
import { readWrapped, runsGateway, runsSpillway } from "./own-command.ts";

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
 * What an entry is: behind the gateway or not, or one that it cannot start: reached by a URL, a whole command line as the name
 * of a program, which only a shell takes apart, or anything else.
 */
export type WrapState = "wrapped" | "plain" | "url" | "line" | "other" | "spillway";

/** A server in a client's config. */
export type ListedServer = Pick<ServerEntry, "name" | "folder"> & { readonly state: WrapState };

/** The servers of a client, and whether they are wrapped. */
export async function listWrapped(client: Client, scope: Scope, machine: ClientMachine): Promise<ListedServer[]> {
  const config = await openClientConfig(client, scope, machine);
  return listServers(config).map((entry) => ({ name: entry.name, folder: entry.folder, state: stateOf(entry) }));
}

function stateOf({ server, isRemote }: ServerEntry): WrapState {
  if (server === undefined) return isRemote ? "url" : "other";
  if (readWrapped(server) !== undefined) return "wrapped";
  if (runsSpillway(server) || runsGateway(server)) return "spillway";
  return /\s/.test(server.command) && !existsSync(server.command) ? "line" : "plain";
}

/** Plans to put servers behind the gateway. Those that are there already, and those that it cannot start, stay as they are. */
export async function planWrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, (entry) => (stateOf(entry) === "plain" ? entry.server : undefined));
  const changes = chosen.map((entry) => ({ entry, server: wrapServer(entry, options.gateway) }));
  const text = editServers(config, changes);
  const hadChange = entries.some((entry) => stateOf(entry) === "wrapped");
  const { folder } = options;
  return makePlan(config, {
    action: chosen.length === 0 ? "none" : "update",
    text,
    notes: [...(chosen.length === 0 ? [] : needsOwnProgram(options.scope)), ...describeLeftAlone(entries, options)],
    apply: () => writeConfig(config, text, { purpose: "wrap", folder, hadChange }),
  });
}

/** Why the gateway cannot start a server. */
export const obstacles: Readonly<Partial<Record<WrapState, string>>> = {
  url: "it is reached by a URL",
  other: "it has no command with a list of words as arguments",
  line: "its command is a whole command line; move all words but the first into its arguments",
};

/** A sentence for each server that is meant and cannot be wrapped. Without names, what may not be a server is not meant. */
function describeLeftAlone(entries: readonly ServerEntry[], { servers }: WrapOptions): string[] {
  return entries.flatMap((entry) => {
    const state = stateOf(entry);
    const isMeant = servers.length === 0 ? state !== "other" : servers.includes(entry.name);
    const obstacle = isMeant ? obstacles[state] : undefined;
    return obstacle === undefined ? [] : [`${clip(entry.name)} is left as it is: ${obstacle}.`];
  });
}

/** Plans to take servers out: byte for byte if all are meant and the file has not changed since, else only the wrapping. */
export async function planUnwrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, ({ server }) => readWrapped(server));
  const context = { purpose: "wrap", folder: options.folder } as const;
  const changes = chosen.map((entry) => ({ entry, server: entry.inner }));
  const edited = editServers(config, changes, await readValueBefore(config, context));
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
  /** The server as it is started without the gateway. */ readonly inner: ServerCommand;
};

/** The entries that are meant and have an inner server. */
function choose(
  entries: readonly ServerEntry[],
  { servers }: WrapOptions,
  readInner: (entry: ServerEntry) => ServerCommand | undefined,
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

/** The client has chosen the environment of an entry, in whatever way, so the gateway passes all of it on. */
function wrapServer({ name, inner }: ChosenEntry, gateway: ServerCommand): ServerCommand {
  const { command, args } = inner;
  return { command: gateway.command, args: [...gateway.args, `--name=${name}`, "--env=*", "--", command, ...args] };
}
