/** Checks the servers that clients start through the gateway: their commands and ours must be there. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { formatCount } from "../../../answer/phrases.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Client, ClientMachine } from "../../clients/client.ts";
import { listServers, openClientConfig } from "../../clients/client-config.ts";
import { findInstalledClients, findProgram } from "../../clients/find-clients.ts";
import { readWrapped } from "../../clients/own-command.ts";
import type { Check } from "./check.ts";

/** One check for all clients of this machine. */
export async function checkWrapped(machine: ClientMachine): Promise<Check> {
  const clients = await findInstalledClients(machine);
  const found = (await Promise.all(clients.map((client) => findWrapped(client, machine)))).flat();
  const missing = await Promise.all(
    found.map(async (each) => ((await hasProgram(each.program, machine)) ? [] : [each])),
  );
  const [first] = missing.flat();
  const name = "wrapped servers";
  if (first === undefined) {
    const detail = found.length === 0 ? "none" : `${formatCount(found.length / 2, "server")} behind the gateway`;
    return { name, ok: true, detail };
  }
  const fault = `${first.client}: ${clip(first.server)} needs ${clip(first.program)}, which is not there`;
  return { name, ok: false, detail: `${fault}. Install it, or run spillway unwrap ${clip(first.server)}.` };
}

type NeededProgram = { readonly client: string; readonly server: string; readonly program: string };

/** Two programs for each wrapped server: the one that starts the gateway, and the server's own. */
async function findWrapped(client: Client, machine: ClientMachine): Promise<NeededProgram[]> {
  try {
    const config = await openClientConfig(client, "user", machine);
    return listServers(config).flatMap(({ name, server }) => {
      const inner = readWrapped(server);
      if (server === undefined || inner === undefined) return [];
      return [server.command, inner.command].map((program) => ({ client: client.title, server: name, program }));
    });
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return []; // A config that cannot be read has no entry of ours that could be checked.
  }
}

async function hasProgram(program: string, machine: ClientMachine): Promise<boolean> {
  return isAbsolute(program) ? existsSync(program) : (await findProgram(program, machine)) !== undefined;
}
