/** How the bench of the gateway connects to a server over standard input and output. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const root = join(import.meta.dirname, "..");

/** The command that goes before the command of a server. */
export const gateway = [process.execPath, join(root, "dist", "cli.js"), "gateway", "--"];

/** A file of a package that only the benches use. */
export const peer = (path: string): string => join(import.meta.dirname, "node_modules", path);

/** A way to the server: the client, and the process that is measured. */
export type Way = { readonly client: Client; readonly pid: number | undefined; close(): Promise<void> };

export const makeClient = () => new Client({ name: "opencode", version: "1" });

/** Starts a command and connects to it. */
export async function overStdio(folder: string, command: readonly string[]): Promise<Way> {
  const [program = "", ...args] = command;
  const env = { PATH: process.env.PATH ?? "", HOME: folder, SPILLWAY_HOME: join(folder, "store") };
  const transport = new StdioClientTransport({ command: program, args, env, stderr: "ignore" });
  const client = makeClient();
  await client.connect(transport);
  return { client, pid: transport.pid ?? undefined, close: () => client.close() };
}
