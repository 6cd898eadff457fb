/** Answers before the body was read, over real sockets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { sendBeforeReading, sendUntilAnswered } from "../../test/raw-socket.ts";
import { answerEarly, type DiscardLimits } from "./early-answer.ts";

/** A server that reads no body. */
async function openRefusing(limits: DiscardLimits, headers: Readonly<Record<string, string>> = {}) {
  const targets: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url);
    answerEarly(response, { status: 401, headers, body: "Who are you?" }, limits);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const patient: DiscardLimits = { maxBytes: 64 * 1024 * 1024, maxIdleMs: 60_000 };
const closing = { connection: "close" };
const sentBody = "a".repeat(5_000_000);
const post = (length: number, path = "/") => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

describe("an answer before the body was read", () => {
  test("reaches a client that sends everything before it reads", async () => {
    using server = await openRefusing(patient, closing);
    const reply = await sendBeforeReading(server.port, `${post(sentBody.length)}${sentBody}`);
    assert.match(reply, /^HTTP\/1\.1 401 .*\r\n\r\nWho are you\?$/s);
  });

  test("is whole before the body has come", async () => {
    using server = await openRefusing(patient, closing);
    assert.match(await sendUntilAnswered(server.port, post(10)), /Who are you\?$/);
  });

  test("leaves a connection that is kept open ready for the next request", async () => {
    using server = await openRefusing(patient);
    const next = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const reply = await sendBeforeReading(server.port, `${post(sentBody.length, "/first")}${sentBody}${next}`);
    assert.equal(reply.match(/Who are you\?/g)?.length, 2);
    assert.deepEqual(server.targets, ["/first", "/next"]);
  });

  test("ends when a client sends nothing more", async () => {
    using server = await openRefusing({ ...patient, maxIdleMs: 1 }, closing);
    assert.match(await sendBeforeReading(server.port, post(10)), /Who are you\?$/);
  });

  test("ends when a client sends too much", async () => {
    using server = await openRefusing({ ...patient, maxBytes: 10 }, closing);
    assert.match(await sendBeforeReading(server.port, `${post(12)}${"a".repeat(11)}`), /Who are you\?$/);
  });
});
