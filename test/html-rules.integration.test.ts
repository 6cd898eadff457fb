/** Every page in test/fixtures/html-rules becomes its Markdown, and would not without the rule that its folder names. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadWatched, loadWithout, rulesTouchedBy } from "../bench/ablate-hook.ts";
import { type PageModule, readFixtures, toText } from "../bench/ablate-pages.ts";
import { htmlRules } from "../bench/ablate-rules.ts";
import * as page from "../src/extract/html/page.ts";

const fixtures = readFixtures();

describe("a page that needs a rule", () => {
  for (const { name, html, expected } of fixtures) {
    test(`is written as expected: ${name}`, () => assert.equal(toText(page, html), expected));

    test(`is written differently without the rule: ${name}`, async () => {
      const rule = htmlRules.find((one) => one.name === name);
      assert.ok(rule, `no rule has the name ${name}`);
      const changed = await loadWithout<PageModule>(rule, "extract/html/page.ts");
      assert.notEqual(toText(changed, html), expected);
    });
  }
});

test("the rule of a fixture is seen to decide something there", async () => {
  const watched = await loadWatched<PageModule>(htmlRules, "extract/html/page.ts");
  for (const { name, html, expected } of fixtures) {
    const touched = rulesTouchedBy(() => assert.equal(toText(watched, html), expected));
    assert.ok(touched.has(name), name);
  }
});

describe("the table of rules", () => {
  test("has unique names", () => assert.equal(new Set(htmlRules.map(({ name }) => name)).size, htmlRules.length));

  for (const rule of htmlRules) {
    test(`finds the function or constant of ${rule.name}`, async () => {
      await loadWithout(rule, rule.module);
    });
  }
});
