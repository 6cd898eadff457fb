import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRequestQueue } from "./request-queue.ts";

const limits = { calls: 2, others: 1, waiting: 3, waitingBytes: 100 };

function openQueue() {
  const started: unknown[] = [];
  const queue = createRequestQueue(({ id }) => void started.push(id), limits);
  const add = (id: number | string, method = "tools/call", sizeBytes = 1) =>
    queue.add({ jsonrpc: "2.0", id, method }, sizeBytes);
  return { started, queue, add };
}

describe("the queue of requests", () => {
  test("starts as many calls as are allowed, then the next one for each that is answered", () => {
    const { started, queue, add } = openQueue();
    for (const id of [1, 2, 3, 4]) assert.ok(add(id));
    assert.deepEqual(started, [1, 2]);
    queue.finish(2);
    assert.deepEqual(started, [1, 2, 3]);
    queue.finish(2); // Answered twice: no place becomes free.
    assert.deepEqual(started, [1, 2, 3]);
  });

  test("does not let calls hold up other requests", () => {
    const { started, add } = openQueue();
    for (const id of [1, 2, 3]) add(id);
    add("ping", "ping");
    assert.deepEqual(started, [1, 2, "ping"]);
  });

  test("refuses what is beyond the number or the size that may wait", () => {
    const { add } = openQueue();
    for (const id of [1, 2, 3, 4, 5]) assert.ok(add(id));
    assert.equal(add(6), false);
    const other = openQueue();
    for (const id of [1, 2]) assert.ok(other.add(id, "tools/call", 1_000), "a large request that can start is started");
    assert.equal(other.add(3, "tools/call", 101), false);
    assert.ok(other.add(4, "tools/call", 100));
    other.queue.finish(1);
    assert.ok(other.add(5, "tools/call", 100), "a started request waits no more");
  });

  test("never starts a request that was cancelled while it waited", () => {
    const { started, queue, add } = openQueue();
    for (const id of [1, 2, 3, 4]) add(id);
    assert.equal(queue.cancel(3), true);
    assert.equal(queue.cancel(1), false);
    assert.equal(queue.cancel(99), false);
    assert.deepEqual(started, [1, 2, 4]);
  });

  test("is idle when every request is answered or cancelled", async () => {
    const { queue, add } = openQueue();
    await queue.idle();
    for (const id of [1, 2, 3]) add(id);
    let isIdle = false;
    const idle = queue.idle().then(() => (isIdle = true));
    queue.cancel(3);
    queue.finish(1);
    await Promise.resolve();
    assert.equal(isIdle, false);
    queue.finish(2);
    await idle;
  });
});
