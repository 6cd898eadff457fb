import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { streamBytes } from "../../acquire/chunks.ts";
import { openLocalCopies } from "./local-copies.ts";

async function openCopies(maxBytes: number, shared?: { readonly path: string }) {
  const folder =
    shared === undefined ? await makeTemporaryFolder() : { ...shared, [Symbol.asyncDispose]: async () => {} };
  const own = join(folder.path, "tmp");
  const copies = openLocalCopies({ folder: own, cacheFolder: join(folder.path, "cache"), maxBytes });
  let reads = 0;
  return {
    own,
    reads: () => reads,
    copies,
    async read(key: string, text = key): Promise<string> {
      await using file = await copies.take(key, async () => {
        reads++;
        return [Buffer.from(text)] as never;
      });
      return await readFile(file?.path ?? "", "utf8");
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

async function listCopies({ path }: { readonly path: string }) {
  const entries = await readdir(join(path, "cache"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile());
}

describe("local copies", () => {
  test("are read once, and leave no file of the reader behind", async () => {
    await using place = await openCopies(1_000);
    assert.deepEqual([await place.read("a"), await place.read("a"), place.reads()], ["a", "a", 1]);
    assert.deepEqual(await readdir(place.own), []);
    await place.copies.forget("a");
    await place.read("a");
    assert.equal(place.reads(), 2);
  });

  test("of what is small are given in memory, and kept when the reader has its bytes", async () => {
    await using place = await openCopies(1_000_000);
    const [small, large] = [Buffer.alloc(1_000, "s"), Buffer.alloc(300_000, "l")];
    for (const bytes of [small, large]) {
      const key = String(bytes.length);
      const chunks = async function* () {
        for (let start = 0; start < bytes.length; start += 100_000) yield bytes.subarray(start, start + 100_000);
      };
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      for (const read of [async () => chunks(), () => assert.fail("there is a copy")]) {
        await using opened = await place.copies.open(key, read);
        assert.ok(opened !== undefined);
        assert.equal("bytes" in opened.content, bytes === small);
        const { content } = opened;
        assert.ok(("bytes" in content ? Buffer.from(content.bytes) : await readFile(content.path)).equals(bytes));
        assert.equal(opened.sha256, sha256);
        await place.copies.close();
      }
      const kept = await place.copies.find(key);
      await writeFile(kept?.path ?? "", Buffer.alloc(bytes.length, "x"));
      await using healed = await place.copies.open(key, async () => chunks());
      assert.equal(healed?.sha256, sha256);
    }
    assert.equal(await place.copies.open("none", async () => undefined), undefined);
  });

  test("that cannot be written end the answer they were read from", async () => {
    await using place = await openCopies(1_000_000);
    await writeFile(place.own, "a file where the folder should be");
    let open = 0;
    const chunks = async function* () {
      open++;
      try {
        for (;;) yield Buffer.alloc(100_000);
      } finally {
        open--;
      }
    };
    await assert.rejects(
      place.copies.open("a", async () => chunks()),
      { code: "ENOTDIR" },
    );
    await assert.rejects(
      place.copies.take("a", () => assert.fail("nothing can be written")),
      { code: "ENOTDIR" },
    );
    assert.equal(open, 0);
  });

  test("that wait to be written are forgotten with their object", async () => {
    await using place = await openCopies(1_000);
    await place.copies.open("a", async () => streamBytes(Buffer.from("a")));
    await place.copies.forget("a");
    await place.copies.close();
    assert.equal(await place.copies.find("a"), undefined);
  });

  test("that are damaged are replaced", async () => {
    await using place = await openCopies(1_000);
    await place.read("a", "the bytes");
    await writeFile((await place.copies.find("a"))?.path ?? "", "THE BYTES");
    assert.equal(await place.read("a", "the bytes"), "the bytes");
    assert.equal(place.reads(), 2);
  });

  test("stay within their bytes, drop the least recently used, and keep none without room", async () => {
    await using place = await openCopies(10);
    for (const [index, key] of ["aaaa", "bbbb"].entries()) {
      await place.read(key);
      const kept = await place.copies.find(key);
      await utimes(kept?.path ?? "", index, index);
    }
    await place.read("aaaa"); // Used again, so that the other one is the oldest.
    await place.read("cccc");
    await place.copies.close(); // Old copies are deleted after the answer.
    const kept = await Promise.all(["aaaa", "bbbb", "cccc"].map((key) => place.copies.find(key)));
    assert.deepEqual(
      kept.map((each) => each !== undefined),
      [true, false, true],
    );
    await place.read("much more than fits");
    assert.equal(await place.copies.find("much more than fits"), undefined);
    await using none = await openCopies(0);
    await none.read("a");
    assert.equal(await none.copies.find("a"), undefined);
  });

  test("that are as many as may be are not counted again for every further one", async () => {
    await using folder = await makeTemporaryFolder();
    const [maxBytes, sizeBytes] = [16_000, 500];
    const place = await openCopies(maxBytes, folder);
    const counts: number[] = [];
    for (let index = 0; index < 60; index++) {
      await place.read(String(index).padEnd(sizeBytes, "x"));
      await place.copies.close();
      counts.push((await listCopies(folder)).length);
    }
    const deletions = counts.filter((count, index) => count <= (counts[index - 1] ?? 0));
    assert.ok(deletions.length > 0 && deletions.length <= 15, `old copies were deleted ${deletions.length} times`);
    assert.ok(Math.max(...counts) * sizeBytes <= maxBytes);
    assert.ok(Math.min(...deletions) * sizeBytes >= maxBytes * (15 / 16), "only as many as needed");
  });

  test("that are almost as large as all may be replace the others", async () => {
    await using place = await openCopies(100);
    await place.read("old", "o".repeat(20));
    await utimes((await place.copies.find("old"))?.path ?? "", 1, 1);
    await place.read("large", "l".repeat(98));
    const kept = await Promise.all(["old", "large"].map((key) => place.copies.find(key)));
    assert.deepEqual(
      kept.map((each) => each?.sizeBytes),
      [undefined, 98],
    );
  });

  test("of several processes stay within their bytes, but for a sixteenth for each process", async () => {
    await using folder = await makeTemporaryFolder();
    const maxBytes = 16_000;
    const places = await Promise.all([1, 2, 3].map(() => openCopies(maxBytes, folder)));
    for (let round = 0; round < 25; round++) {
      for (const [index, place] of places.entries()) {
        await place.read(`${index}-${round}`.padEnd(400, "x"));
        await place.copies.close();
      }
      const bytes = (await listCopies(folder)).length * 400;
      assert.ok(bytes <= maxBytes * (1 + places.length / 16), `${bytes} bytes in round ${round}`);
    }
  });
});
