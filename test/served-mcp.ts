/** The MCP server in the process of the test: requests in, answers out, line by line, without a child process. */
import { PassThrough } from "node:stream";
import { loadConfig } from "../src/config/load-config.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { serveMcp } from "../src/surfaces/mcp/serve-stdio.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { patientSearch } from "./waiting.ts";

type Answer = { readonly id?: number; readonly result?: unknown; readonly error?: { readonly message: string } };

export type ServedOptions = {
  readonly settings?: Partial<Settings>;
  readonly env?: Readonly<Record<string, string>>;
  /** As with `--client`. */
  readonly client?: string;
};

/** Serves one client from a temporary folder, in memory. */
export async function openServed({ settings = {}, env = {}, client }: ServedOptions = {}) {
  const folder = await makeTemporaryFolder();
  const session = await openSession({
    settings: { ...defaultSettings, ...patientSearch, ...settings },
    cwd: folder.path,
    env,
    confined: true,
    inMemory: true,
  });
  const input = new PassThrough();
  const waiting = new Map<number, (answer: Answer) => void>();
  const config = await loadConfig({ cwd: folder.path, env: {}, homeDir: folder.path });
  const ended = serveMcp(
    { session, config, client },
    {
      input,
      async out(line) {
        const answer: Answer = JSON.parse(line);
        if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
      },
      log: () => undefined,
      signal: session.signal,
    },
  );
  let lastId = 0;

  /** The result of a request; throws for an error. */
  async function request<T>(method: string, params: object = {}): Promise<T> {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await promise;
    if (error !== undefined) throw new Error(error.message);
    return result as T;
  }

  return {
    folder: folder.path,
    request,
    /** The handshake of the revisions before 2026-07-28. */
    async open(name = "some-client", protocolVersion = "2025-11-25") {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name, version: "1" } };
      const result = await request<{ instructions: string }>("initialize", params);
      input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      input.end();
      await ended;
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
