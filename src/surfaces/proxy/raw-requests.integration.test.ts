/** Requests that no HTTP client would send, over raw sockets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, test } from "node:test";
import { openWatchedSession } from "../../../test/recovery.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { openProxy } from "./proxy-server.ts";
import { parseUpstreams } from "./upstreams.ts";

/** Sends bytes to a proxy with a token and returns the status of every response, and what reached the upstream. */
async function sendRaw(makeRequest: (place: { host: string; token: string }) => string) {
  const received: string[] = [];
  const upstream = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("from upstream");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const session = await openWatchedSession();
  await using proxy = await openProxy({
    recovery: await openRecovery(session),
    upstreams: parseUpstreams([`up=http://127.0.0.1:${port}`]),
    port: 0,
    allowOrigins: [],
    token: "t0ken",
    bodyBytes: 1_000_000,
  });
  const { host, port: proxyPort } = new URL(proxy.url);
  const socket = connect(Number(proxyPort), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk)).on("error", () => undefined);
  socket.write(makeRequest({ host, token: "t0ken" }).replaceAll("\n", "\r\n"));
  const closed = once(socket, "close");
  await Promise.race([once(socket, "data"), closed]);
  // A second response, if there is one, arrives before the end.
  socket.end();
  await closed;
  upstream.closeAllConnections();
  upstream.close();
  const text = Buffer.concat(chunks).toString("latin1");
  return { statuses: [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status)), text, received };
}

const requests: Readonly<Record<string, { status: number; raw(place: { host: string; token: string }): string }>> = {
  "two Host headers": {
    status: 400,
    raw: ({ host, token }) => `GET /${token}/up/v1 HTTP/1.1\nHost: ${host}\nHost: evil.example\n\n`,
  },
  "two Host headers, the foreign one first": {
    status: 400,
    raw: ({ host, token }) => `GET /${token}/up/v1 HTTP/1.1\nHost: evil.example\nhOsT: ${host}\n\n`,
  },
  "the same Host header twice": {
    status: 400,
    raw: ({ host, token }) => `GET /${token}/up/v1 HTTP/1.1\nHost: ${host}\nHost: ${host}\n\n`,
  },
  "two hosts in one header": {
    status: 403,
    raw: ({ host, token }) => `GET /${token}/up/v1 HTTP/1.1\nHost: ${host}, evil.example\n\n`,
  },
  "no Host header": { status: 400, raw: ({ token }) => `GET /${token}/up/v1 HTTP/1.1\n\n` },
  "no Host header in HTTP/1.0": { status: 403, raw: ({ token }) => `GET /${token}/up/v1 HTTP/1.0\n\n` },
  TRACE: {
    status: 405,
    raw: ({ host, token }) => `TRACE /${token}/up/v1 HTTP/1.1\nHost: ${host}\nAuthorization: Bearer k3y\n\n`,
  },
  CONNECT: { status: 405, raw: ({ host }) => `CONNECT evil.example:443 HTTP/1.1\nHost: ${host}\n\n` },
  "a whole URL as its target": {
    status: 403,
    raw: ({ host }) => `GET http://evil.example/ HTTP/1.1\nHost: ${host}\n\n`,
  },
  "two lengths": {
    status: 400,
    raw: ({ host, token }) =>
      `POST /${token}/up/v1 HTTP/1.1\nHost: ${host}\nContent-Length: 1\nContent-Length: 2\n\nab`,
  },
  "a length and chunks": {
    status: 400,
    raw: ({ host, token }) =>
      `POST /${token}/up/v1 HTTP/1.1\nHost: ${host}\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET`,
  },
};

describe("a request with", () => {
  for (const [title, { status, raw }] of Object.entries(requests)) {
    test(`${title} is answered with ${status} and not passed on`, async () => {
      const { statuses, text, received } = await sendRaw(raw);
      assert.deepEqual([statuses, received], [[status], []]);
      assert.ok(!text.includes("k3y"), "the keys of a request are not returned");
    });
  }

  test("one Host header is passed on", async () => {
    const raw = ({ host, token }: { host: string; token: string }) =>
      `GET /${token}/up/v1 HTTP/1.1\nHost: ${host}\nConnection: close\n\n`;
    const { statuses, received } = await sendRaw(raw);
    assert.deepEqual([statuses, received], [[200], ["GET /v1"]]);
  });
});
