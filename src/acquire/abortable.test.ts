import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { abortable } from "./abortable.ts";

/** Yields some items, then waits forever. */
async function* stalling(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) yield i;
  await new Promise(() => undefined);
}

describe("abortable reading", () => {
  test("yields every item and closes its source", async () => {
    let closed = false;
    async function* source() {
      try {
        yield* [1, 2, 3];
      } finally {
        closed = true;
      }
    }
    assert.deepEqual(await Array.fromAsync(abortable(source(), new AbortController().signal)), [1, 2, 3]);
    assert.ok(closed);
  });

  for (const { when, count } of [
    { when: "before the first item", count: 0 },
    { when: "while an item is being used", count: 1 },
  ]) {
    test(`stops on an abort ${when}`, async () => {
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of abortable(stalling(count), abort.signal)) abort.abort(new Error("stopped"));
      })();
      if (count === 0) setImmediate(() => abort.abort(new Error("stopped")));
      await assert.rejects(reading, /stopped/);
    });
  }

  test("does not start after an abort", async () => {
    const aborted = AbortSignal.abort(new Error("never"));
    await assert.rejects(Array.fromAsync(abortable(stalling(5), aborted)), /never/);
  });

  test("rethrows what the source throws", async () => {
    async function* broken() {
      yield 1;
      throw new Error("broke");
    }
    await assert.rejects(Array.fromAsync(abortable(broken(), new AbortController().signal)), /broke/);
  });
});
