/** The process around the command line: streams, signals, exit status. */
import { guardStdout } from "../mcp/stdout.ts";
import { runCli } from "./main.ts";

const stopController = new AbortController();
let outputError: NodeJS.ErrnoException | undefined;
/** Where a protocol is spoken, what others print is turned away; our own output goes out by this. */
const write = process.stdout.write.bind(process.stdout);
if (process.argv[2] === "mcp") guardStdout();

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // The first asks to stop and leave everything tidy, the second does not ask.
    if (stopController.signal.aborted) process.exit(130);
    stopController.abort();
  });
}
// A reader that has seen enough (`| head`) closes the pipe: that is no error, but nothing more is wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (outputError === undefined && error.code !== "EPIPE") {
    process.stderr.write(`spillway: standard output cannot be written to (${error.code}).\n`);
  }
  outputError ??= error;
  stopController.abort();
});
// Nobody reads what is said beside the data; the work goes on.
process.stderr.on("error", () => undefined);

const status = await runCli(
  process.argv.slice(2),
  {
    cwd: process.cwd(),
    env: process.env,
    stdin: readStdin(),
    out,
    lastOut: (text) => void write(text),
    note: (text) => process.stderr.write(text),
    ...(process.stderr.isTTY && { progress: (line: string) => process.stderr.write(`\r\x1b[2K${line}`) }),
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  },
  stopController.signal,
);
process.exitCode = outputError === undefined ? status : outputError.code === "EPIPE" ? 0 : 1;
// Standard input may still be waiting for bytes.
if (stopController.signal.aborted) process.exit();

/** Opened only when a command reads it: an open standard input would keep the process alive. */
async function* readStdin(): AsyncGenerator<Uint8Array> {
  yield* process.stdin;
}

/** Waits while the reader is slower than we are, but not for one that is gone. */
function out(text: string | Uint8Array): Promise<void> {
  return new Promise((done, stop) => {
    if (stopController.signal.aborted) return stop(stopController.signal.reason);
    if (write(text)) return done();
    process.stdout.once("drain", done);
    stopController.signal.addEventListener("abort", () => stop(stopController.signal.reason), { once: true });
  });
}
