/** A forward proxy for tests, as HTTPS_PROXY names one. */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** Starts a proxy that records its requests and connects every tunnel to one server. */
export async function startProxy(port: () => number) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`GET ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    if (request.url?.includes("//closed.")) response.statusCode = 407;
    response.end("through the proxy");
  });
  server.on("connect", (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    if (request.url?.startsWith("closed.")) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const upstream = connect(port(), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    for (const stream of [upstream, socket]) stream.on("error", () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port: proxyPort } = server.address() as AddressInfo;
  return {
    requests,
    url: `http://me:pass@127.0.0.1:${proxyPort}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
