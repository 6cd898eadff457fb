import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { openCli } from "../../../test/cli.ts";
import { MIXED_SHA256, NOTE, packedSamples } from "../../../test/packed-samples.ts";
import { makeSevenZip } from "../../../test/seven-zip.ts";
import { FailureError } from "../failure-error.ts";
import { handlerContract } from "../handler.contract.ts";
import { archive } from "./archive-handler.ts";
import { unpackBzip2 } from "./bzip2.ts";

const asArchive = (mediaType: string, bytes: Uint8Array) => ({ kind: "archive", mediaType, bytes }) as const;
const sevenZip = makeSevenZip("docs/note.txt", NOTE);

handlerContract(archive, [
  { name: "a 7z archive", ...asArchive("application/x-7z-compressed", sevenZip) },
  { name: "a 7z archive that is cut", ...asArchive("application/x-7z-compressed", sevenZip.subarray(0, 60)) },
  { name: "a tar in xz", ...asArchive("application/x-xz", packedSamples["harbour.tar.xz"]) },
  { name: "a tar in bzip2", ...asArchive("application/x-bzip2", packedSamples["harbour.tar.bz2"]) },
]);

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const unpack = async (bytes: Uint8Array, size = bytes.length) =>
  Buffer.concat(await Array.fromAsync(unpackBzip2(inChunks(bytes, size))));

describe("bzip2", () => {
  test("is unpacked whole, however it arrives", async () => {
    for (const size of [1, 7, 1_000]) {
      const bytes = await unpack(packedSamples["mixed.bz2"], size);
      assert.equal(createHash("sha256").update(bytes).digest("hex"), MIXED_SHA256);
    }
  });

  test("may be several streams in a row", async () => {
    const note = packedSamples["note.txt.bz2"];
    assert.equal((await unpack(Buffer.concat([note, note, note]))).toString(), NOTE.repeat(3));
  });

  test("that is damaged or cut anywhere is a failure, never other bytes", async () => {
    const whole = await unpack(packedSamples["mixed.bz2"]);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (place, change, isCut) => {
        const bytes = Buffer.from(packedSamples["mixed.bz2"]);
        // The last ten bytes hold the checksum of the whole stream and padding; those of the blocks are enough.
        const at = place % (bytes.length - 11);
        if (!isCut) bytes[at] = (bytes[at] ?? 0) ^ change;
        const outcome = await unpack(isCut ? bytes.subarray(0, at) : bytes).catch((error: unknown) => error);
        if (outcome instanceof FailureError) assert.equal(outcome.reason, "corrupt");
        else assert.ok(Buffer.isBuffer(outcome) && (outcome.equals(whole) || outcome.length === 0), String(outcome));
      }),
    );
  });
});

describe("an archive that Node cannot unpack", () => {
  const cases = [
    { name: "note.7z", bytes: sevenZip, listing: "docs/note.txt (17 B, text)\n", entry: "docs/note.txt" },
    { name: "note.txt.bz2", bytes: packedSamples["note.txt.bz2"], listing: "note.txt (text)\n", entry: "note.txt" },
    { name: "note.txt.xz", bytes: packedSamples["note.txt.xz"], listing: "note.txt (text)\n", entry: "note.txt" },
    ...["harbour.tar.bz2" as const, "harbour.tar.xz" as const].map((name) => ({
      name,
      bytes: packedSamples[name],
      listing: "note.txt (17 B, text)\nberths.csv (19 B, text)\n",
      entry: "note.txt",
    })),
  ];
  for (const { name, bytes, listing, entry } of cases) {
    test(`is listed, and a member is read: ${name}`, async () => {
      await using cli = await openCli();
      const [fields] = await cli.json("fetch", await cli.write(name, bytes));
      assert.equal(fields.content, listing);
      const [member] = await cli.json("read", fields.artifact_ref, "--entry", entry);
      assert.equal(member.content, NOTE);
      const { err } = await cli.run(["read", fields.artifact_ref, "--entry", "nothing.txt"]);
      assert.match(err, /has no entry nothing\.txt/);
    });
  }

  test("that is damaged says so and promises nothing more", async () => {
    await using cli = await openCli();
    const { out } = await cli.run(["fetch", await cli.write("cut.7z", sevenZip.subarray(0, 60))]);
    assert.match(out, /it has no text to read\.\]\nFailed to extract text from archive: corrupt\n/);
  });

  test("is opened under the limits of the settings", async () => {
    await using cli = await openCli();
    const [{ artifact_ref }] = await cli.json("fetch", await cli.write("note.7z", sevenZip));
    const args = ["read", artifact_ref, "--entry", "docs/note.txt", "--set", "extract.memory_bytes=128MiB"];
    const { status, out } = await cli.run(args);
    assert.equal(status, 0);
    assert.match(out, /Ships moor here/);
  });
});
