import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeCompoundFile } from "../../../test/compound-file.ts";
import { soakCount } from "../../../test/soak.ts";
import { toBody } from "../../acquire/spooled-body.ts";
import { FailureError } from "../failure-error.ts";
import { openCompoundFile } from "./open-compound-file.ts";

const open = (bytes: Uint8Array) => openCompoundFile(toBody({ bytes }, bytes.length));

const large = Buffer.from(Array.from({ length: 90_000 }, (_, i) => (i * 7) & 255));
const sample = makeCompoundFile({
  small: Buffer.from("a few bytes"),
  empty: Buffer.alloc(0),
  large,
  "storage/inner/deep": Buffer.from("x".repeat(200)),
  "storage/other": large.subarray(0, 5_000),
});

describe("openCompoundFile", () => {
  test("lists the streams with their paths and reads small and large ones", async () => {
    const file = await open(sample);
    assert.deepEqual(file.streams.map(({ path, sizeBytes }) => [path, sizeBytes]).toSorted(), [
      ["empty", 0],
      ["large", 90_000],
      ["small", 11],
      ["storage/inner/deep", 200],
      ["storage/other", 5_000],
    ]);
    const read = async (path: string) => {
      const stream = file.find(path);
      assert.ok(stream, path);
      return Buffer.from(await file.read(stream));
    };
    assert.equal((await read("SMALL")).toString(), "a few bytes");
    assert.equal((await read("storage/inner/deep")).toString(), "x".repeat(200));
    assert.ok((await read("large")).equals(large));
    assert.ok((await read("storage/other")).equals(large.subarray(0, 5_000)));
    assert.equal((await read("empty")).length, 0);
  });

  test("reads any range of a stream", async () => {
    const file = await open(sample);
    const [big, small] = [file.find("large"), file.find("small")];
    assert.ok(big && small);
    for (const [start, end] of [
      [0, 1],
      [511, 513],
      [1_000, 60_000],
      [89_999, 90_000],
      [5, 5],
      [89_000, 200_000],
    ] as const)
      assert.ok(Buffer.from(await file.read(big, start, end)).equals(large.subarray(start, end)), `${start}-${end}`);
    assert.equal(Buffer.from(await file.read(small, 2, 5)).toString(), "few");
  });

  test("refuses other bytes", async () => {
    await assert.rejects(open(Buffer.from("PK")), FailureError);
    await assert.rejects(open(Buffer.alloc(2_000)), FailureError);
  });

  test("ends on every damaged file, with what can be read or a FailureError", async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2, 3, 254, 255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat({ max: sample.length }), async (places, end) => {
        const bytes = Buffer.from(sample.subarray(0, end));
        // Most places are in the header, the directory and the table, where damage matters.
        for (const [at, value] of places) bytes[at % 512] = value;
        for (const [at, value] of places) bytes[bytes.length - 1 - (at % 3_000)] = value;
        try {
          const file = await open(bytes);
          for (const stream of file.streams) assert.ok((await file.read(stream)).length <= stream.sizeBytes);
        } catch (error) {
          assert.ok(error instanceof FailureError, String(error));
        }
      }),
      { numRuns: soakCount({ sample: 150, full: 10_000 }) },
    );
  });

  test("a directory that is a circle ends", async () => {
    const bytes = Buffer.from(sample);
    const directory = (bytes.readUInt32LE(48) + 1) * 512;
    bytes.writeUInt32LE(0, directory + 128 + 72);
    bytes.writeUInt32LE(1, directory + 128 + 76);
    assert.ok((await open(bytes)).streams.length <= 5);
  });
});
