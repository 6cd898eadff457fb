/** Finds clients: by the name that a user gives, by their folders and by their programs on the PATH. */
import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { nearestName } from "../../config/suggest-name.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { Client, ClientMachine } from "./client.ts";
import { clients } from "./clients.ts";

/** The client with this name, as we or its makers write it. */
export function findClient(given: string): Client {
  const name = given.trim().toLowerCase();
  const found = clients.find(
    ({ id, title, programs }) => id === name || title.toLowerCase() === name || programs.includes(name),
  );
  if (found) return found;
  const nearest = nearestName(
    name,
    clients.map(({ id }) => id),
  );
  const names = `Clients: ${clients.map(({ id }) => id).join(", ")}.`;
  throw new SpillwayError("usage", `There is no client ${JSON.stringify(clip(given))}.`, {
    hint: nearest === undefined ? names : `Did you mean ${nearest}? ${names}`,
  });
}

/** The clients that are used on this machine. */
export async function findInstalledClients(machine: ClientMachine): Promise<Client[]> {
  const found = await Promise.all(clients.map((client) => isInstalled(client, machine)));
  return clients.filter((_client, index) => found[index]);
}

async function isInstalled(client: Client, machine: ClientMachine): Promise<boolean> {
  const folders = await Promise.all(client.signs(machine).map(isFolder));
  if (folders.includes(true)) return true;
  const programs = await Promise.all(client.programs.map((program) => findProgram(program, machine)));
  return programs.some((path) => path !== undefined);
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Where a program is on the PATH; undefined if it is not there. */
export async function findProgram(
  name: string,
  { env, platform }: Pick<ClientMachine, "env" | "platform">,
): Promise<string | undefined> {
  const endings = platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(Boolean);
  for (const folder of folders) {
    for (const ending of endings) {
      const path = join(folder, name + ending);
      const isProgram = await access(path, constants.X_OK).then(
        async () => (await stat(path)).isFile(),
        () => false, // The usual case: the program is in another folder.
      );
      if (isProgram) return path;
    }
  }
  return undefined;
}
