import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FailureError } from "../failure-error.ts";
import { unpackSnappy } from "./snappy.ts";

const unpack = (...bytes: readonly number[]): string =>
  Buffer.from(unpackSnappy(Uint8Array.from(bytes), 1_000)).toString();

describe("a Snappy block", () => {
  const [a, b] = [97, 98];
  const cases = [
    { name: "a literal", bytes: [2, 4, a, b], text: "ab" },
    { name: "a literal with its length apart", bytes: [2, 60 << 2, 1, a, b], text: "ab" },
    { name: "a copy that overlaps itself", bytes: [8, 4, a, b, 9, 2], text: "abababab" },
    { name: "a copy with a distance of two bytes", bytes: [4, 4, a, b, 6, 2, 0], text: "abab" },
    { name: "a copy with a distance of four bytes", bytes: [4, 4, a, b, 7, 2, 0, 0, 0], text: "abab" },
    { name: "a copy beyond the stated length", bytes: [3, 4, a, b, 6, 2, 0], text: "aba" },
  ];
  for (const { name, bytes, text } of cases) test(`has ${name}`, () => assert.equal(unpack(...bytes), text));

  test("that is cut ends in zeros", () => assert.equal(unpack(4, 12, a), "a\0\0\0"));

  test("that is damaged or too long is refused", () => {
    assert.throws(() => unpack(8, 4, a, b, 9, 99), FailureError);
    assert.throws(() => unpack(255, 255, 255, 255, 7, 0, a), FailureError);
  });
});
