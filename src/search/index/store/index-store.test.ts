import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { isLocked, takeLock } from "../../../system/lock.ts";
import { newFile, testIndexStore } from "./index-store.contract.ts";
import { openMemoryStore } from "./memory-index-store.ts";
import { openSqliteStore, releaseMemory } from "./sqlite-index-store.ts";

const folder = mkdtempSync(join(tmpdir(), "spillway-test-"));
after(() => rmSync(folder, { recursive: true }));
let count = 0;
const nextPath = () => join(folder, `${count++}.db`);

testIndexStore("memory", openMemoryStore);
testIndexStore("SQLite", () => openSqliteStore(nextPath()));

describe("a store in SQLite", () => {
  test("gives a reader whole changes, in snapshots", () => {
    const path = nextPath();
    using writer = openSqliteStore(path);
    using reader = openSqliteStore(path);
    writer.write({ put: [newFile("a.ts"), newFile("b.ts")] });
    const before = reader.snapshot();
    writer.write({ put: [newFile("c.ts")], remove: ["a.ts"] });
    assert.equal(before.fileIds.length, 2);
    assert.equal(reader.snapshot().generation, before.generation + 1);
    assert.deepEqual(
      reader.files().map((file) => file.path),
      ["b.ts", "c.ts"],
    );
  });

  test("lists the ids of all files in every snapshot, whichever process has written", () => {
    const path = fc.constantFrom("a.ts", "b.ts", "c.ts", "d.ts");
    const kind = fc.constantFrom("put", "remove", "skip", "fact", "fail", "look");
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, path, fc.nat(1)), { maxLength: 30 }), (steps) => {
        const file = nextPath();
        using one = openSqliteStore(file);
        using other = openSqliteStore(file);
        for (const [each, name, who] of steps) {
          const store = who === 0 ? one : other;
          if (each === "put") store.write({ put: [newFile(name)] });
          if (each === "remove") store.write({ remove: [name, "none"] });
          if (each === "skip") store.write({ skip: [{ path: name, stamp: "s", reason: "not text" }] });
          if (each === "fact") store.write({ facts: { name } });
          const broken = { ...newFile(name), hash: null as unknown as string };
          if (each === "fail") assert.throws(() => store.write({ remove: ["a.ts"], put: [newFile("e.ts"), broken] }));
          const ids = store.files().map(({ id }) => id);
          if (each === "look")
            assert.deepEqual(
              store.snapshot().fileIds,
              ids.sort((first, second) => first - second),
            );
        }
      }),
      { numRuns: 60 },
    );
  });

  test("lists the ids of all files after another process and then this one have written", () => {
    const path = nextPath();
    using one = openSqliteStore(path);
    using other = openSqliteStore(path);
    one.write({ put: [newFile("a.ts")] });
    assert.equal(one.snapshot().fileIds.length, 1);
    other.write({ put: [newFile("b.ts")] });
    one.write({ put: [newFile("c.ts")] });
    assert.deepEqual(
      one.snapshot().fileIds,
      one.files().map(({ id }) => id),
    );
    assert.equal(one.fileCount(), 3);
  });

  test("gives back the memory of texts that were read, without waiting for the garbage collector", () => {
    using store = openSqliteStore(nextPath());
    const texts = [200, 20_000].map((lines) => Array.from({ length: lines }, (_, line) => `${line}`).join("\n"));
    store.write({ put: texts.map((text, index) => newFile(`${index}.ts`, text)) });
    const ids = store.files().map(({ id }) => id);
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 300; round++) for (const id of ids) assert.ok(store.text(id) !== undefined);
    const growth = process.memoryUsage().arrayBuffers - before;
    assert.ok(growth < 5_000_000, `${growth} bytes`);
    assert.deepEqual(
      ids.map((id) => store.text(id)?.text),
      texts,
    );
  });

  test("gives back the memory of a buffer only if no other one uses it", () => {
    const [own, whole, pooled] = [new Uint8Array(10), Uint8Array.of(1, 2, 3, 4), Buffer.from("in the pool")];
    for (const buffer of [own, whole.subarray(0, 2), pooled]) releaseMemory(buffer, buffer.byteLength);
    assert.deepEqual([own.length, [...whole], pooled.toString()], [0, [1, 2, 3, 4], "in the pool"]);
  });

  test("rolls back a change that fails halfway", () => {
    using store = openSqliteStore(nextPath());
    const broken = { ...newFile("b.ts"), hash: null as unknown as string };
    assert.throws(() => store.write({ put: [newFile("a.ts"), broken] }));
    assert.deepEqual([store.fileCount(), store.generation()], [0, 0]);
  });
});

describe("the writer's lock", () => {
  test("is held by one owner, and free again when it is released", () => {
    const path = nextPath();
    {
      using lock = takeLock(path);
      assert.ok(lock !== null);
      assert.equal(takeLock(path), null);
      assert.equal(isLocked(path), true);
    }
    assert.equal(isLocked(path), false);
  });
});
