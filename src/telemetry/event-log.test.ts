import assert from "node:assert/strict";
import { appendFile, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { safeFileName } from "../system/safe-names.ts";
import { listRuns, openEventLog, readEvents } from "./event-log.ts";
import type { Event } from "./events.ts";
import { eventRows, sourceName } from "./events.ts";

const read: Event = {
  event: "artifact.read",
  artifact_ref: `af_${"0".repeat(32)}`,
  selector: "lines",
  returned_chars: 500,
  total_chars: 5_000,
  limit_chars: 1_000,
  bound: "request",
  truncated: true,
};

const open = (folder: string, run = "r1", more: object = {}) =>
  openEventLog({ folder, run, maxBytes: 1_000_000, maxRuns: 10, ...more });

describe("the event log", () => {
  test("writes events in order, with time and run, and closes with the sums", async () => {
    await using folder = await makeTemporaryFolder();
    const log = open(folder.path, "r1", { now: () => Date.UTC(2026, 0, 2) });
    log.emit(read);
    log.emit({ ...read, selector: "query", truncated: false });
    await log[Symbol.asyncDispose]();
    const events = await readEvents(folder.path, "r1");
    assert.deepEqual(events[0], { at: "2026-01-02T00:00:00.000Z", run: "r1", ...read });
    assert.deepEqual(
      events.map(({ event }) => event),
      ["artifact.read", "artifact.read", "run.summary"],
    );
    const { at: _at, run: _run, event: _event, ...sums } = events[2] ?? assert.fail();
    assert.deepEqual(sums, {
      bytes_in: 0,
      chars_extracted: 0,
      chars_out: 1_000,
      replies: 2,
      truncations: 1,
      utilization_avg: 0.5,
    });
  });

  test("is private, and two processes of one run write into one file", async () => {
    await using folder = await makeTemporaryFolder();
    const logs = [open(folder.path), open(folder.path)];
    for (let i = 0; i < 50; i++) for (const log of logs) log.emit(read);
    await Promise.all(logs.map((log) => log[Symbol.asyncDispose]()));
    assert.equal((await readEvents(folder.path, "r1")).length, 102);
    assert.equal((await stat(join(folder.path, "r1.jsonl"))).mode & 0o777, 0o600);
  });

  test("is rotated when it has grown, and read across the rotation", async () => {
    await using folder = await makeTemporaryFolder();
    for (let i = 0; i < 30; i++) {
      await using log = open(folder.path, "r1", { maxBytes: 2_000 });
      log.emit(read);
    }
    assert.deepEqual((await readdir(folder.path)).sort(), ["r1.jsonl", "r1.jsonl.1"]);
    assert.ok((await stat(join(folder.path, "r1.jsonl"))).size < 3_000);
    const events = await readEvents(folder.path, "r1");
    assert.ok(events.length > 6 && events.length < 60, "the oldest part is gone, the newest two are there");
  });

  test("keeps runs apart whatever they are called", async () => {
    await using folder = await makeTemporaryFolder();
    const names = ["a", "A", "a b", "../a", `a${"é".repeat(100)}1`, `a${"é".repeat(100)}2`, "*"];
    for (const run of names) {
      await using log = open(folder.path, run);
      log.emit(read);
    }
    assert.deepEqual((await listRuns(folder.path)).sort(), names.sort());
    for (const run of names) assert.equal((await readEvents(folder.path, run))[0]?.run, run);
  });

  test("keeps the logs of a limited number of runs", async () => {
    await using folder = await makeTemporaryFolder();
    for (let i = 0; i < 8; i++) {
      const log = open(folder.path, `run ${i}`, { maxRuns: 3 });
      log.emit(read);
      await log[Symbol.asyncDispose]();
      await utimes(join(folder.path, `${safeFileName(`run ${i}`)}.jsonl`), i, i);
    }
    assert.deepEqual(await listRuns(folder.path), ["run 7", "run 6", "run 5"]);
  });

  test("stops nothing when it cannot be written", async () => {
    await using folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "file"), "");
    const log = open(join(folder.path, "file", "below"));
    log.emit(read);
    await log[Symbol.asyncDispose]();
  });

  test("is read past a line that a killed process cut short", async () => {
    await using folder = await makeTemporaryFolder();
    const first = open(folder.path);
    first.emit(read);
    await first[Symbol.asyncDispose]();
    await appendFile(join(folder.path, "r1.jsonl"), '{"at":"2026');
    await assert.doesNotReject(readEvents(folder.path, "r1"));
    assert.equal((await readEvents(folder.path)).length, 2);
  });

  test("writes a whole line also after one that was cut short", async () => {
    await using folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "r1.jsonl"), '{"at":"2026');
    const log = open(folder.path);
    log.emit(read);
    await log[Symbol.asyncDispose]();
    assert.equal((await readEvents(folder.path, "r1")).length, 2);
  });

  test("says which runs there are when one is asked for that has none", async () => {
    await using folder = await makeTemporaryFolder();
    await assert.rejects(readEvents(folder.path), /No run has logged/);
    await assert.rejects(readEvents(folder.path, "../r1"), /No events of run "..\/r1"/);
    await assert.rejects(readEvents(join(folder.path, "none")), /No run has logged/);
  });
});

describe("what an event may say", () => {
  for (const [given, said] of [
    ["https://user:pass@example.com:8443/path/secret?token=abc#x", "https://example.com:8443"],
    ["  http://example.com/p?token=abc", "http://example.com"],
    ["ftp://example.com/x?token=abc", "ftp:"],
    ["file:///home/ada/report.pdf", "report.pdf"],
    ["http://[bad", "invalid URL"],
    ["/home/ada/private/report.pdf", "report.pdf"],
    ["C:\\Users\\ada\\report.pdf", "report.pdf"],
    ["data:text/plain;base64,SGVsbG8=", "data:"],
    ["-", "-"],
  ] as const) {
    test(`of ${given} is ${said}`, () => assert.equal(sourceName(given), said));
  }

  test("is documented field by field", () => {
    for (const [name, { about, fields }] of Object.entries(eventRows)) {
      assert.match(about, /\.$/, name);
      for (const [field, meaning] of Object.entries(fields)) assert.match(meaning, /\.$|\.\.\.$/, `${name}.${field}`);
    }
  });
});
