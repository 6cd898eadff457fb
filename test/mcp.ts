/** The MCP test harness: runs the server as a process, driven by the SDK's client or line by line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { makeTemporaryFolder } from "./bodies.ts";

const program = join(import.meta.dirname, "..", "src", "surfaces", "cli", "process.ts");

/** The current protocol revision and the previous one. */
export type Revision = "2026-07-28" | "2025-11-25";

type ProcessOptions = { env?: object; nodeArgs?: string[] };

/** Opens a work folder and a store, and starts servers there. */
export async function openMcp() {
  const folder = await makeTemporaryFolder();
  const work = join(folder.path, "work");
  await mkdir(work);
  const baseEnv = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
  const cleanups: (() => Promise<unknown>)[] = [];

  function start(more: ProcessOptions = {}): ChildProcessWithoutNullStreams {
    const args = [...(more.nodeArgs ?? []), program, "mcp"];
    const child = spawn(process.execPath, args, { cwd: work, env: { ...baseEnv, ...more.env } });
    cleanups.push(async () => child.kill("SIGKILL"));
    return child;
  }

  return {
    work,
    path: folder.path,
    write: (name: string, content: string | Uint8Array) => writeFile(join(work, name), content),

    async client(revision: Revision, more: { name?: string; args?: string[]; env?: object; roots?: string[] } = {}) {
      const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
      const client = new Client(
        { name: more.name ?? "some-client", version: "1.0.0" },
        { capabilities: more.roots ? { roots: {} } : {}, versionNegotiation: { mode } },
      );
      const { roots } = more;
      if (roots) client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
      const args = [program, "mcp", ...(more.args ?? [])];
      const env = { ...baseEnv, ...more.env };
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, cwd: work, env, stderr: "ignore" }),
      );
      cleanups.push(() => client.close());
      return client;
    },

    lines: (more: ProcessOptions = {}) => makeLineClient(start(more)),

    /** The process alone: nothing reads its output. */
    start,

    async [Symbol.asyncDispose]() {
      for (const stop of cleanups) await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Message = { readonly id?: number; readonly method?: string; readonly [key: string]: unknown };

/** Sends raw messages and records every line that is received. */
function makeLineClient(child: ChildProcessWithoutNullStreams) {
  const received: string[] = [];
  const errors: string[] = [];
  const waiters = new Map<(message: Message) => boolean, (message: Message) => void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => void errors.push(text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    received.push(line);
    const message: Message = JSON.parse(line);
    for (const [matches, done] of waiters) {
      if (!matches(message)) continue;
      waiters.delete(matches);
      done(message);
    }
  });
  const exited = once(child, "exit");
  let nextId = 1;

  function send(message: object): void {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The next message that matches. */
  function next(wanted: (message: Message) => boolean): Promise<Message> {
    return new Promise((done) => waiters.set(wanted, done));
  }

  async function request(method: string, params: object = {}): Promise<Message> {
    const id = nextId++;
    const answer = next((message) => message.id === id);
    send({ id, method, params });
    return answer;
  }

  return {
    child,
    received,
    stderr: () => errors.join(""),
    exited,
    send,
    next,
    request,
    /** The handshake of the revisions before the current one. */
    async open(protocolVersion = "2025-11-25", name = "some-client") {
      const clientInfo = { name, version: "1" };
      const answer = await request("initialize", { protocolVersion, capabilities: {}, clientInfo });
      send({ method: "notifications/initialized" });
      return answer;
    },
  };
}
