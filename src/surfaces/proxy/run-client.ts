/** Runs a client as a child of this process: its terminal, signals and exit status are passed through. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { SpillwayError, systemCode } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { quoteShellWord } from "../../system/shell-word.ts";

export type ClientProcess = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Runs the client to its end. Returns its exit status, or 128 and the number of the signal that ended it. */
export async function runClient({ command, args, cwd, env }: ClientProcess): Promise<number> {
  // The listeners come first: the client may be running before spawn returns.
  const signals = forwardSignals();
  const child = spawn(command, args, { cwd, env, stdio: "inherit", shell: process.platform === "win32" });
  signals.forwardTo(child);
  try {
    const [status, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return status ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0));
  } catch (cause) {
    throw spawnError(command, cause);
  } finally {
    signals.stop();
  }
}

function spawnError(command: string, cause: unknown): SpillwayError {
  const reason =
    systemCode(cause) === "ENOENT" ? "was not found" : `could not be started (${systemCode(cause) ?? "error"})`;
  return new SpillwayError("usage", `${JSON.stringify(clip(command))} ${reason}.`, {
    hint: "Install it, or check that your shell finds it by that name.",
    cause,
  });
}

const forwardedSignals = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Passes signals on to the child, which decides what they mean. Ctrl-C in a terminal reaches both processes, so it is
 * passed on only where there is no terminal.
 */
function forwardSignals(): { forwardTo(child: ChildProcess): void; stop(): void } {
  let client: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals) => void client?.kill(signal);
  const interrupt = process.stdin.isTTY ? () => undefined : forward;
  for (const signal of forwardedSignals) process.on(signal, forward);
  process.on("SIGINT", interrupt);
  return {
    forwardTo(child) {
      client = child;
    },
    stop() {
      for (const signal of forwardedSignals) process.off(signal, forward);
      process.off("SIGINT", interrupt);
    },
  };
}

/** A folder for the client's temporary files. It holds a `spillway` that the client's own shell finds. */
export async function makeClientFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "spillway-with-"));
  await writeCommand(path);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Stubs name the command `spillway read`, which may not be installed under that name. */
async function writeCommand(folder: string): Promise<void> {
  const entry = process.argv[1] ?? "";
  const path = join(folder, "spillway");
  await writeFile(path, `#!/bin/sh\nexec ${quoteShellWord(process.execPath)} ${quoteShellWord(entry)} "$@"\n`);
  await chmod(path, 0o755);
  if (process.platform === "win32") await writeFile(`${path}.cmd`, `@"${process.execPath}" "${entry}" %*\r\n`);
}

/** The PATH with this folder first. */
export function prependPath(folder: string, path: string | undefined): string {
  return path === undefined || path === "" ? folder : `${folder}${delimiter}${path}`;
}
