/** Web pages of the kinds that agents meet, through the whole flow: golden Markdown, and facts that must hold. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  assertChecks,
  assertGolden,
  type Checks,
  fetchFixture,
  fixturesFolder,
  readKnownDefects,
  runChecks,
} from "./fixtures.ts";

const folder = join(fixturesFolder, "pages");
const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const defects = readKnownDefects(join(folder, "KNOWN-DEFECTS.md"));

const readChecks = (name: string): Checks => JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8"));

describe("pages", () => {
  for (const name of names) {
    test(`${name} gives its golden Markdown`, async () => {
      const answer = await fetchFixture(join(folder, name), "page.html");
      assert.equal(answer.fields.content_kind, "html");
      assertGolden(join(folder, name, "expected.md"), answer.content ?? "");
      assertChecks(runChecks(readChecks(name), answer), defects.get(name) ?? []);
    });
  }

  test("known defects name pages that exist", () => {
    assert.deepEqual(
      [...defects.keys()].filter((name) => !names.includes(name)),
      [],
    );
  });

  test("there are enough pages and checks to mean something", () => {
    const checks = names
      .map((name) => readChecks(name))
      .map(({ contains = [], excludes = [] }) => contains.length + excludes.length);
    assert.ok(names.length >= 50, `${names.length} pages`);
    assert.ok(Math.min(...checks) >= 5);
  });
});
