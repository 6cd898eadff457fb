/** Small archives, mails, notebooks and books through the whole flow: golden text, and facts that must hold. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Answer, FetchFields } from "../src/index.ts";
import { assertChecks, assertGolden, type Checks, fetchFixture, fixturesFolder, runChecks } from "./fixtures.ts";
import { makeDocuments } from "./fixtures-documents.ts";

const folder = join(fixturesFolder, "documents");
const names = readdirSync(folder).filter((file) => !file.endsWith(".txt") && file !== "checks.json");
const checks: Readonly<Record<string, Checks>> = JSON.parse(readFileSync(join(folder, "checks.json"), "utf8"));

/** The summary, what the reply says first, and the text; refs differ in every store. */
function goldenText({ summary, required, notices, content }: Answer<FetchFields>): string {
  const lines = [summary, ...[...required, ...notices].map((notice) => `! ${notice}`), "", content ?? ""];
  return lines.join("\n").replaceAll(/af_[0-9a-f]{32}/g, "af_...");
}

describe("documents", () => {
  for (const name of names) {
    test(`${name} gives its golden text`, async () => {
      const answer = await fetchFixture(folder, name);
      assertGolden(join(folder, `${name}.txt`), goldenText(answer));
      assertChecks(runChecks(checks[name] ?? {}, answer), []);
    });
  }

  test("every file has checks, and every check a file", () => {
    assert.deepEqual(Object.keys(checks).sort(), names.toSorted());
  });

  test("the files are those that the script makes", () => {
    const made = makeDocuments();
    assert.deepEqual([...made.keys()].sort(), names.toSorted());
    for (const [name, bytes] of made)
      assert.ok(readFileSync(join(folder, name)).equals(bytes), `${name}: run node test/fixtures-documents.ts`);
  });
});
