/** Runs the wrapped server: a child process without a shell, whose lines are read and whose end is reported. */
import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { splitLines } from "./split-lines.ts";

export type Upstream = {
  readonly lines: AsyncIterable<string>;
  write(line: string): Promise<void>;
  /** Resolves when the process has ended, with a sentence about how. */
  readonly ended: Promise<string>;
  /** Ends the process: first by closing its input, then by signals. */
  stop(): Promise<void>;
};

export type UpstreamOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

/** How long a server may take to end after its input was closed, and after it was asked to. */
const STOP_MS = 2_000;

/** Starts the server. Its error output is ours: it is where servers log. */
export function startUpstream({ command, args, env, cwd }: UpstreamOptions): Upstream {
  const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`The server could not be started: ${error.message}.`));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `The server ended with code ${code}.` : `The server was ended by ${signal}.`),
    );
  });
  child.stdin.on("error", () => undefined); // Its end is reported by `ended`.
  return {
    lines: splitLines(child.stdout),
    write: (line) => writeLine(child.stdin, line),
    ended,
    async stop() {
      child.stdin.end();
      const timers = [
        setTimeout(() => child.kill("SIGTERM"), STOP_MS),
        setTimeout(() => child.kill("SIGKILL"), 2 * STOP_MS),
      ];
      await ended;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Writes a line and waits while the reader is behind. */
async function writeLine(stream: Writable, line: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  if (stream.write(`${line}\n`)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.once("drain", done).once("close", done);
  });
}
