/** Checks the servers that clients start through the gateway: their programs and ours must be there. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { formatCount } from "../../../answer/phrases.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import { type Client, type ClientMachine, type Scope, type ServerCommand, scopes } from "../../clients/client.ts";
import { listServers, openClientConfig } from "../../clients/client-config.ts";
import { findInstalledClients, findProgram } from "../../clients/find-clients.ts";
import { readWrapped, readWrappedUrl } from "../../clients/own-command.ts";
import type { Check } from "./check.ts";

/** One check for all clients of this machine, in the configs of the user and of the project in this folder. */
export async function checkWrapped(machine: ClientMachine): Promise<Check> {
  const clients = await findInstalledClients(machine);
  const found = (await Promise.all(clients.map((client) => findWrapped(client, machine)))).flat();
  const faults = (await Promise.all(found.map((each) => describeFault(each, machine)))).filter(
    (fault) => fault !== undefined,
  );
  const name = "wrapped servers";
  const detail = found.length === 0 ? "none" : `${formatCount(found.length, "server")} behind the gateway`;
  return faults.length === 0 ? { name, ok: true, detail } : { name, ok: false, detail: faults.join(" ") };
}

/** A server that a client starts through the gateway. */
type WrappedServer = {
  readonly client: Client;
  readonly scope: Scope;
  readonly name: string;
  readonly gateway: ServerCommand;
  /** Undefined for a server that is reached by a URL. */
  readonly inner: ServerCommand | undefined;
};

async function findWrapped(client: Client, machine: ClientMachine): Promise<WrappedServer[]> {
  const found: WrappedServer[] = [];
  for (const scope of scopes.filter((each) => each === "user" || client.projectFiles.length > 0)) {
    try {
      for (const { name, server } of listServers(await openClientConfig(client, scope, machine))) {
        const inner = readWrapped(server);
        const isWrapped = inner !== undefined || readWrappedUrl(server) !== undefined;
        if (server !== undefined && isWrapped) found.push({ client, scope, name, gateway: server, inner });
      }
    } catch (error) {
      // A config that cannot be read has no entry of ours that could be checked.
      if (!(error instanceof SpillwayError)) throw error;
    }
  }
  return found;
}

/** What is missing of the gateway or of the server behind it, and what to do. */
async function describeFault(server: WrappedServer, machine: ClientMachine): Promise<string | undefined> {
  const { client, scope, name, gateway, inner } = server;
  const change = (verb: string) =>
    `spillway ${verb} ${clip(name)} --client ${client.id}${scope === "project" ? " --scope project" : ""}`;
  const needs = (path: string) => `${client.title}: ${clip(name)} needs ${clip(path)}, which is not there.`;
  const own = await findMissing(gateway, machine);
  if (own !== undefined) return `${needs(own)} Run ${change("unwrap")}, then ${change("wrap")}.`;
  const theirs = inner && (await findMissing(inner, machine));
  return theirs && `${needs(theirs)} Install it, or run ${change("unwrap")}.`;
}

/** The program or the script of a command, if it is not there. Other arguments may name what is made later. */
async function findMissing({ command, args }: ServerCommand, machine: ClientMachine): Promise<string | undefined> {
  const isThere = isAbsolute(command) ? existsSync(command) : (await findProgram(command, machine)) !== undefined;
  if (!isThere) return command;
  const [first = ""] = args;
  const isScript = isAbsolute(first) && /\.(?:[cm]?[jt]s|py|rb|sh|jar)$/i.test(first);
  return isScript && !existsSync(first) ? first : undefined;
}
