/** A git server on loopback: git's own program behind HTTP, as hosts of repositories run it. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { devNull } from "node:os";
import { dirname, join } from "node:path";

const env = { PATH: process.env.PATH, HOME: devNull, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull };

export const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });

/** Runs git with an input, for objects that no work tree can hold. */
export const gitWithInput = (folder: string, input: string | Uint8Array, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, env, input, encoding: "utf8" }).trim();

/** Serves the bare repositories below a folder. */
export async function startGitServer(folder: string) {
  let sentBytes = 0;
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    const { socket } = request;
    const before = socket.bytesWritten;
    response.once("close", () => {
      sentBytes += socket.bytesWritten - before;
    });
    // The backend would add a missing .git; few hosts do.
    const [name = ""] = (request.url ?? "").split(/\/info\/|\/git-/);
    if (existsSync(join(folder, name, "HEAD"))) answer(request, response, { backend, folder });
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    allow: `127.0.0.1:${port}`,
    requests,
    sentBytes: () => sentBytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { backend, folder }: { readonly backend: string; readonly folder: string },
): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const child = spawn(backend, {
    cwd: dirname(folder),
    env: {
      ...env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin).on("error", () => undefined);
  response.on("error", () => undefined);
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (head === undefined) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString("latin1").split("\r\n");
    const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
    const status = headers.find(([name]) => name === "Status")?.[1];
    response.writeHead(status === undefined ? 200 : Number.parseInt(status, 10), Object.fromEntries(headers));
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  child.stdout.on("end", () => response.end());
}
