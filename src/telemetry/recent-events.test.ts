import assert from "node:assert/strict";
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { readRecentEvents } from "./recent-events.ts";

const line = (second: number, event: string) =>
  `${JSON.stringify({ at: new Date(second * 1_000).toISOString(), run: "r", event, code: `n${second}`, server: "s" })}\n`;

describe("recent events", () => {
  test("are the latest of the named kinds in all runs", async () => {
    await using folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "a.jsonl"), line(1, "store.unavailable") + line(4, "store.unavailable"));
    await writeFile(join(folder.path, "b.jsonl"), line(2, "ingest.failed") + line(3, "store.unavailable"));
    const names = ["store.unavailable"] as const;
    const found = await readRecentEvents(folder.path, { names, maxEvents: 2 });
    assert.deepEqual(
      found.map(({ code }) => code),
      ["n4", "n3"],
    );
    assert.deepEqual(await readRecentEvents(join(folder.path, "none"), { names, maxEvents: 2 }), []);
  });

  test("are found in the ends of long logs, the most recently active first", async () => {
    await using folder = await makeTemporaryFolder();
    const lines = Array.from({ length: 1_000 }, (_, second) => line(second, "store.unavailable"));
    for (const name of ["old", "new"]) await writeFile(join(folder.path, `${name}.jsonl`), lines.join(""));
    await utimes(join(folder.path, "old.jsonl"), 1, 1);
    const found = await readRecentEvents(folder.path, {
      names: ["store.unavailable"],
      maxEvents: 10_000,
      maxBytes: 10_000,
    });
    assert.ok(found.length > 50 && found.length < 200, `${found.length} events`);
    assert.equal(found[0]?.code, "n999");
  });
});
