/** A connection to a server as a client makes it: a process, requests with ids, one at a time. */
import { spawn } from "node:child_process";
import { isRecord } from "../../system/json-values.ts";
import { toSpawnCommand } from "../../system/spawn-command.ts";
import { splitLines } from "../gateway/split-lines.ts";
import type { ServerCommand } from "./client.ts";

/** What went wrong with a server, as one sentence. */
export class ServerFault extends Error {
  override readonly name = "ServerFault";
}

export type ConnectionOptions = {
  readonly server: ServerCommand;
  readonly cwd: string;
  /** The environment, complete. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

export type McpConnection = AsyncDisposable & {
  request(method: string, params: object): Promise<Readonly<Record<string, unknown>>>;
  notify(method: string): void;
};

/** A server must answer within this time; a slow start of a large program included. */
const ANSWER_MS = 60_000;
const STOP_MS = 2_000;
const MAX_LOG_CHARS = 300;

/** Starts the server. Failures to start show up at the first request. */
export function openConnection({ server, cwd, env, signal }: ConnectionOptions): McpConnection {
  const { file, args, ...quoting } = toSpawnCommand(server.command, server.args, { env, platform: process.platform });
  const child = spawn(file, args, { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"], ...quoting });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-MAX_LOG_CHARS);
  });
  child.stdin.on("error", () => undefined); // The end of the process is reported below.
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`It cannot be started (${error.message}).`));
    child.once("close", (code, by) =>
      resolve(`It ended with ${by ?? `code ${code}`}${log.trim() && `: ${log.trim()}`}.`),
    );
  });
  const lines = splitLines(child.stdout);
  let nextId = 1;

  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  async function readAnswer(id: number): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new ServerFault(await ended);
      const message = parseLine(value);
      if (message.id !== id) continue; // A notification, or a request of the server, which this client does not offer.
      if (isRecord(message.result)) return message.result;
      throw new ServerFault(`It answered with an error: ${JSON.stringify(message.error).slice(0, MAX_LOG_CHARS)}.`);
    }
  }

  return {
    notify: (method) => send({ method }),
    async request(method, params) {
      signal.throwIfAborted();
      const id = nextId++;
      send({ id, method, params });
      const late = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      return await Promise.race([readAnswer(id), rejectWhen(late, method)]);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const message: unknown = JSON.parse(line);
    if (isRecord(message)) return message;
  } catch {
    // Reported below, with the line.
  }
  throw new ServerFault(
    `It wrote something to standard output that is not a message: ${JSON.stringify(line.slice(0, 80))}.`,
  );
}

function rejectWhen(signal: AbortSignal, method: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new ServerFault(`It did not answer ${method} in time.`)), {
      once: true,
    });
  });
}
