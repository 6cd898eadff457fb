/** `spillway install` and `spillway uninstall`: the MCP server in the configs of clients, shown first, then written. */
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Client, ClientMachine, Scope } from "../../clients/client.ts";
import { clients } from "../../clients/clients.ts";
import { findClient } from "../../clients/find-clients.ts";
import { planInstall, planUninstall } from "../../clients/install-client.ts";
import { chooseServerCommand, findOwnProgram } from "../../clients/own-command.ts";
import { backupFolder, changeClients, findClientsFor, readScope, scopeRow, yesRow } from "../change-clients.ts";
import { readMachine } from "../client-machine.ts";
import type { Call, Command, ExitCode, OptionRow } from "../command.ts";
import { readText } from "../options.ts";

const options: Record<string, OptionRow> = {
  yes: yesRow,
  scope: scopeRow,
  name: { type: "string", value: "NAME", about: "The name of the server in the config. Default: spillway." },
};

const words = clients.map(({ id }) => id);

const details = [
  `Clients: ${words.join(", ")}. Without a name: all that are found on this machine.`,
  "The change is shown as a diff, and written after you agree. Without a terminal it is only shown, unless you pass --yes;",
  "the exit status is then 3. It is 3 too if you do not agree, and 0 if there is nothing to change.",
].join("\n");

export const installCommand: Command = {
  usage: "install [client...]",
  examples: [
    ["install", "all clients that are found, after asking"],
    ["install claude-code cursor --yes", "these two, without asking"],
  ],
  about: "Adds the MCP server to the configs of clients. Comments and formatting stay; a backup is kept.",
  words,
  details,
  options,
  async run(call) {
    const status = await changeInstalled(call, planInstall);
    if (status === 0 && !call.json) await call.terminal.out("To check a client: spillway doctor --client NAME\n");
    return status;
  },
};

export const uninstallCommand: Command = {
  usage: "uninstall [client...]",
  examples: [
    ["uninstall", "from all clients, after asking"],
    ["uninstall codex --yes", "from one, without asking"],
  ],
  about:
    "Takes the MCP server out of the configs of clients: byte for byte as they were, or only its entry if they changed since.",
  words,
  details,
  options,
  run: (call) => changeInstalled(call, planUninstall),
};

type Planner = typeof planInstall;

async function changeInstalled(call: Call, planner: Planner): Promise<ExitCode> {
  const machine = readMachine(call.terminal);
  const [scope, name] = [readScope(call), readName(call)];
  const own = findOwnProgram();
  return changeClients(call, await chooseClients(call, machine, scope), async (client) =>
    planner(client, {
      scope,
      machine,
      name,
      folder: backupFolder(call),
      server: await chooseServerCommand(client, { scope, machine, own }),
    }),
  );
}

async function chooseClients({ args }: Call, machine: ClientMachine, scope: Scope): Promise<readonly Client[]> {
  if (args.length > 0) return [...new Set(args.map(findClient))];
  return findClientsFor(scope, machine);
}

function readName(call: Call): string {
  const name = readText(call, "name") ?? "spillway";
  if (/^[A-Za-z0-9][\w-]{0,31}$/.test(name)) return name;
  throw new SpillwayError("usage", `${JSON.stringify(clip(name))} cannot be the name of a server.`, {
    hint: "Use up to 32 letters, digits, dashes and underscores; most clients build the names of tools from it.",
  });
}
