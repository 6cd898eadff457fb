/** `spillway serve` in the process of the test, on a free port, with a store of its own. */
import { connect } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { loadConfig } from "../src/config/load-config.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { openServe, type ServeOptions } from "../src/surfaces/serve/serve.ts";
import { addToken, type NewToken } from "../src/surfaces/serve/tokens/tokens.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { patientSearch } from "./waiting.ts";

export type ServedHttpOptions = Pick<ServeOptions, "createServer" | "localFolders"> & {
  readonly settings?: Partial<Settings>;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of another server's store, for a second replica. */
  readonly home?: string;
  readonly now?: () => number;
};

/** Serves until it is disposed. */
export async function openServedHttp(options: ServedHttpOptions = {}) {
  const { settings, env = {}, createServer, localFolders, now } = options;
  const folder = await makeTemporaryFolder();
  const home = options.home ?? join(folder.path, "home");
  const session = await openSession({
    settings: { ...defaultSettings, ...patientSearch, home, "serve.port": 0, ...settings },
    cwd: folder.path,
    env,
    ...(now && { now }),
  });
  const logged: string[] = [];
  const config = await loadConfig({ cwd: folder.path, env: {}, homeDir: folder.path });
  const server = await openServe({
    session,
    config,
    log: (line) => logged.push(line),
    ...(createServer && { createServer }),
    ...(localFolders && { localFolders }),
  }).catch(async (error: unknown) => {
    await session[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    throw error;
  });
  const { port } = new URL(server.url);

  async function makeToken(given: NewToken): Promise<string> {
    return (await addToken(join(home, "tokens.json"), given, (now ?? Date.now)())).token;
  }

  return {
    ...server,
    home,
    folder: folder.path,
    port: Number(port),
    mcpUrl: `${server.url}/mcp`,
    logged,
    catalogue: session.store.catalogue,
    makeToken,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export type Revision = "2025-11-25" | "2026-07-28";
export const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"];

/** A client of the SDK with this token. */
export async function connectClient(url: string, token: string, revision: Revision, name = "opencode") {
  const client = new Client(
    { name, version: "1" },
    { versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" } },
  );
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** The text of a result. */
export const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as { text?: string }[]).map(({ text = "" }) => text).join("\n");

/** Sends bytes as they are and returns everything that comes back until the server closes the connection. */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(bytes);
  });
}
