import assert from "node:assert/strict";
import { test } from "node:test";
import { requireRef } from "./ref.ts";

const messageFor = (word: string): string => {
  try {
    requireRef(word);
  } catch (error) {
    return error instanceof Error ? error.message : assert.fail();
  }
  return assert.fail(`${word} is taken for a ref`);
};

test("a URL in place of a ref is repeated without its secrets", () => {
  const message = messageFor("https://me:hunter2@example.com/a?token=s3cret-value&page=2");
  assert.match(message, /example\.com/);
  assert.doesNotMatch(message, /hunter2|s3cret/);
});

test("a part of a ref is repeated as it is", () => {
  assert.equal(messageFor("af_12"), 'No artifact "af_12" in this store.');
});

test("a ref passes", () => requireRef(`af_${"0".repeat(32)}`));
