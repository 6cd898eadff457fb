/** How clients start Spillway, and how an entry that does so is recognised. */
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Client, ClientMachine, Scope, ServerCommand } from "./client.ts";
import { findProgram } from "./find-clients.ts";
import { readUrlCommand, type UrlServer } from "./url-entries.ts";

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
  if (temporary.test(own.script)) return { command: "npx", args: ["-y", "spillway", "mcp"] };
  const program = await findProgram("spillway", machine);
  const isOnPath = program !== undefined && !borrowed.test(program);
  if (isOnPath && isDesktop === undefined && machine.platform !== "win32") return byName;
  return { command: own.node, args: [own.script, "mcp"] };
}

/** Where npx keeps a package until it cleans up. */
const temporary = /[\\/]_npx[\\/]/;

/** Folders that npm puts on the PATH of a script, and of nothing else. */
const borrowed = /[\\/]node_modules[\\/]\.bin[\\/]/;

/** Node and the script of this process, behind links. */
export function findOwnProgram(): OwnProgram {
  ownProgram ??= readOwnProgram();
  return ownProgram;
}

/** Every word of every entry is compared with it, so links are followed only once. */
let ownProgram: OwnProgram | undefined;

function readOwnProgram(): OwnProgram {
  const script = process.argv[1] ?? process.execPath;
  // A process that was started in another way, as test runners are, has no script there.
  return { node: process.execPath, script: existsSync(script) ? realpathSync(script) : resolve(script) };
}

/** Whether a command starts our server, however it was written: by name, by path, by npx or by npm start. */
export function runsSpillway(server: ServerCommand | undefined): boolean {
  return server !== undefined && findOwnVerb([server.command, ...server.args])?.verb === "mcp";
}

/** Whether a command starts our gateway. */
export function runsGateway(server: ServerCommand | undefined): boolean {
  return server !== undefined && findOwnVerb([server.command, ...server.args])?.verb === "gateway";
}

/** The server that a command starts through our gateway; undefined if it does not. */
export function readWrapped(server: ServerCommand | undefined): ServerCommand | undefined {
  if (server === undefined) return undefined;
  const words = [server.command, ...server.args];
  const found = findOwnVerb(words);
  const end = found?.verb === "gateway" ? words.indexOf("--", found.index) : -1;
  const [command, ...args] = end === -1 ? [] : words.slice(end + 1);
  return command === undefined ? undefined : { command, args, ...(server.env && { env: server.env }) };
}

/** The server with a URL that a command reaches through our gateway; undefined if it does not. */
export function readWrappedUrl(server: ServerCommand | undefined): UrlServer | undefined {
  if (server === undefined) return undefined;
  const words = [server.command, ...server.args];
  const found = findOwnVerb(words);
  return found?.verb === "gateway" ? readUrlCommand(words.slice(found.index + 1), server.env) : undefined;
}

/** The first of our commands after our program: what follows it are its arguments, whatever they are called. */
function findOwnVerb(words: readonly string[]): { readonly verb: string; readonly index: number } | undefined {
  const program = words.findIndex((word) => ownWord.test(word) || word === findOwnProgram().script);
  const index = words.findIndex((word, at) => at > program && (word === "mcp" || word === "gateway"));
  return program === -1 || index === -1 ? undefined : { verb: words[index] ?? "", index };
}

/** `spillway`, `spillway@1`, `spillway.cmd`, `.../spillway/dist/cli.js`, `.../surfaces/cli/entry.ts`. */
const ownWord =
  /(?:^|[\\/])spillway(?:@[\w.^~-]+|\.cmd|\.exe)?(?:$|[\\/])|[\\/]surfaces[\\/]cli[\\/](?:entry|process)\.ts$/;
