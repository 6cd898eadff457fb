/** How clients start Spillway, and how an entry that does so is recognised. */
import { realpathSync } from "node:fs";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import { findProgram } from "./find-clients.ts";

/** What runs now: Node and the script. */
export type OwnProgram = { readonly node: string; readonly script: string };

/**
 * The command for an entry. Others may share the config of a project, so it has only names there. A desktop does not know
 * the PATH of a shell, and Windows starts no scripts: they get Node and the script by their paths.
 */
export async function chooseServerCommand(
  { isDesktop }: Client,
  { scope, machine, own }: { scope: Scope; machine: ClientMachine; own: OwnProgram },
): Promise<ServerCommand> {
  const byName = { command: "spillway", args: ["mcp"] };
  if (scope === "project") return byName;
  const isOnPath = (await findProgram("spillway", machine)) !== undefined;
  if (isOnPath && isDesktop === undefined && machine.platform !== "win32") return byName;
  return { command: own.node, args: [own.script, "mcp"] };
}

/** Node and the script of this process, behind links. */
export function findOwnProgram(): OwnProgram {
  return { node: process.execPath, script: realpathSync(process.argv[1] ?? process.execPath) };
}

/** Whether a command starts our server, however it was written: by name, by path, by npx or by npm start. */
export function runsSpillway(server: ServerCommand | undefined): boolean {
  if (server === undefined) return false;
  const words = [server.command, ...server.args];
  const end = words.indexOf("mcp");
  return end > 0 && words.slice(0, end).some((word) => ownWord.test(word) || word === findOwnProgram().script);
}

/** `spillway`, `spillway@1`, `spillway.cmd`, `.../spillway/dist/cli.js`, `.../surfaces/cli/entry.ts`. */
const ownWord =
  /(?:^|[\\/])spillway(?:@[\w.^~-]+|\.cmd|\.exe)?(?:$|[\\/])|[\\/]surfaces[\\/]cli[\\/](?:entry|process)\.ts$/;
