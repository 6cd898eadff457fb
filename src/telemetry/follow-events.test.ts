import assert from "node:assert/strict";
import { appendFile, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { followEvents } from "./follow-events.ts";

const line = (run: string, code: string) =>
  `${JSON.stringify({ at: "2026-11-16T00:00:00.000Z", run, event: "store.unavailable", code })}\n`;

/** Follows a folder. Each step runs between two looks at it; after the last one the follower ends. */
async function follow(folder: string, steps: readonly (() => Promise<unknown>)[], run?: string): Promise<string[]> {
  const stop = new AbortController();
  const remaining = [...steps];
  const pause = async () => (remaining.length === 0 ? stop.abort() : await remaining.shift()?.());
  const codes: string[] = [];
  for await (const event of followEvents(folder, { run, signal: stop.signal, pause }))
    if (event.event === "store.unavailable") codes.push(event.code);
  return codes;
}

describe("following event logs", () => {
  test("shows what is written from now on, in old and new runs", async () => {
    await using folder = await makeTemporaryFolder();
    const path = (run: string) => join(folder.path, `${run}.jsonl`);
    await writeFile(path("a"), line("a", "before"));
    const seen = await follow(folder.path, [
      () => appendFile(path("a"), line("a", "first")),
      () => appendFile(path("b"), line("b", "second")),
      async () => undefined,
      () => appendFile(path("a"), line("a", "third")),
    ]);
    assert.deepEqual(seen, ["first", "second", "third"]);
  });

  test("shows a named run from its first event, also one that does not exist yet", async () => {
    await using folder = await makeTemporaryFolder();
    const home = join(folder.path, "events");
    const steps = [
      () => mkdir(home),
      () => appendFile(join(home, "a.jsonl"), line("a", "first")),
      () => appendFile(join(home, "b.jsonl"), line("b", "other")),
    ];
    assert.deepEqual(await follow(home, steps, "a"), ["first"]);
    assert.deepEqual(await follow(home, [], "a"), ["first"]);
  });

  test("waits for the end of a line, also inside a character", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "a.jsonl");
    const bytes = Buffer.from(line("a", "Pegel über NN"));
    const cut = bytes.indexOf("ü") + 1;
    const steps = [() => appendFile(path, bytes.subarray(0, cut)), () => appendFile(path, bytes.subarray(cut))];
    assert.deepEqual(await follow(folder.path, steps), ["Pegel über NN"]);
  });

  test("loses nothing when a log is rotated", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "a.jsonl");
    const rotate = async () => {
      await appendFile(path, line("a", "second"));
      await rename(path, `${path}.1`);
      await writeFile(path, line("a", "third"));
    };
    assert.deepEqual(await follow(folder.path, [() => writeFile(path, line("a", "first")), rotate]), [
      "first",
      "second",
      "third",
    ]);
    assert.deepEqual(await follow(folder.path, [], "a"), ["first", "second", "third"]);
  });

  test("skips a line that a killed process cut short", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "a.jsonl");
    const steps = [() => writeFile(path, '{"at":"2026'), () => appendFile(path, `\n${line("a", "next")}`)];
    assert.deepEqual(await follow(folder.path, steps), ["next"]);
  });
});
