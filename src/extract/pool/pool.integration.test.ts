import assert from "node:assert/strict";
import { after, describe, mock, test } from "node:test";
import { letEventsHappen } from "../../../test/waiting.ts";
import { metrics } from "../../telemetry/metrics.ts";
import type { ExtractItem, Limits } from "../handler.ts";
import { createPool, type Pool } from "./pool.ts";

const MiB = 1024 * 1024;
const script = new URL("../../../test/hostile-child.ts", import.meta.url);
/** Time on the clock passes only in tests that call `tick`; memory and CPU time are watched as always. */
const limits: Limits = { memoryBytes: 256 * MiB, cpuMs: 60_000, wallMs: 20_000, children: 2 };
const signal = new AbortController().signal;
mock.timers.enable({ apis: ["setTimeout"] });

const pool = createPool({ script, children: 2, limits, idleMs: 60_000 });
/** Its children have CPU time for their start, but not for a parser that hangs. */
const hastyPool = createPool({ script, children: 1, limits: { ...limits, cpuMs: 2_000 }, idleMs: 60_000 });
after(() => {
  for (const each of [pool, hastyPool]) each.close();
  mock.timers.reset();
});

function run(command: string, options: { pool?: Pool; stop?: AbortSignal; engine?: string } = {}) {
  const { stop = signal, engine = "hostile" } = options;
  const content = { bytes: Buffer.from(command) };
  const file = { content, sizeBytes: 1, kind: "pdf", mediaType: "application/pdf", charset: null } as const;
  return (options.pool ?? pool).run({ engine, file, options: { mode: "text", from: 0 } }, stop);
}

async function readPid(pool: Pool): Promise<string> {
  const [item] = await Array.fromAsync(run("", { pool, engine: "pid" }));
  return item && "segment" in item ? item.segment.text : assert.fail();
}

const labels = (items: readonly ExtractItem[]) =>
  items.map((item) => ("segment" in item ? item.segment.label : "failed" in item ? item.failed.reason : "info"));

const readRestarts = () => Number(/^spillway_pool_restarts_total (\d+)$/m.exec(metrics.prometheus())?.[1]);

describe("a pool of children", () => {
  test("reads a file", async () => {
    assert.deepEqual(labels(await Array.fromAsync(run("behave"))), ["page 1", "page 2", "page 3", "page 4", "page 5"]);
  });

  for (const { command, reason } of [
    { command: "loop", reason: "too_slow" },
    { command: "regex", reason: "too_slow" },
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
    test(`survives a file that makes the parser ${command}, keeps its first page, and serves the next file at once`, async () => {
      const limited = reason === "too_slow" ? hastyPool : pool;
      assert.deepEqual(labels(await Array.fromAsync(run(command, { pool: limited }))), ["page 1", reason]);
      assert.equal((await Array.fromAsync(run("behave", { pool: limited }))).length, 5);
      assert.ok(process.memoryUsage.rss() < 256 * MiB, `${process.memoryUsage.rss() / MiB} MB`);
    });
  }

  test("counts the children that it replaces in the metrics", async () => {
    const restarts = readRestarts();
    await Array.fromAsync(run("behave"));
    assert.equal(readRestarts(), restarts);
    await Array.fromAsync(run("die"));
    assert.ok(readRestarts() > restarts);
  });

  test("reports a full heap as too large even if nothing has checked its size", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    assert.deepEqual(labels(await Array.fromAsync(run("heap"))), ["page 1", "too_large"]);
  });

  test("ends a file that uses no CPU time when the time on the clock is up", async () => {
    const items = run("stall");
    assert.deepEqual(labels([(await items.next()).value]), ["page 1"]);
    const rest = Array.fromAsync(items);
    mock.timers.tick(limits.wallMs);
    assert.deepEqual(labels(await rest), ["too_slow"]);
    assert.equal((await Array.fromAsync(run("behave"))).length, 5);
  });

  test("reads only what is needed of endless output", async () => {
    let count = 0;
    for await (const _ of run("flood")) if (++count === 20) break;
    assert.equal(count, 20);
    assert.ok(process.memoryUsage.rss() < 256 * MiB);
  });

  test("reuses a child for the next file, replaces it after many files, and ends it when it is idle", async () => {
    const single = createPool({ script, children: 1, limits, idleMs: 300 });
    const first = await readPid(single);
    mock.timers.tick(300);
    for await (const _ of run("flood", { pool: single })) break;
    const pids = new Set<string>();
    for (let jobs = 0; jobs < 205; jobs++) pids.add(await readPid(single));
    const last = await readPid(single);
    assert.equal(pids.size, 2, "it is replaced once, after 200 files");
    assert.ok(!pids.has(first) && pids.has(last));
    mock.timers.tick(299);
    assert.equal(await readPid(single), last);
    mock.timers.tick(299);
    assert.equal(await readPid(single), last, "the idle time counts from its last file");
    mock.timers.tick(300);
    assert.notEqual(await readPid(single), last);
    single.close();
  });

  test("continues in another child if one was killed from outside", async () => {
    assert.deepEqual(labels(await Array.fromAsync(run("die once"))), [
      "page 1",
      "page 2",
      "page 3",
      "page 4",
      "page 5",
    ]);
  });

  test("reports an interruption if a child does not start", async () => {
    const broken = createPool({ script: new URL("file:///no/such/child.js"), children: 1, limits, idleMs: 1_000 });
    assert.deepEqual(labels(await Array.fromAsync(run("behave", { pool: broken }))), ["interrupted"]);
    broken.close();
  });

  test("stops at once on abort, with the abort's reason", async () => {
    const abort = new AbortController();
    const items = run("loop", { stop: abort.signal });
    await items.next();
    const rest = Array.fromAsync(items);
    abort.abort(new Error("changed my mind"));
    await assert.rejects(rest, /changed my mind/);
    assert.equal((await Array.fromAsync(run("behave"))).length, 5);
  });

  test("stops waiting for a child on abort, and the next in line is served", async () => {
    const abort = new AbortController();
    const single = createPool({ script, children: 1, limits, idleMs: 60_000 });
    const first = run("plod", { pool: single });
    await first.next();
    const second = Array.fromAsync(run("behave", { pool: single, stop: abort.signal }));
    const third = Array.fromAsync(run("behave", { pool: single }));
    await letEventsHappen();
    abort.abort(new Error("no longer"));
    await assert.rejects(second, /no longer/);
    await first.return(undefined);
    assert.equal((await third).length, 5);
    single.close();
  });

  test("never runs more children than allowed, and serves every job", async () => {
    const pids = await Promise.all(Array.from({ length: 12 }, () => readPid(pool)));
    assert.ok(new Set(pids).size <= 2);
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) => Array.fromAsync(run(i % 3 === 0 ? "exit" : "behave"))),
    );
    assert.deepEqual(
      all.map((items) => items.length),
      Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? 2 : 5)),
    );
  });

  test("passes no environment to a child", async () => {
    process.env.SPILLWAY_TEST_SECRET = "canary";
    const [item] = await Array.fromAsync(run("", { engine: "environment" }));
    delete process.env.SPILLWAY_TEST_SECRET;
    const text = item && "segment" in item ? item.segment.text : assert.fail();
    assert.ok(!text.includes("canary") && !text.includes("PATH"), text);
  });

  test("reports an unknown engine", async () => {
    const [item] = await Array.fromAsync(run("", { engine: "unknown" }));
    assert.match(item && "failed" in item ? item.failed.detail : "", /no engine unknown/);
  });
});
