/** Small office documents through the whole flow: golden Markdown, and facts that must hold. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { assertChecks, assertGolden, type Checks, fetchFixture, fixturesFolder, runChecks } from "./fixtures.ts";
import { makeOfficeFiles } from "./fixtures-office.ts";

const folder = join(fixturesFolder, "office");
const names = readdirSync(folder).filter((file) => !/\.(md|json)$/.test(file));
const checks: Readonly<Record<string, Checks>> = JSON.parse(readFileSync(join(folder, "checks.json"), "utf8"));

describe("office documents", () => {
  for (const name of names) {
    test(`${name} gives its golden text`, async () => {
      const answer = await fetchFixture(folder, name);
      assert.equal(answer.fields.content_kind, "office_doc");
      const notices = [...answer.required, ...answer.notices].map((notice) => `! ${notice}`);
      assertGolden(join(folder, `${name}.md`), [...notices, answer.content ?? ""].filter(Boolean).join("\n\n"));
      assertChecks(runChecks(checks[name] ?? {}, answer), []);
    });
  }

  test("every file has checks, and every check a file", () => {
    assert.deepEqual(Object.keys(checks).sort(), names.toSorted());
  });

  test("the files are those that the script makes", () => {
    const made = makeOfficeFiles();
    assert.deepEqual([...made.keys()].sort(), names.toSorted());
    for (const [name, bytes] of made)
      assert.ok(readFileSync(join(folder, name)).equals(bytes), `${name}: run node test/fixtures-office.ts`);
  });
});
