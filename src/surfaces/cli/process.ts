/** The process of the CLI: streams, signals and exit status. */
import { once } from "node:events";
import { guardStdout } from "../mcp/stdout.ts";
import type { Terminal } from "./command.ts";
import { runCli } from "./main.ts";

const stopController = new AbortController();
const stdinController = new AbortController();
let outputError: NodeJS.ErrnoException | undefined;
let isOutputDropped = false;
let isReadingStdin = false;
/** Our own output. As an MCP server, everything else that prints to stdout is redirected to stderr. */
const write = process.stdout.write.bind(process.stdout);
if (process.argv[2] === "mcp") guardStdout();

// A client that runs under `with` gets the signals itself.
for (const name of process.argv[2] === "with" ? [] : (["SIGINT", "SIGTERM"] as const)) {
  process.on(name, () => {
    // The first signal stops and cleans up, the second exits at once.
    if (stopController.signal.aborted) process.exit(130);
    stopController.abort();
  });
}
// A closed pipe (`| head`) is not an error, but ends the work.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (outputError === undefined && error.code !== "EPIPE") {
    process.stderr.write(`spillway: standard output cannot be written to (${error.code}).\n`);
  }
  outputError ??= error;
  stopController.abort();
});

// Node makes a stream when it is first named, which takes milliseconds: each is named when it is used.
const terminal: Terminal = {
  cwd: process.cwd(),
  env: process.env,
  stdin: readStdin(),
  sourceStdin: readSourceStdin(),
  out,
  lastOut: (text) => void write(text),
  dropOutput: () => {
    isOutputDropped = true;
  },
  note: writeNote,
  get progress() {
    return process.stderr.isTTY ? (line: string) => writeNote(`\r\x1b[2K${line}`) : undefined;
  },
  get ask() {
    return process.stdin.isTTY && process.stderr.isTTY ? ask : undefined;
  },
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  color: process.stdout.isTTY === true && !process.env.NO_COLOR,
};
const status = await runCli(process.argv.slice(2), terminal, stopController.signal);
process.exitCode = outputError === undefined ? status : outputError.code === "EPIPE" ? 0 : 1;
// Standard input may still be open, or a write may wait for a reader that never reads.
if (stopController.signal.aborted || isOutputDropped) process.exit();
if (isReadingStdin) process.stdin.destroy();
stdinController.abort();

/** If stderr is closed, the work continues without notes. */
function writeNote(text: string): void {
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => undefined);
  process.stderr.write(text);
}

/** Opens stdin only when a command reads it: an open stdin keeps the process alive. */
async function* readStdin(): AsyncGenerator<Uint8Array> {
  isReadingStdin = true;
  yield* process.stdin;
  isReadingStdin = false;
}

/** The same as a source of any length, in one buffer. */
async function* readSourceStdin(): AsyncGenerator<Uint8Array> {
  const { readInPlace } = await import("./stdin-in-place.ts");
  yield* readInPlace(0, stdinController.signal) ?? readStdin();
}

/** Asks on stderr: stdout carries data. Ctrl-C and the end of input answer with nothing. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const { signal } = stopController;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await Promise.race([lines.question(question, { signal }), once(lines, "close").then(() => "")]);
  } finally {
    lines.close();
  }
}

/** Waits for a slow reader, but not for a closed one. */
async function out(text: string | Uint8Array): Promise<void> {
  const { signal } = stopController;
  signal.throwIfAborted();
  if (!write(text)) await once(process.stdout, "drain", { signal });
}
