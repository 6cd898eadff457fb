import assert from "node:assert/strict";
import { test } from "node:test";
import { MIN_OWN_BYTES, releaseMemory } from "./release-memory.ts";

test("a buffer is released if its memory is its own", () => {
  const own = new Uint8Array(10);
  releaseMemory(own, 10);
  assert.equal(own.length, 0);
  const large = Buffer.allocUnsafe(MIN_OWN_BYTES);
  releaseMemory(large, MIN_OWN_BYTES);
  assert.equal(large.length, 0);
});

test("memory that other buffers use stays", () => {
  const whole = Uint8Array.of(1, 2, 3, 4);
  const [first, small] = [whole.subarray(0, 2), Buffer.from("in the pool")];
  releaseMemory(first, first.byteLength);
  releaseMemory(small, small.byteLength);
  assert.deepEqual([...whole, small.toString()], [1, 2, 3, 4, "in the pool"]);
});
