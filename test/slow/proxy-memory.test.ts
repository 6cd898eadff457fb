/** The floor of the proxy's memory, beside a proxy that only passes requests on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { measureProxyMemory } from "../../bench/overflow-memory.ts";

const MAX_RATIO = 1.3;
const skip = process.platform === "linux" ? false : "the peak of a process is read from /proc";

test("20 requests of 10 MB at once take little more memory than a plain proxy needs", { skip }, async () => {
  const { plain, spillway } = await measureProxyMemory();
  assert.ok(spillway["peak MB"] <= plain["peak MB"] * MAX_RATIO, JSON.stringify({ plain, spillway }));
});
