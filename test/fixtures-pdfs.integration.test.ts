/** Small PDFs with one difficulty each, through the whole flow: golden text, and facts that must hold. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Answer, FetchFields } from "../src/index.ts";
import {
  assertChecks,
  assertGolden,
  type Checks,
  fetchFixture,
  fixturesFolder,
  readKnownDefects,
  runChecks,
} from "./fixtures.ts";
import { makePdfs } from "./fixtures-pdfs.ts";

const folder = join(fixturesFolder, "pdfs");
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".pdf") ? [file.slice(0, -4)] : []));
const checks: Readonly<Record<string, Checks>> = JSON.parse(readFileSync(join(folder, "checks.json"), "utf8"));
const defects = readKnownDefects(join(folder, "KNOWN-DEFECTS.md"));

/** Errors and warnings are part of the golden text: for some files they are all there is. */
function goldenText({ failure, required, notices, content }: Answer<FetchFields>): string {
  const sentences = [...(failure === null ? [] : [failure]), ...required, ...notices];
  return [...sentences.map((notice) => `! ${notice}`), content ?? ""].filter(Boolean).join("\n\n");
}

describe("PDFs", () => {
  for (const name of names) {
    test(`${name} gives its golden text`, async () => {
      const answer = await fetchFixture(folder, `${name}.pdf`);
      assert.equal(answer.fields.content_kind, "pdf");
      assertGolden(join(folder, `${name}.txt`), goldenText(answer));
      assertChecks(runChecks(checks[name] ?? {}, answer), defects.get(name) ?? []);
    });
  }

  test("the encrypted file is read with its password", async () => {
    const { content } = await fetchFixture(folder, "encrypted.pdf", { password: "mooring" });
    assert.equal(content, "Only for those who know the word.");
  });

  test("every file has checks, and every check and defect a file", () => {
    assert.deepEqual(Object.keys(checks).sort(), names.toSorted());
    assert.deepEqual(
      [...defects.keys()].filter((name) => !names.includes(name)),
      [],
    );
  });

  test("the files are those that the script makes", () => {
    const made = makePdfs();
    assert.deepEqual([...made.keys()].sort(), names.toSorted());
    for (const [name, bytes] of made)
      assert.ok(readFileSync(join(folder, `${name}.pdf`)).equals(bytes), `${name}: run node test/fixtures-pdfs.ts`);
  });
});
