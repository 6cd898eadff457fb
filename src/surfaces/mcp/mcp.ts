/** `spillway/mcp`: the MCP server over standard input and output, with handlers and tools of your own. */
import { once } from "node:events";
import { loadConfig, settingsDespiteProblems } from "../../config/load-config.ts";
import type { Handler } from "../../extract/handler.ts";
import { openSession } from "../../session/session.ts";
import type { Tool } from "../../tools/tool.ts";
import { serveMcp } from "./serve-stdio.ts";

export type ServeOptions = {
  /** Format handlers, asked before the built-in ones. */
  readonly handlers?: readonly Handler[];
  /** Tools beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Fits replies to this client, not to the one that connects. */
  readonly client?: string;
  readonly signal?: AbortSignal;
};

/** Serves one client until standard input ends. Nothing else may write to standard output. */
export async function serveStdio(options: ServeOptions = {}): Promise<void> {
  const { handlers = [], tools = [], client, signal = new AbortController().signal } = options;
  const [cwd, env] = [process.cwd(), process.env];
  const log = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const config = await loadConfig({ cwd, env });
  await using session = await openSession({
    settings: settingsDespiteProblems(config),
    cwd,
    env,
    confined: true,
    handlers,
    signal,
    log,
  });
  await serveMcp({ session, config, client, tools }, { input: process.stdin, out: writeLine, log, signal });
}

async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, "drain");
}
