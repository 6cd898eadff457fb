import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addends, findRole, roleWords, signs } from "./number-roles.ts";

/** The roles of all numbers in a sentence. */
function rolesIn(sentence: string): string[] {
  let previousEnd = 0;
  return [...sentence.matchAll(/\d[\d,]*\d|\d/g)].map(({ index, 0: digits }) => {
    const role = findRole(
      sentence.slice(0, index),
      sentence.slice(previousEnd, index),
      sentence.slice(index + digits.length),
    );
    previousEnd = index + digits.length;
    return role;
  });
}

describe("the roles of numbers", () => {
  for (const { role, example } of [...signs, ...roleWords, ...addends]) {
    test(`in ${JSON.stringify(example)} one is ${role}`, () =>
      assert.ok(rolesIn(example).includes(role), rolesIn(example).join()));
  }

  test("are distinguished in one sentence", () => {
    const sentence =
      "maximum context length is 8192 tokens, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion)";
    assert.deepEqual(rolesIn(sentence), ["limit", "actual", "input", "input", "output"]);
  });
});
