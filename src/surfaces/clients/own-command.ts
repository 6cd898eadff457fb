/** How clients start Spillway, and how an entry that does so is recognised. */
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
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
  const script = process.argv[1] ?? process.execPath;
  // A process that was started in another way, as test runners are, has no script there.
  return { node: process.execPath, script: existsSync(script) ? realpathSync(script) : resolve(script) };
}

/** Whether a command starts our server, however it was written: by name, by path, by npx or by npm start. */
export function runsSpillway(server: ServerCommand | undefined): boolean {
  return server !== undefined && findOwnVerb([server.command, ...server.args], "mcp") > 0;
}

/** The server that a command starts through our gateway; undefined if it does not. */
export function readWrapped(server: ServerCommand | undefined): ServerCommand | undefined {
  if (server === undefined) return undefined;
  const words = [server.command, ...server.args];
  const verb = findOwnVerb(words, "gateway");
  const end = verb > 0 ? words.indexOf("--", verb) : -1;
  const [command, ...args] = end === -1 ? [] : words.slice(end + 1);
  return command === undefined ? undefined : { command, args, ...(server.env && { env: server.env }) };
}

/** Where one of our commands is named after our program, or -1. */
function findOwnVerb(words: readonly string[], verb: string): number {
  const end = words.indexOf(verb);
  const isOurs = words
    .slice(0, Math.max(0, end))
    .some((word) => ownWord.test(word) || word === findOwnProgram().script);
  return isOurs ? end : -1;
}

/** `spillway`, `spillway@1`, `spillway.cmd`, `.../spillway/dist/cli.js`, `.../surfaces/cli/entry.ts`. */
const ownWord =
  /(?:^|[\\/])spillway(?:@[\w.^~-]+|\.cmd|\.exe)?(?:$|[\\/])|[\\/]surfaces[\\/]cli[\\/](?:entry|process)\.ts$/;
