/** Plans to put the servers in a client's config behind the gateway, and to take them out again. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { planRestoration, restoreConfig, writeConfig } from "./change-config.ts";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import { type ClientConfig, listServers, openClientConfig, type ServerEntry, setServer } from "./client-config.ts";
import { makePlan, type PlannedChange } from "./install-client.ts";
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

/** What an entry is: behind the gateway, or not, or one that the gateway cannot start. */
export type WrapState = "wrapped" | "plain" | "url" | "spillway";

/** A server in a client's config. */
export type ListedServer = { readonly name: string; readonly state: WrapState };

/** The servers of a client, and whether they are wrapped. */
export async function listWrapped(client: Client, scope: Scope, machine: ClientMachine): Promise<ListedServer[]> {
  const config = await openClientConfig(client, scope, machine);
  return listServers(config).map((entry) => ({ name: entry.name, state: stateOf(entry) }));
}

function stateOf({ server }: ServerEntry): WrapState {
  if (server === undefined) return "url";
  if (readWrapped(server) !== undefined) return "wrapped";
  return runsSpillway(server) || runsGateway(server) ? "spillway" : "plain";
}

/** Plans to put servers behind the gateway. Those that are there already, and those with a URL, stay as they are. */
export async function planWrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, "plain");
  const text = editServers(config, chosen, (name, server) => wrapServer(name, server, options.gateway));
  const hadChange = entries.some((entry) => stateOf(entry) === "wrapped");
  const { folder } = options;
  return makePlan(config, {
    action: chosen.length === 0 ? "none" : "update",
    text,
    apply: () => writeConfig(config, text, { purpose: "wrap", folder, hadChange }),
  });
}

/** Plans to take servers out: byte for byte if all are meant and the file has not changed since, else only the wrapping. */
export async function planUnwrap(client: Client, options: WrapOptions): Promise<PlannedChange> {
  const config = await openClientConfig(client, options.scope, options.machine);
  const entries = listServers(config);
  const chosen = choose(entries, options, "wrapped");
  const edited = editServers(config, chosen, (_name, server) => readWrapped(server) ?? server);
  const context = { purpose: "wrap", folder: options.folder } as const;
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

function choose(entries: readonly ServerEntry[], { servers }: WrapOptions, state: WrapState): readonly ServerEntry[] {
  const isMeant = (name: string) => servers.length === 0 || servers.includes(name);
  const chosen = entries.filter((entry) => isMeant(entry.name) && stateOf(entry) === state);
  const repeated = chosen.find(({ name }) => entries.filter((entry) => entry.name === name).length > 1);
  if (repeated !== undefined) throw makeRepeatedError(repeated.name);
  return chosen;
}

function makeRepeatedError(name: string): SpillwayError {
  return new SpillwayError("client_config", `The config has two servers named ${JSON.stringify(clip(name))}.`, {
    hint: "Give each server a name of its own, or name the servers to change. The file was not changed.",
  });
}

/** The client has chosen the environment of an entry, so the gateway passes all of it on. */
function wrapServer(name: string, { command, args }: ServerCommand, gateway: ServerCommand): ServerCommand {
  return { command: gateway.command, args: [...gateway.args, `--name=${name}`, "--env=*", "--", command, ...args] };
}

function editServers(
  config: ClientConfig,
  entries: readonly ServerEntry[],
  change: (name: string, server: ServerCommand) => ServerCommand,
): string {
  return entries.reduce((text, { name, server }) => {
    if (server === undefined) return text;
    return setServer({ ...config, text, value: config.format.parse(text) }, name, change(name, server));
  }, config.text);
}
