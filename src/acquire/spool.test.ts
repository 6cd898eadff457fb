import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder, splitChunks } from "../../test/bodies.ts";
import { makeFaultyFiles } from "../../test/faults.ts";
import { type Content, type SpoolOptions, spool, spoolBytes } from "./spool.ts";

const signal = new AbortController().signal;
const open = (folders: string[], overrides: Partial<SpoolOptions> = {}): SpoolOptions => ({
  folders,
  capBytes: 1_000_000,
  signal,
  ...overrides,
});

const positions = (end: number): number[] => Array.from({ length: end - 1 }, (_, i) => i + 1);

const bytesOf = async (content: Content): Promise<Buffer> =>
  "path" in content ? readFile(content.path) : Buffer.from(content.bytes);

describe("a spool", () => {
  test("holds the bytes, their hash and their size, and is removed when disposed", async () => {
    await using folder = await makeTemporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 1, max: 700 }), async (bytes, size) => {
        await using spooled = await spool(splitChunks(bytes, size), open([folder.path]));
        assert.deepEqual(await bytesOf(spooled.content), Buffer.from(bytes));
        assert.equal(spooled.sha256, createHash("sha256").update(bytes).digest("hex"));
        assert.equal(spooled.sizeBytes, bytes.length);
        assert.equal(spooled.cutBy, null);
        const { content, sizeBytes, sha256, cutBy } = spoolBytes(bytes);
        assert.deepEqual([content, sizeBytes], [{ bytes }, bytes.length]);
        assert.deepEqual([sha256, cutBy], [spooled.sha256, null]);
      }),
      { numRuns: 50 },
    );
    assert.deepEqual(await readdir(folder.path), []);
  });

  test("is not changed by a source that writes all chunks into one buffer", async () => {
    await using folder = await makeTemporaryFolder();
    async function* inOneBuffer(source: Buffer, chunkBytes: number): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(chunkBytes);
      for (let start = 0; start < source.length; start += chunkBytes) {
        yield buffer.subarray(0, source.copy(buffer, 0, start, start + chunkBytes));
        buffer.fill("overwritten");
      }
    }
    const source = Buffer.from(Array.from({ length: 900_000 }, (_, index) => index % 251));
    for (const folders of [[folder.path], []]) {
      for (const chunkBytes of [1_000, 100_000, 262_144, 400_000]) {
        await using spooled = await spool(inOneBuffer(source, chunkBytes), open(folders));
        assert.ok((await bytesOf(spooled.content)).equals(source), `${chunkBytes} bytes in a chunk`);
      }
    }
  });

  for (const { name, size, cap, truncated } of [
    { name: "one byte under the cap", size: 999, cap: 1_000, truncated: false },
    { name: "exactly the cap", size: 1_000, cap: 1_000, truncated: false },
    { name: "one byte over", size: 1_001, cap: 1_000, truncated: true },
    { name: "far over, in one chunk", size: 50_000, cap: 1_000, truncated: true },
  ]) {
    test(`of a source that is ${name} says whether it is complete`, async () => {
      await using folder = await makeTemporaryFolder();
      const source = Buffer.alloc(size, "x");
      await using spooled = await spool(splitChunks(source), open([folder.path], { capBytes: cap }));
      assert.equal(spooled.cutBy, truncated ? "size_limit" : null);
      assert.deepEqual(await bytesOf(spooled.content), source.subarray(0, cap));
      assert.equal(spooled.sizeBytes, Math.min(size, cap));
    });
  }

  test("stops reading an endless source at the cap", async () => {
    await using folder = await makeTemporaryFolder();
    let chunkCount = 0;
    async function* endless() {
      for (;;) {
        chunkCount++;
        yield Buffer.alloc(1_000);
      }
    }
    await using spooled = await spool(endless(), open([folder.path], { capBytes: 5_500 }));
    assert.equal(spooled.sizeBytes, 5_500);
    assert.equal(chunkCount, 6);
  });

  for (const { size, chunk, inFile } of [
    { size: 0, chunk: 1_000, inFile: false },
    { size: 256 * 1024 - 1, chunk: 1_000, inFile: false },
    { size: 256 * 1024, chunk: 1_000, inFile: true },
    { size: 900_000, chunk: 64 * 1024, inFile: true },
    { size: 900_000, chunk: 900_000, inFile: true },
  ]) {
    test(`of ${size} bytes in chunks of ${chunk} is ${inFile ? "a file" : "in memory"}`, async () => {
      await using folder = await makeTemporaryFolder();
      const source = Buffer.alloc(size, "0123456789");
      await using spooled = await spool(splitChunks(source, chunk), open([folder.path]));
      assert.equal("path" in spooled.content, inFile);
      assert.equal((await readdir(folder.path)).length, inFile ? 1 : 0);
      assert.ok(source.equals(await bytesOf(spooled.content)));
    });
  }

  test("uses the next folder when one cannot be written, and memory when none can", async () => {
    await using folder = await makeTemporaryFolder();
    const large = Buffer.alloc(300_000, "y");
    await using first = await spool(splitChunks(large), open([folder.path]));
    assert.ok("path" in first.content);
    await using second = await spool(splitChunks(large), open([join(first.content.path, "below"), folder.path]));
    assert.ok("path" in second.content && second.content.path.startsWith(folder.path));
    await using third = await spool(splitChunks(large), open([join(first.content.path, "below")]));
    assert.deepEqual(third.content, { bytes: large });
  });

  test("continues in memory when the disk is full, and loses nothing of a small body", async () => {
    await using folder = await makeTemporaryFolder();
    // Ten writes: chunks of this size are not combined.
    const source = Buffer.from("0123456789".repeat(300_000));
    const sha256 = createHash("sha256").update(source).digest("hex");
    for (const { at: position, stays } of positions(12).flatMap((at) => [
      { at, stays: false },
      { at, stays: true },
    ])) {
      const { files } = makeFaultyFiles({ at: position, code: "ENOSPC", stays });
      const spooled = await spool(
        splitChunks(source, 300_000),
        open([folder.path], { files, capBytes: source.length }),
      );
      assert.ok(source.equals(await bytesOf(spooled.content)));
      assert.equal(spooled.sha256, sha256);
      await spooled[Symbol.asyncDispose]();
    }
  });

  test("leaves no file behind when the source fails or is aborted", async () => {
    await using folder = await makeTemporaryFolder();
    async function* failing() {
      yield Buffer.alloc(300_000);
      throw new Error("the source broke");
    }
    await assert.rejects(spool(failing(), open([folder.path])), /the source broke/);
    const aborted = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(spool(splitChunks(Buffer.from("x")), open([folder.path], { signal: aborted })), /stopped/);
    assert.deepEqual(await readdir(folder.path), []);
  });
});
