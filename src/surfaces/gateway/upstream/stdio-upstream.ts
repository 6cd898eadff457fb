/** Runs the wrapped server: a child process without a shell, whose lines are read and whose end is reported. */
import { spawn } from "node:child_process";
import { systemCode } from "../../../errors.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { formatSize } from "../../../system/quantities.ts";
import { clip } from "../../../system/safe-names.ts";
import { toSpawnCommand } from "../../../system/spawn-command.ts";
import { toLogText } from "../../../system/terminal-text.ts";
import { splitLines } from "../split-lines.ts";
import { hasGroups, signalGroup, watchGroup } from "./process-group.ts";
import type { Upstream } from "./upstream.ts";

export type StdioOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** All of the environment that the server gets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Takes what the server writes to its error output, where servers log. */
  note(text: string): void;
};

/** How long a server may take to end after its input was closed, and after it was asked to. */
const STOP_MS = 2_000;

/** How much a server may leave unread. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Starts the server. Secrets and the codes of terminals are taken out of what it logs. */
export function startStdioUpstream({ command, args, env, cwd, note }: StdioOptions): Upstream {
  const { file, args: words, ...quoting } = toSpawnCommand(command, args, { env, platform: process.platform });
  const child = spawn(file, words, {
    cwd,
    env: { ...env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: hasGroups,
    ...quoting,
  });
  const { stdin, pid } = child;
  const watch = watchGroup(pid);
  void passLog(child.stderr, note);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(describeStart(command, error)));
    child.once("exit", (code, signal) => {
      signalGroup(pid, "SIGKILL"); // What it has started and left behind.
      watch.dismiss();
      resolve(signal === null ? `The server ended with code ${code}.` : `The server was ended by ${signal}.`);
    });
  });
  stdin.on("error", () => undefined); // Its end is reported by `ended`.
  return {
    lines: splitLines(child.stdout),
    async write(line) {
      if (stdin.destroyed || stdin.writableEnded) return "The server has ended.";
      if (stdin.writableLength > MAX_UNREAD_BYTES)
        return `The server does not read: ${formatSize(stdin.writableLength)} are waiting for it.`;
      stdin.write(`${line}\n`);
      return undefined;
    },
    ended,
    async stop() {
      stdin.end();
      const timers = [
        setTimeout(() => signalGroup(pid, "SIGTERM"), STOP_MS),
        setTimeout(() => signalGroup(pid, "SIGKILL"), 2 * STOP_MS),
      ];
      await ended;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Why there is no server, and what to do. */
function describeStart(command: string, error: Error): string {
  const name = JSON.stringify(clip(command, PATH_CHARS));
  return systemCode(error) === "ENOENT"
    ? `${name} was not found. Install it, or write the path of the program.`
    : `${name} could not be started (${systemCode(error) ?? error.message}).`;
}

async function passLog(stream: AsyncIterable<Uint8Array>, note: (text: string) => void): Promise<void> {
  try {
    for await (const line of splitLines(stream)) note(`${toLogText(line)}\n`);
  } catch {
    // A line that never ends, or an output that broke off: the server's messages are on another stream.
  }
}
