/** The contract of `Objects` as a test suite; every backend runs it. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Objects, readObject } from "./objects.ts";

export function objectsContract(name: string, open: () => Promise<{ objects: Objects } & AsyncDisposable>): void {
  const bytes = (text: string) => Buffer.from(text);
  const text = async (objects: Objects, key: string) => (await readObject(objects, key))?.toString();
  const keys = async (objects: Objects, prefix: string) =>
    (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);

  describe(`${name} objects`, () => {
    const promise = (sentence: string, check: (objects: Objects) => Promise<void>) =>
      test(sentence, async () => {
        await using backend = await open();
        await check(backend.objects);
      });

    promise("give back the bytes that were put", async (objects) => {
      assert.equal(await objects.put("a/b.json", bytes("hello")), "written");
      assert.equal(await text(objects, "a/b.json"), "hello");
      assert.equal((await objects.head("a/b.json"))?.sizeBytes, 5);
      assert.equal(await objects.put("a/new", bytes("world"), { isNewKey: true }), "written");
      assert.equal(await text(objects, "a/new"), "world");
    });

    promise("take the bytes of a file and leave the file as it was", async (objects) => {
      const folder = await mkdtemp(join(tmpdir(), "spillway-contract-"));
      await writeFile(join(folder, "source"), "from a file");
      assert.equal(await objects.put("blob", { path: join(folder, "source") }, { ifAbsent: true }), "written");
      assert.equal(await readFile(join(folder, "source"), "utf8"), "from a file");
      await rm(folder, { recursive: true });
      assert.equal(await text(objects, "blob"), "from a file");
    });

    promise("overwrite by default and keep the first with ifAbsent", async (objects) => {
      await objects.put("k", bytes("one"));
      assert.equal(await objects.put("k", bytes("two"), { ifAbsent: true }), "exists");
      assert.equal(await text(objects, "k"), "one");
      assert.equal(await objects.put("k", bytes("three")), "written");
      assert.equal(await text(objects, "k"), "three");
    });

    promise("give back the last bytes of a key that names their length", async (objects) => {
      for (const written of ["one", "two"]) {
        assert.equal(await objects.put("x/k-3", bytes(written), { isLengthInKey: true, durable: false }), "written");
        assert.equal(await text(objects, "x/k-3"), written);
      }
      const writers = Array.from({ length: 20 }, () => objects.put("x/k-5", bytes("equal"), { isLengthInKey: true }));
      assert.deepEqual(new Set(await Promise.all(writers)), new Set(["written"]));
      assert.equal(await text(objects, "x/k-5"), "equal");
    });

    promise("let exactly one of many writers with ifAbsent win", async (objects) => {
      const writers = Array.from({ length: 20 }, (_, i) => objects.put("k", bytes(`w${i}`), { ifAbsent: true }));
      const results = await Promise.all(writers);
      assert.equal(results.filter((result) => result === "written").length, 1);
      assert.equal(await text(objects, "k"), `w${results.indexOf("written")}`);
    });

    promise("read a range, cut at the end", async (objects) => {
      await objects.put("k", bytes("0123456789"));
      const range = async (start: number, end: number) =>
        Buffer.concat(await Array.fromAsync((await objects.get("k", { start, end })) ?? [])).toString();
      assert.equal(await range(2, 5), "234");
      assert.equal(await range(8, 50), "89");
      assert.equal(await range(50, 60), "");
    });

    promise("say what is not there", async (objects) => {
      assert.equal(await objects.get("none"), undefined);
      assert.equal(await objects.head("none"), undefined);
      assert.equal(await objects.local("none"), undefined);
      assert.equal(await objects.move("none", "other"), false);
      await objects.delete("none");
    });

    promise("list in key order what begins with a prefix, inside a folder too", async (objects) => {
      for (const key of ["b/2", "a.json", "b/10", "b/1/x", "bb/1"]) await objects.put(key, bytes(key));
      assert.deepEqual(await keys(objects, ""), ["a.json", "b/1/x", "b/10", "b/2", "bb/1"]);
      assert.deepEqual(await keys(objects, "b/"), ["b/1/x", "b/10", "b/2"]);
      assert.deepEqual(await keys(objects, "b"), ["b/1/x", "b/10", "b/2", "bb/1"]);
      assert.deepEqual(await keys(objects, "b/1"), ["b/1/x", "b/10"]);
      assert.deepEqual(await keys(objects, "none/"), []);
      assert.deepEqual(await keys(objects, "b/none/at.all"), []);
    });

    promise("name the folders below a prefix", async (objects) => {
      for (const key of ["o/b/2", "o/a/1/x", "o/c", "p/d/1"]) await objects.put(key, bytes(key));
      assert.deepEqual((await Array.fromAsync(objects.folders("o/"))).sort(), ["a", "b"]);
      assert.deepEqual(await Array.fromAsync(objects.folders("none/")), []);
    });

    promise("know when an object was written", async (objects) => {
      await objects.put("k", bytes("x"));
      const { touchedAt = 0 } = (await objects.head("k")) ?? {};
      // The clock of a service may differ from ours.
      assert.ok(Math.abs(Date.now() - touchedAt) < 24 * 3_600_000, String(touchedAt));
      assert.equal((await Array.fromAsync(objects.list("k")))[0]?.touchedAt, touchedAt);
    });

    promise("stamp an object differently when it was put again", async (objects) => {
      await objects.put("k", bytes("one"));
      const first = (await objects.head("k"))?.stamp;
      assert.equal((await objects.head("k"))?.stamp, first);
      await objects.put("k", bytes("two"));
      assert.notEqual((await objects.head("k"))?.stamp, first);
    });

    promise("move to a free key only", async (objects) => {
      await objects.put("a", bytes("a"));
      await objects.put("b", bytes("b"));
      assert.equal(await objects.move("a", "b"), false);
      assert.equal(await objects.move("a", "deep/er/c"), true);
      assert.equal(await text(objects, "a"), undefined);
      assert.equal(await text(objects, "b"), "b");
      assert.equal(await text(objects, "deep/er/c"), "a");
    });

    promise("delete, and put again in the folder that emptied", async (objects) => {
      await objects.put("x/y/z", bytes("1"));
      await objects.delete("x/y/z");
      assert.equal(await text(objects, "x/y/z"), undefined);
      await objects.put("x/y/z", bytes("2"));
      assert.equal(await text(objects, "x/y/z"), "2");
    });

    promise("provide a local file until it is disposed", async (objects) => {
      await objects.put("k", bytes("local"));
      await using file = await objects.local("k");
      assert.equal(await readFile(file?.path ?? "", "utf8"), "local");
    });

    promise("refuse a key that is not one", async (objects) => {
      for (const key of ["../x", "a/../b", "/etc/passwd", "A", "a//b", "", "a\0b", "a/*"]) {
        await assert.rejects(() => objects.put(key, bytes("x")), TypeError, key);
      }
    });

    promise("keep an empty object", async (objects) => {
      await objects.put("empty", bytes(""));
      assert.equal(await text(objects, "empty"), "");
    });
  });
}
