/** `spillway wrap` and `spillway unwrap`: the servers in clients' configs behind the gateway, and out of it again. */
import { SpillwayError } from "../../../errors.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { formatNumber } from "../../../system/quantities.ts";
import { clip, escapePath } from "../../../system/safe-names.ts";
import type { Client, ClientMachine, Scope } from "../../clients/client.ts";
import { findClient } from "../../clients/find-clients.ts";
import type { PlannedChange } from "../../clients/install-client.ts";
import { chooseServerCommand, findOwnProgram } from "../../clients/own-command.ts";
import {
  type ListedServer,
  listWrapped,
  obstacles,
  planUnwrap,
  planWrap,
  type WrapOptions,
  type WrapState,
} from "../../clients/wrap-client.ts";
import { findPinFolder } from "../../gateway/open-gateway.ts";
import { type ResultSizes, readResultSizes } from "../../gateway/result-sizes.ts";
import {
  attempt,
  backupFolder,
  changeClients,
  findClientsFor,
  readScope,
  scopeRow,
  yesRow,
} from "../change-clients.ts";
import { readMachine } from "../client-machine.ts";
import type { Call, Command, ExitCode, OptionRow } from "../command.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

const options: Record<string, OptionRow> = {
  client: { type: "string", value: "A,B", about: "Only these clients. Default: all that are found on this machine." },
  scope: scopeRow,
  "dry-run": { type: "boolean", about: "Show the change and write nothing." },
  list: { type: "boolean", about: "List the servers, whether they are wrapped, and how large their results were." },
  yes: yesRow,
};

const details = [
  "The change is shown as a diff, and written after you agree. Without a terminal it is only shown, unless you pass --yes;",
  "the exit status is then 3. Comments and formatting stay, and a backup is kept. Servers with",
  "a URL are wrapped if they have a key in their headers or are on this machine; any other has to be named, because its client",
  "may log in to it, and the gateway does not.",
].join("\n");

export const wrapCommand: Command = {
  usage: "wrap [server...]",
  examples: [
    ["wrap --list", "the servers of your clients, and the size of their results"],
    ["wrap", "all of them, after asking"],
    ["wrap --client cursor github", "one server of one client"],
  ],
  about: "Puts MCP servers that clients already use behind the gateway, so that no result is too large for its client.",
  details,
  options,
  run: (call) => (call.values.list === true ? listAll(call) : changeServers(call, planWrap, "plain")),
};

export const unwrapCommand: Command = {
  usage: "unwrap [server...]",
  examples: [
    ["unwrap", "all servers, after asking"],
    ["unwrap github", "one server, in all clients"],
  ],
  about:
    "Takes MCP servers out of the gateway: the file is restored byte for byte, or only the wrapping is taken out if it changed since.",
  details,
  options,
  run: (call) => (call.values.list === true ? listAll(call) : changeServers(call, planUnwrap, "wrapped")),
};

type Planner = (client: Client, options: WrapOptions) => Promise<PlannedChange>;

async function changeServers(call: Call, planner: Planner, state: ListedServer["state"]): Promise<ExitCode> {
  const machine = readMachine(call.terminal);
  const scope = readScope(call);
  const chosen = await chooseClients(call, machine, scope);
  await requireServers(call, chosen, { machine, scope, state });
  const isDry = call.values["dry-run"] === true;
  const shown = isDry ? { ...call, values: { ...call.values, yes: false }, terminal: withoutAsking(call) } : call;
  const status = await changeClients(shown, chosen, async (client) =>
    planner(client, {
      ...{ scope, machine, servers: call.args, folder: backupFolder(call) },
      gateway: await chooseGateway(client, { scope, machine }),
    }),
  );
  return isDry && status === NOT_WRITTEN ? 0 : status;
}

/** The status of a change that was shown and not written. */
const NOT_WRITTEN = 3;

function withoutAsking({ terminal }: Call): Call["terminal"] {
  const { ask: _, ...rest } = terminal;
  return { ...rest, note: () => undefined };
}

async function chooseGateway(client: Client, { scope, machine }: { scope: Scope; machine: ClientMachine }) {
  const { command, args } = await chooseServerCommand(client, { scope, machine, own: findOwnProgram() });
  return { command, args: [...args.slice(0, -1), "gateway"] };
}

async function chooseClients(call: Call, machine: ClientMachine, scope: Scope): Promise<readonly Client[]> {
  const named = readText(call, "client");
  return named === undefined
    ? findClientsFor(scope, machine, "Name one with --client")
    : [...new Set(named.split(",").map(findClient))];
}

/** A server that no client has is a mistake; one that is as wanted already is not. */
async function requireServers(
  { args }: Call,
  chosen: readonly Client[],
  { machine, scope, state }: { machine: ClientMachine; scope: Scope; state: ListedServer["state"] },
): Promise<void> {
  if (args.length === 0) return;
  const lists = await Promise.all(chosen.map((client) => listWrapped(client, scope, machine).catch(() => undefined)));
  if (lists.includes(undefined)) return; // The server may be in a config that cannot be read, which is reported later.
  const servers = lists.flatMap((list) => list ?? []);
  const missing = args.find((name) => !servers.some((server) => server.name === name));
  if (missing === undefined) return;
  // A server with the state "url" is wrapped where it is named.
  const isMeant = (server: ListedServer) => server.state === state || (state === "plain" && server.state === "url");
  const names = [...new Set(servers.filter(isMeant).map(({ name }) => name))];
  throw new SpillwayError("usage", `No client has a server ${JSON.stringify(clip(missing))}.`, {
    hint: names.length === 0 ? "spillway wrap --list shows which there are." : `There are ${names.join(", ")}.`,
  });
}

/** Lists every client. A config that cannot be read is reported, and the others follow. */
async function listAll(call: Call): Promise<ExitCode> {
  const machine = readMachine(call.terminal);
  const scope = readScope(call);
  const folder = findPinFolder(await call.session());
  const statuses: boolean[] = [];
  for (const client of await chooseClients(call, machine, scope))
    statuses.push(
      await attempt(call, client, async () => {
        const servers = await listWrapped(client, scope, machine);
        if (servers.length === 0 && !call.json) await call.terminal.out(`${client.title}: no servers\n`);
        for (const server of servers) await showServer(call, client, server, folder);
      }),
    );
  return statuses.every(Boolean) ? 0 : 1;
}

async function showServer(
  { json, terminal }: Call,
  client: Client,
  { name, folder: project, state }: ListedServer,
  pins: string | null,
): Promise<void> {
  const sizes = pins === null || state !== "wrapped" ? undefined : readResultSizes(pins, name);
  const fields = { client: client.id, server: name, ...(project && { project }), state, ...(sizes && { sizes }) };
  const place = project === undefined ? "" : ` in ${clip(escapePath(project), PATH_CHARS)}`;
  const line = `${client.title}: ${clip(name)}${place}: ${describeState(state)}${describeSizes(sizes)}\n`;
  await terminal.out(json ? toJsonLine(fields) : line);
}

function describeState(state: WrapState): string {
  if (state === "spillway") return "Spillway itself";
  const obstacle = obstacles[state];
  if (obstacle !== undefined) return `${state === "url" ? "not" : "cannot be"} wrapped: ${obstacle}`;
  return state === "wrapped" ? "wrapped" : "not wrapped";
}

function describeSizes(sizes: ResultSizes | undefined): string {
  if (sizes === undefined) return "";
  const { lastChars, lastTool, maxChars } = sizes;
  return `; last large result ${formatNumber(lastChars)} characters (${clip(lastTool)}), largest ${formatNumber(maxChars)}`;
}
