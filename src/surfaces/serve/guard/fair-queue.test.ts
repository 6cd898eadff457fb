import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createFairQueue, QueueFullError } from "./fair-queue.ts";

const limits = { running: 2, runningPerOwner: 2, waitingPerOwner: 100 };
const never = new AbortController().signal;

/** A queue whose calls are finished by the test, with the order in which they were started. */
function openQueue(given = limits) {
  const queue = createFairQueue(given);
  const started: string[] = [];
  const finishers = new Map<string, () => void>();
  return {
    queue,
    started,
    call: (owner: string, name: string, signal = never) =>
      queue.run(owner, signal, () => {
        started.push(name);
        return new Promise<string>((resolve) => finishers.set(name, () => resolve(name)));
      }),
    async finish(name: string) {
      await settle();
      finishers.get(name)?.();
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a fair queue", () => {
  test("an owner with many calls does not delay another", async () => {
    const { started, call, finish } = openQueue();
    for (let index = 0; index < 20; index++) void call("busy", `busy${index}`);
    void call("calm", "calm");
    await finish("busy0");
    assert.deepEqual(started, ["busy0", "busy1", "calm"]);
  });

  test("one owner does not take all places", async () => {
    const { started, call } = openQueue({ running: 4, runningPerOwner: 1, waitingPerOwner: 10 });
    for (const name of ["a0", "a1", "b0", "b1"]) void call(name.slice(0, 1), name);
    await settle();
    assert.deepEqual(started, ["a0", "b0"]);
  });

  test("a call that was cancelled while it waited is not started, and its place is free", async () => {
    const { queue, started, call, finish } = openQueue({ running: 1, runningPerOwner: 1, waitingPerOwner: 1 });
    const cancel = new AbortController();
    void call("a", "first");
    const waiting = call("a", "second", cancel.signal);
    await assert.rejects(call("a", "third"), QueueFullError);
    cancel.abort(new Error("cancelled"));
    await assert.rejects(waiting, /cancelled/);
    assert.equal(queue.waiting, 0);
    void call("a", "fourth");
    await finish("first");
    assert.deepEqual(started, ["first", "fourth"]);
  });

  test("a call that fails frees its place", async () => {
    const { queue, call, finish } = openQueue({ running: 1, runningPerOwner: 1, waitingPerOwner: 1 });
    await assert.rejects(
      queue.run("a", never, () => Promise.reject(new Error("broken"))),
      /broken/,
    );
    const next = call("a", "next");
    await finish("next");
    assert.equal(await next, "next");
    assert.deepEqual([queue.running, queue.waiting], [0, 0]);
  });

  test("for any calls: every call is done, within the limits, and owners take turns", async () => {
    const owners = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 });
    const numbers = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(owners, numbers, numbers, async (calls, running, runningPerOwner) => {
        const queue = createFairQueue({ running, runningPerOwner, waitingPerOwner: 100 });
        const atWork = new Map<string, number>();
        const work = (owner: string) => async () => {
          atWork.set(owner, (atWork.get(owner) ?? 0) + 1);
          assert.ok((atWork.get(owner) ?? 0) <= runningPerOwner && queue.running <= running);
          await Promise.resolve();
          atWork.set(owner, (atWork.get(owner) ?? 0) - 1);
          return owner;
        };
        const done = await Promise.all(calls.map((owner) => queue.run(owner, never, work(owner))));
        assert.deepEqual(done, calls);
        assert.deepEqual([queue.running, queue.waiting], [0, 0]);
      }),
    );
  });
});
