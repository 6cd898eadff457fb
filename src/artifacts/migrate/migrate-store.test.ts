import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { makeMemorySpool, makeOrigin, plainTextDetection, readArtifactBytes } from "../../../test/bodies.ts";
import { openStore } from "../artifact-store.ts";
import { ownerKeys } from "../keys.ts";
import { readObject } from "../objects.ts";
import { memoryStorage, type Storage } from "../storage.ts";
import { migrateStore } from "./migrate-store.ts";

const options = { signal: new AbortController().signal, now: Date.now };

const keep = (storage: Storage, owner: string, text: string, run = "r") =>
  openStore(storage, { owner, run }).keep(makeMemorySpool(text), plainTextDetection, makeOrigin(`${text}.txt`));

describe("a migration", () => {
  test("counts again what each owner and each run has", async () => {
    const [from, to] = [memoryStorage(), memoryStorage()];
    const refs = new Map<string, string>();
    for (const owner of ["ann", "ben"]) {
      for (const [run, text] of [
        ["r1", "one"],
        ["r1", "two"],
        ["r2", "two"],
      ] as const) {
        refs.set(`${owner} ${text}`, (await keep(from, owner, text, run)).artifact_ref);
      }
    }
    await migrateStore(from, to, options);
    for (const owner of ["ann", "ben"]) {
      const store = openStore(to, { owner, run: "check" });
      assert.deepEqual({ ...(await store.totals()) }, { artifacts: 2, bytes: 6 });
      assert.deepEqual([await store.count("r1"), await store.count("r2")], [2, 1]);
      assert.equal((await readArtifactBytes(store, refs.get(`${owner} one`) ?? "")).toString(), "one");
    }
  });

  test("takes no SQL from the names of columns of the old store", async () => {
    const [from, to] = [memoryStorage(), memoryStorage()];
    await keep(from, "ann", "one");
    await from.catalogue.run('ALTER TABLE artifacts ADD COLUMN "ref) SELECT * FROM owners; --" TEXT');
    assert.equal((await migrateStore(from, to, options)).rows.artifacts, 1);
  });

  test("writes no object but those of the bytes that rows name", async () => {
    const [from, to] = [memoryStorage(), memoryStorage()];
    await keep(from, "ann", "one");
    const { secret } = ownerKeys("ben");
    const planted = Buffer.from("a key that somebody else knows!!");
    await from.objects.put(secret, planted);
    const sha256 = createHash("sha256").update(planted).digest("hex");
    await from.catalogue.run(
      "INSERT INTO blobs (sha256, object_key, size_bytes, kept_at) VALUES (?, ?, ?, 0)",
      sha256,
      secret,
      planted.length,
    );
    await keep(to, "ben", "two");
    const before = await readObject(to.objects, secret);
    const { blobs, damagedBlobs } = await migrateStore(from, to, options);
    assert.deepEqual([blobs, damagedBlobs], [1, 1]);
    assert.deepEqual(await readObject(to.objects, secret), before);
  });
});
