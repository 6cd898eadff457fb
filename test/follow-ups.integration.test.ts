/** A reply names a follow-up only where there is something to read, whatever the file. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fetchSource, openSession, readArtifact } from "../src/index.ts";
import { findEmptyFollowUp } from "./follow-up.ts";

const fixtures = join(import.meta.dirname, "fixtures");

describe("a follow-up that a reply names", { timeout: 600_000 }, () => {
  test("has something to read, for every fixture", async () => {
    await using session = await openSession({ inMemory: true });
    const entries = await readdir(fixtures, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    assert.ok(paths.length > 100);
    let named = 0;
    for (const path of paths) {
      const answer = await fetchSource(path, { maxChars: 2_000 }, session);
      if (answer.summary.includes("for targeted follow-up")) named++;
      const fault = await findEmptyFollowUp(answer, (ref, options) => readArtifact(ref, options, session));
      assert.equal(fault, null, path);
    }
    assert.ok(named > 100, `${named} follow-ups were named`);
  });
});
