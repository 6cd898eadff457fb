import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Extracted, Limits } from "../handler.ts";
import { createPool, type Pool } from "./pool.ts";

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

async function pidOf(from: Pool): Promise<string> {
  const [piece] = await Array.fromAsync(run("", { from, engine: "pid" }));
  return piece && "segment" in piece ? piece.segment.text : assert.fail();
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
    { command: "die", reason: "interrupted" },
    { command: "refused", reason: "interrupted" },
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
    assert.ok(process.memoryUsage.rss() < 256 * MiB);
  });

  test("keeps a child warm from one file to the next, replaces it when it is worn, and when it idles", async () => {
    const single = createPool({ script, children: 1, limits, idleMs: 300 });
    const first = await pidOf(single);
    await Array.fromAsync({ length: 3 }, () => wait(150));
    for await (const _ of run("flood", { from: single })) break;
    const pids = new Set<string>();
    for (let jobs = 0; jobs < 205; jobs++) pids.add(await pidOf(single));
    const last = await pidOf(single);
    assert.equal(pids.size, 2, "it is replaced once, after 200 files");
    assert.ok(!pids.has(first) && pids.has(last));
    await wait(200);
    assert.equal(await pidOf(single), last, "the time counts from its last file");
    await wait(600);
    assert.notEqual(await pidOf(single), last);
    single.close();
  });

  test("goes on in another child where one was ended from outside", async () => {
    assert.deepEqual(words(await Array.fromAsync(run("die once"))), ["page 1", "page 2", "page 3", "page 4", "page 5"]);
  });

  test("says of a child that does not start that reading was interrupted", async () => {
    const broken = createPool({ script: new URL("file:///no/such/child.js"), children: 1, limits, idleMs: 1_000 });
    assert.deepEqual(words(await Array.fromAsync(run("behave", { from: broken }))), ["interrupted"]);
    broken.close();
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
    const pids = await Promise.all(Array.from({ length: 12 }, () => pidOf(pool)));
    assert.ok(new Set(pids).size <= 2);
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
