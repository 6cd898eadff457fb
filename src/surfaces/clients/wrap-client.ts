/** Plans to put the servers in a client's config behind the gateway, and to take them out again. */
import { planRestoration, restoreConfig, writeConfig } from "./change-config.ts";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import { type ClientConfig, listServers, openClientConfig, type ServerEntry, setServer } from "./client-config.ts";
import { makePlan, type PlannedChange } from "./install-client.ts";
import { readWrapped, runsSpillway } from "./own-command.ts";

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
  if (runsSpillway(server)) return "spillway";
  return readWrapped(server) === undefined ? "plain" : "wrapped";
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
  return entries.filter((entry) => isMeant(entry.name) && stateOf(entry) === state);
}

/** The client gives an entry's variables to the gateway, which passes on those that are named. */
function wrapServer(name: string, { command, args, env = {} }: ServerCommand, gateway: ServerCommand): ServerCommand {
  const passed = Object.keys(env).flatMap((variable) => ["--env", variable]);
  return { command: gateway.command, args: [...gateway.args, "--name", name, ...passed, "--", command, ...args] };
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
