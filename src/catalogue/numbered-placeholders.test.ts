import assert from "node:assert/strict";
import { test } from "node:test";
import { numberPlaceholders } from "./numbered-placeholders.ts";

const cases: readonly (readonly [given: string, numbered: string])[] = [
  ["a = ? AND b = ?", "a = $1 AND b = $2"],
  ["SELECT '?', ?, 'it''s ?'", "SELECT '?', $1, 'it''s ?'"],
  ['SELECT "odd ? name", ?', 'SELECT "odd ? name", $1'],
  ["SELECT ? -- really?\n, ?", "SELECT $1 -- really?\n, $2"],
  ["SELECT /* ? */ ?", "SELECT /* ? */ $1"],
  ["SELECT 1", "SELECT 1"],
];

for (const [given, numbered] of cases) {
  test(`numbers the placeholders of ${JSON.stringify(given)}`, () => assert.equal(numberPlaceholders(given), numbered));
}
