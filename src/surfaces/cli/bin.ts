/** The process around the command line: streams, signals, exit status. */
import { runCli } from "./main.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
process.once("SIGTERM", () => interrupted.abort());
// A reader that has seen enough (`| head`) closes the pipe: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const status = await runCli(
  process.argv.slice(2),
  { cwd: process.cwd(), env: process.env, stdin: stdin(), out, note: (text) => process.stderr.write(text) },
  interrupted.signal,
);
process.exitCode = status;
// Standard input may still be waiting for bytes.
if (interrupted.signal.aborted) process.exit(status);

/** Opened only when a command reads it: an open standard input would keep the process alive. */
async function* stdin(): AsyncGenerator<Uint8Array> {
  yield* process.stdin;
}

function out(text: string | Uint8Array): Promise<void> {
  return new Promise((done) => (process.stdout.write(text) ? done() : process.stdout.once("drain", done)));
}
