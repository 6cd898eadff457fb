import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { settingNames } from "./settings.ts";
import { nearestName } from "./suggest-name.ts";

const cases = [
  { name: "a missing letter", written: "fit.inline_char", meant: "fit.inline_chars" },
  { name: "two swapped letters", written: "artifacts.kepe", meant: "artifacts.keep" },
  { name: "camel case", written: "fit.inlineChars", meant: "fit.inline_chars" },
  { name: "dashes", written: "artifacts.keep-per-run", meant: "artifacts.keep_per_run" },
  { name: "a missing group", written: "excerpt_chars", meant: "fit.excerpt_chars" },
  { name: "a missing end", written: "network.connections", meant: "network.connections_per_host" },
  { name: "a beginning that several names share", written: "network", meant: undefined },
  { name: "an ending that several names share", written: "chars", meant: undefined },
  { name: "a name like no other", written: "colour", meant: undefined },
  { name: "a single letter", written: "x", meant: undefined },
  { name: "nothing", written: "", meant: undefined },
];

for (const { name, written, meant } of cases) {
  test(`${name}: ${written} suggests ${meant ?? "nothing"}`, () => {
    assert.equal(nearestName(written, settingNames), meant);
  });
}

test("two swapped letters count as one mistake, so short names are found", () => {
  assert.equal(nearestName("raed", ["read", "run", "cat"]), "read");
  assert.equal(nearestName("cta", ["read", "run", "cat"]), "cat");
});

test("a suggestion is always one of the candidates, and a candidate suggests itself", () => {
  fc.assert(
    fc.property(fc.string(), (written) => {
      const meant: string | undefined = nearestName(written, settingNames);
      assert.ok(meant === undefined || settingNames.some((name) => name === meant));
    }),
  );
  for (const name of settingNames) assert.equal(nearestName(name, settingNames), name);
});
