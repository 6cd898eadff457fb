import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, joined, noise } from "../../../test/samples.ts";
import { detectContentKind } from "../detect.ts";
import { signatures } from "./signatures.ts";

test("the signature table is large, and every signature without a further check matches", () => {
  assert.ok(signatures.length >= 400, `${signatures.length} rows`);
  for (const row of signatures.filter(({ check, second }) => check === undefined && second === undefined)) {
    const offset = row.offset ?? 0;
    const firstBytes = joined(new Uint8Array(offset), bytesOf(row.magic), noise(64));
    const detection = detectContentKind({ firstBytes });
    assert.equal(detection.decidedBy, "magic", `${row.mediaType} at ${offset}`);
    assert.notEqual(detection.kind, "text", row.mediaType);
  }
});

test("signatures of two or three bytes carry a check", () => {
  const unchecked = signatures.filter(
    ({ magic, check, second }) => magic.length < 3 && check === undefined && second === undefined,
  );
  assert.deepEqual(
    unchecked.map((row) => row.mediaType),
    [],
  );
});
