import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { waitUntil } from "../../../../test/waiting.ts";
import { openCatalogue } from "../../../catalogue/catalogue.ts";
import { sqliteSql } from "../../../catalogue/sqlite-sql.ts";
import type { Connect } from "../../gateway/downstream/http-session.ts";
import { createFairQueue } from "../guard/fair-queue.ts";
import { createLiveLinks } from "./live-links.ts";
import { createServerEndpoint } from "./server-endpoint.ts";

const caller = { owner: "ann", tokenName: "ann", rate: 600, folders: [], isAdmin: false };

/** A server that answers every request with its own id as the result. */
const connect: Connect = (toClient) => {
  const ended = Promise.withResolvers<string>();
  return {
    async fromClient(line) {
      const { id } = JSON.parse(line);
      if (id !== undefined) await toClient(JSON.stringify({ jsonrpc: "2.0", id, result: { id } }));
    },
    ended: ended.promise,
    stop: async () => ended.resolve("stopped"),
  };
};

/** An endpoint with room for two servers, whose servers start when they are let. */
async function openEndpoint(connectServers: Connect = connect) {
  const folder = await makeTemporaryFolder();
  const catalogue = openCatalogue(sqliteSql(join(folder.path, "catalogue.sqlite")));
  const links = createLiveLinks({ servers: 2, serversPerOwner: 2, idleMs: 60_000, now: Date.now });
  const start = Promise.withResolvers<void>();
  const counts = { opened: 0, closed: 0 };
  const endpoint = createServerEndpoint({
    path: "/servers/own/mcp",
    servers: 1,
    async open() {
      counts.opened++;
      await start.promise;
      return { connect: connectServers, [Symbol.asyncDispose]: async () => void counts.closed++ };
    },
    links,
    queue: createFairQueue({ running: 10, runningPerOwner: 10, waitingPerOwner: 10 }),
    catalogue,
    keepMs: 60_000,
    now: Date.now,
  });
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    await endpoint.serve({ request, response, body, caller }).catch(() => response.writeHead(500).end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  async function send(method: string, session?: string): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
    const headers = session === undefined ? {} : { "mcp-session-id": session };
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers });
    await reply.text();
    return reply;
  }
  return {
    counts,
    links,
    start,
    async greet(): Promise<number> {
      return (await send("initialize")).status;
    },
    send,
    async [Symbol.asyncDispose]() {
      start.resolve();
      await links[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await catalogue.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("of many who come at once, those for whom there is no room are refused, and none is ended while it starts", async () => {
  await using place = await openEndpoint();
  const replies = Array.from({ length: 5 }, () => place.greet());
  const refused = await Promise.any(replies);
  assert.equal(refused, 503);
  assert.deepEqual(place.counts, { opened: 2, closed: 0 });
  place.start.resolve();
  assert.deepEqual((await Promise.all(replies)).toSorted(), [200, 200, 503, 503, 503]);
});

test("one that had started in the meantime makes room for the next", async () => {
  await using place = await openEndpoint();
  place.start.resolve();
  for (let count = 1; count <= 4; count++) assert.equal(await place.greet(), 200);
  await waitUntil("the oldest have ended", () => place.counts.closed === 2);
  assert.equal(place.links.servers, 2);
});

test("servers that start while everything stops are ended", async () => {
  await using place = await openEndpoint();
  const reply = place.greet();
  await waitUntil("it is starting", () => place.counts.opened === 1);
  const stopped = place.links[Symbol.asyncDispose]();
  place.start.resolve();
  assert.equal(await reply, 503);
  await stopped;
  assert.deepEqual(place.counts, { opened: 1, closed: 1 });
});

test("servers that cannot be started take no place", async () => {
  await using place = await openEndpoint(() => {
    throw new Error("The program has no name.");
  });
  place.start.resolve();
  for (let count = 0; count < 3; count++) assert.equal(await place.greet(), 500);
  assert.deepEqual([place.links.servers, place.counts], [0, { opened: 3, closed: 3 }]);
});

test("a session whose handshake cannot be repeated gives its place back", async () => {
  const refusesRepeats: Connect = (toClient) => {
    const link = connect(toClient);
    return {
      ...link,
      fromClient: async (line) =>
        line.includes("spillway-restored") ? assert.fail("the server is gone") : link.fromClient(line),
    };
  };
  await using place = await openEndpoint(refusesRepeats);
  place.start.resolve();
  const session = (await place.send("initialize")).headers.get("mcp-session-id") ?? assert.fail();
  for (let count = 0; count < 2; count++) assert.equal(await place.greet(), 200);
  await waitUntil("its servers have ended", () => place.counts.closed === 1);
  assert.equal((await place.send("tools/list", session)).status, 500);
  await waitUntil("the new ones have ended too", () => place.counts.closed === place.counts.opened - 1);
  assert.equal(place.links.servers, 1);
});
