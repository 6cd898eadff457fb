/** Requests that are sent on one connection without waiting for answers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, test } from "node:test";
import { letEventsHappen, waitUntil } from "../../../../test/waiting.ts";
import { serveInOrder } from "./serve-in-order.ts";

/** Sends requests to /0, /1 and so on at once. The test answers them. */
async function sendAtOnce(count: number) {
  const served: string[] = [];
  const answers: ServerResponse[] = [];
  let received = 0;
  const listener = serveInOrder((request, response) => {
    served.push(request.url ?? "");
    answers.push(response);
  });
  const countAndServe: RequestListener = (request, response) => {
    received++;
    listener(request, response);
  };
  const server = createServer(countAndServe).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
  socket.on("error", () => undefined);
  socket.write(Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  await waitUntil("the requests have arrived", () => received === count);
  await letEventsHappen();
  return {
    served,
    answers,
    socket,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("requests that are sent at once", () => {
  test("are served one after another", async () => {
    using sent = await sendAtOnce(3);
    for (const expected of [["/0"], ["/0", "/1"], ["/0", "/1", "/2"]]) {
      await waitUntil("the next request is served", () => sent.served.length >= expected.length);
      await letEventsHappen();
      assert.deepEqual(sent.served, expected);
      sent.answers.at(-1)?.end("done");
    }
  });

  test("are not served behind an answer that closes the connection", async () => {
    using sent = await sendAtOnce(3);
    const closed = once(sent.socket, "close");
    sent.answers[0]?.setHeader("connection", "close").end("done");
    await closed;
    await letEventsHappen();
    assert.deepEqual(sent.served, ["/0"]);
  });

  test("are disconnected if too many of them wait", async () => {
    using sent = await sendAtOnce(34);
    if (!sent.socket.closed) await once(sent.socket, "close");
    assert.deepEqual(sent.served, ["/0"]);
  });
});
