import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { waitUntil } from "../../test/waiting.ts";
import { refuseConnection } from "./refuse-connection.ts";

/** A server that refuses each connection for every part that arrives, as a parser does that cannot read them. */
async function openRefusing() {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("data", () => refuseConnection(socket, "400 Bad Request"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    sockets,
    connect: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a client that is still sending gets the whole answer", async () => {
  await using server = await openRefusing();
  const client = server.connect();
  client.write(Buffer.alloc(5_000_000, "x"));
  const answer = Buffer.concat(await Array.fromAsync(client)).toString();
  assert.equal(answer, "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  client.destroy();
});

test("a client that does not leave is disconnected", async () => {
  await using server = await openRefusing();
  const client = server.connect();
  client.write("x");
  await once(client.resume(), "end");
  const [socket = assert.fail()] = server.sockets;
  await waitUntil("its connection is closed", () => socket.destroyed);
  client.destroy();
});

test("a client that has left already needs no answer", async () => {
  await using server = await openRefusing();
  const client = server.connect();
  client.write("x");
  await once(client.resume(), "end");
  const [socket = assert.fail()] = server.sockets;
  client.end();
  await once(socket, "close");
  refuseConnection(socket, "400 Bad Request");
  assert.ok(socket.destroyed);
});
