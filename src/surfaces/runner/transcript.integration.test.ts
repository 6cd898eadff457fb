import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { SpillwayError } from "../../errors.ts";
import { beginTranscript, type MessageLine, type RunHead, resumeTranscript } from "./transcript.ts";

const head = (run: string): RunHead => ({
  type: "run",
  version: 1,
  run,
  model: "sim:sim-1",
  system: "",
  cwd: "/",
  started_at: "2026-01-01T00:00:00.000Z",
});
const task: MessageLine = { type: "message", at: "", message: { role: "user", content: "What does it say?" } };

async function begin(folder: string, run: string, maxTranscripts = 200): Promise<void> {
  await using _ = await beginTranscript({ folder, maxTranscripts }, head(run), task);
}

const codeOf = (error: unknown): string => (error instanceof SpillwayError ? error.code : String(error));

describe("a transcript", () => {
  test("appears with its task or not at all; leftovers of a killed process do not matter", async () => {
    await using folder = await makeTemporaryFolder();
    await begin(folder.path, "old");
    await writeFile(join(folder.path, "k.jsonl.new"), '{"type":"run"');
    {
      await using last = await resumeTranscript({ folder: folder.path, maxTranscripts: 9 }, undefined);
      assert.equal(last.head.run, "old");
    }
    await begin(folder.path, "k");
    await using k = await resumeTranscript({ folder: folder.path, maxTranscripts: 9 }, "k");
    assert.deepEqual(k.messages, [task.message]);
    assert.ok(!(await readdir(folder.path)).includes("k.jsonl.new"));
  });

  test("accepts no line after one that could not be written", async () => {
    await using folder = await makeTemporaryFolder();
    await using transcript = await beginTranscript({ folder: folder.path, maxTranscripts: 9 }, head("k"), task);
    const unwritable = { ...task, message: { role: "user", content: 1n } } as unknown as MessageLine;
    await assert.rejects(transcript.add(unwritable), TypeError);
    await assert.rejects(transcript.add(task), TypeError);
    assert.equal((await readFile(transcript.path, "utf8")).trimEnd().split("\n").length, 2);
  });

  test("fails with an error if its folder is not writable, new or resumed", {
    skip: process.getuid?.() === 0 && "root can write anywhere",
  }, async () => {
    await using folder = await makeTemporaryFolder();
    await begin(folder.path, "k");
    for (const name of await readdir(folder.path)) await chmod(join(folder.path, name), 0o400);
    await chmod(folder.path, 0o500);
    const place = { folder: folder.path, maxTranscripts: 9 };
    await assert.rejects(resumeTranscript(place, "k"), { code: "store_unavailable" });
    await assert.rejects(beginTranscript(place, head("l"), task), { code: "store_unavailable" });
    await chmod(folder.path, 0o700);
  });

  test("replaces the oldest when there are too many, even if a killed process left its lock", async () => {
    await using folder = await makeTemporaryFolder();
    for (const [index, run] of ["a", "b", "c"].entries()) {
      await begin(folder.path, run);
      await writeFile(join(folder.path, `${run}.jsonl.lock`), "999999999");
      await utimes(join(folder.path, `${run}.jsonl`), index, index);
    }
    await begin(folder.path, "d", 2);
    assert.deepEqual((await readdir(folder.path)).filter((name) => name.endsWith(".jsonl")).sort(), [
      "c.jsonl",
      "d.jsonl",
    ]);
  });
});

test("exactly one of two processes gets a run that both resume at the same moment", async () => {
  await using folder = await makeTemporaryFolder();
  await begin(folder.path, "k");
  const rival = join(import.meta.dirname, "..", "..", "..", "test", "rival-process.ts");
  const rivals = [fork(rival, [folder.path]), fork(rival, [folder.path])];
  try {
    await Promise.all(rivals.map((each) => once(each, "message")));
    for (let round = 0; round < 30; round++) {
      const answers = rivals.map((each) => once(each, "message"));
      const startAt = Date.now() + 10;
      for (const each of rivals) each.send({ at: startAt });
      const outcomes = (await Promise.all(answers)).map(([word]) => String(word)).sort();
      assert.deepEqual(outcomes, ["got it", "run_busy"], `round ${round}`);
      const released = rivals.map((each) => once(each, "message"));
      for (const each of rivals) each.send({ free: true });
      await Promise.all(released);
    }
  } finally {
    for (const each of rivals) each.kill();
  }
  await using after = await resumeTranscript({ folder: folder.path, maxTranscripts: 9 }, "k").catch((error) =>
    assert.fail(codeOf(error)),
  );
  assert.equal(after.messages.length, 1);
});
