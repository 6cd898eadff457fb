import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Extracted, Limits } from "../handler.ts";
import { createPool } from "./pool.ts";

const MiB = 1024 * 1024;
const script = new URL("../../../test/hostile-child.ts", import.meta.url);
const limits: Limits = { memoryBytes: 256 * MiB, cpuMs: 800, wallMs: 20_000, children: 2 };
const signal = new AbortController().signal;

const pool = createPool({ script, children: 2, limits, idleMs: 60_000 });
const patient = createPool({ script, children: 1, limits: { ...limits, cpuMs: 60_000 }, idleMs: 60_000 });
const hasty = createPool({ script, children: 1, limits: { ...limits, wallMs: 500 }, idleMs: 60_000 });
after(() => [pool, patient, hasty].map((each) => each.close()));

function run(command: string, { from = pool, stop = signal, engine = "hostile" } = {}) {
  const content = { bytes: Buffer.from(command) };
  const file = { content, sizeBytes: 1, kind: "pdf", mediaType: "application/pdf", charset: null } as const;
  return from.run({ engine, file, ask: { mode: "text", from: 0 } }, stop);
}

const words = (pieces: readonly Extracted[]) =>
  pieces.map((piece) => ("segment" in piece ? piece.segment.label : "failed" in piece ? piece.failed.reason : "info"));

describe("a pool of children", { timeout: 60_000 }, () => {
  test("reads a file", async () => {
    assert.deepEqual(words(await Array.fromAsync(run("behave"))), ["page 1", "page 2", "page 3", "page 4", "page 5"]);
  });

  for (const { command, reason } of [
    { command: "loop", reason: "too_slow" },
    { command: "regex", reason: "too_slow" },
    { command: "stall", reason: "too_slow" },
    { command: "abort", reason: "corrupt" },
    { command: "exit", reason: "corrupt" },
    { command: "throw", reason: "corrupt" },
    { command: "reject", reason: "corrupt" },
    { command: "heap", reason: "too_large" },
    { command: "buffers", reason: "too_large" },
    { command: "wasm", reason: "too_large" },
    { command: "giant", reason: "corrupt" },
  ]) {
    test(`survives a file that makes the parser ${command}, keeps its first page, and serves the next at once`, async () => {
      assert.deepEqual(words(await Array.fromAsync(run(command, command === "stall" ? { from: hasty } : {}))), [
        "page 1",
        reason,
      ]);
      assert.equal((await Array.fromAsync(run("behave"))).length, 5);
      assert.ok(process.memoryUsage.rss() < 256 * MiB, `${process.memoryUsage.rss() / MiB} MB`);
    });
  }

  test("takes from a flood only what it wants, and the child stays warm", async () => {
    let taken = 0;
    for await (const _ of run("flood")) if (++taken === 20) break;
    assert.equal(taken, 20);
    assert.equal((await Array.fromAsync(run("behave"))).length, 5);
    assert.ok(process.memoryUsage.rss() < 256 * MiB);
  });

  test("stops at once when it is aborted, with the abort's reason", async () => {
    const abort = new AbortController();
    const reading = Array.fromAsync(run("loop", { from: patient, stop: abort.signal }));
    await wait(300);
    const before = Date.now();
    abort.abort(new Error("changed my mind"));
    await assert.rejects(reading, /changed my mind/);
    assert.ok(Date.now() - before < 1_000);
    assert.equal((await Array.fromAsync(run("behave"))).length, 5);
  });

  test("stops waiting for a child when it is aborted, and the next in line is served", async () => {
    const abort = new AbortController();
    const first = run("plod", { from: patient });
    await first.next();
    const second = Array.fromAsync(run("behave", { from: patient, stop: abort.signal }));
    const third = Array.fromAsync(run("behave", { from: patient }));
    await wait(50);
    abort.abort(new Error("no longer"));
    await assert.rejects(second, /no longer/);
    await first.return(undefined);
    assert.equal((await third).length, 5);
  });

  test("works on so many at once and no more, and answers all of them", async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) => Array.fromAsync(run(i % 3 === 0 ? "exit" : "behave"))),
    );
    assert.deepEqual(
      all.map((pieces) => pieces.length),
      Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? 2 : 5)),
    );
  });

  test("gives a child none of our environment", async () => {
    process.env.SPILLWAY_TEST_SECRET = "canary";
    const [piece] = await Array.fromAsync(run("", { engine: "environment" }));
    delete process.env.SPILLWAY_TEST_SECRET;
    const text = piece && "segment" in piece ? piece.segment.text : assert.fail();
    assert.ok(!text.includes("canary") && !text.includes("PATH"), text);
  });

  test("says of an engine that is not there that it is not", async () => {
    const [piece] = await Array.fromAsync(run("", { engine: "nobody" }));
    assert.match(piece && "failed" in piece ? piece.failed.detail : "", /no engine nobody/);
  });
});
