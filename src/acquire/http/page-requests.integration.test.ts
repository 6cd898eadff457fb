import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openTestClient } from "../../../test/http-client.ts";
import { startServer, type TestServer } from "../../../test/server.ts";
import type { HttpClient } from "./http-client.ts";
import type { PageRequestOptions } from "./page-requests.ts";

const cookie = { Cookie: "sid=s1d" };

async function request(client: HttpClient, url: string, options: Partial<PageRequestOptions> = {}) {
  const response = await client.requestForPage(new URL(url), {
    headers: {},
    isOwnOrigin: true,
    withCredentials: true,
    signal: new AbortController().signal,
    ...options,
  });
  return { ...response, text: Buffer.concat(await Array.fromAsync(response.chunks)).toString() };
}

const openClient = (server: TestServer, robots: "on" | "off" = "off") =>
  openTestClient([server], {
    settings: { "network.headers": { [server.allow]: cookie }, "network.robots": robots },
  });

describe("a request of a page", () => {
  test("is answered with the redirect itself, its target absolute, and nothing is sent there", async () => {
    await using server = await startServer(
      (_, response) => void response.writeHead(307, { location: "../other?x=1", "set-cookie": "a=b" }).end("moved"),
    );
    await using client = openClient(server);
    const { status, headers, text } = await request(client, `${server.origin}/a/b`);
    assert.deepEqual([status, headers.location, text], [307, `${server.origin}/other?x=1`, ""]);
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ["/a/b"],
    );
  });

  test("is refused where the redirect leads to what is never fetched", async () => {
    for (const location of ["file:///etc/passwd", "data:text/html,x", "http://user:word@host.example/"]) {
      await using server = await startServer((_, response) => void response.writeHead(302, { location }).end());
      await using client = openClient(server);
      await assert.rejects(request(client, server.origin), { name: "SpillwayError" }, location);
    }
  });

  test("carries network.headers for the page's own origin only", async () => {
    await using server = await startServer((_, response) => void response.writeHead(404).end("none"));
    await using client = openClient(server);
    const { status, text } = await request(client, server.origin, { headers: { origin: "null", cookie: "page=1" } });
    assert.deepEqual([status, text], [404, "none"]);
    await request(client, server.origin, { withCredentials: false });
    assert.deepEqual(
      server.requests.map(({ headers }) => [headers.cookie, headers.origin]),
      [
        ["sid=s1d", "null"],
        [undefined, undefined],
      ],
    );
  });

  for (const robots of ["off", "on"] as const) {
    test(`to another origin reaches no place of network.allow, with network.robots ${robots}`, async () => {
      await using server = await startServer((_, response) => void response.end("private"));
      await using client = openClient(server, robots);
      // A connection that is open already must not help.
      await request(client, server.origin);
      const before = server.requests.length;
      for (const host of ["127.0.0.1", "localhost", "2130706433"]) {
        const url = `http://${host}:${server.port}/`;
        await assert.rejects(request(client, url, { isOwnOrigin: false }), { code: "network_refused" }, host);
      }
      assert.equal(server.requests.length, before);
    });
  }

  test("that the page addresses with a user name or another scheme is refused", async () => {
    await using server = await startServer((_, response) => void response.end("x"));
    await using client = openClient(server);
    for (const url of [server.origin.replace("//", "//me:word@"), "ftp://example.com/", "file:///etc/passwd"]) {
      await assert.rejects(request(client, url), { code: "network_refused" }, url);
    }
    assert.equal(server.requests.length, 0);
  });
});
