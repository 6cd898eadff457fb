/**
 * `spillway serve` with the fixtures of the conformance suite, behind a reverse proxy that adds the token, because the suite
 * sends none. Prints the proxy's address.
 */
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { openServedHttp } from "../../served-http.ts";
import { createFixtureServer } from "./fixture-server.ts";

const target = { port: 0, token: "" };
const proxy = createServer((request, response) => {
  const { method, url, headers } = request;
  const passed = send({
    host: "127.0.0.1",
    port: target.port,
    method,
    path: url,
    headers: { ...headers, authorization: `Bearer ${target.token}` },
  });
  passed.on("response", (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    response.flushHeaders();
    reply.pipe(response);
  });
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  request.pipe(passed);
});
await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const { port } = proxy.address() as AddressInfo;
const served = await openServedHttp({
  createServer: createFixtureServer,
  settings: {
    "serve.hosts": [`127.0.0.1:${port}`, `localhost:${port}`],
    "serve.origins": [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
  },
});
target.port = served.port;
target.token = await served.makeToken({ name: "suite" });
process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
process.once("SIGTERM", async () => {
  proxy.closeAllConnections();
  proxy.close();
  await served[Symbol.asyncDispose]();
  process.exit(0);
});
