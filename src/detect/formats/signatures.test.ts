import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, joined, noise } from "../../../test/samples.ts";
import { detectContentKind } from "../detect.ts";
import { signatures } from "./signatures.ts";

test("the signature table is large, and every signature without a further check matches", () => {
  assert.ok(signatures.length >= 400, `${signatures.length} rows`);
  for (const row of signatures.filter(({ when, and }) => when === undefined && and === undefined)) {
    const offset = row.at ?? 0;
    const firstBytes = joined(new Uint8Array(offset), bytesOf(row.magic), noise(64));
    const detection = detectContentKind({ firstBytes });
    assert.equal(detection.decidedBy, "magic", `${row.mediaType} at ${offset}`);
    assert.notEqual(detection.kind, "text", row.mediaType);
  }
});

test("signatures of two or three bytes carry a check", () => {
  const unchecked = signatures.filter(
    ({ magic, when, and }) => magic.length < 3 && when === undefined && and === undefined,
  );
  assert.deepEqual(
    unchecked.map((row) => row.mediaType),
    [],
  );
});
