import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import {
  makeMemorySpool,
  makeOrigin,
  makeTemporaryFolder,
  plainTextDetection,
  readArtifactBytes,
} from "../../test/bodies.ts";
import { memoryCatalogue } from "../catalogue/catalogue.ts";
import { defaultSettings } from "../config/settings.ts";
import { type ArtifactStore, openStore } from "./artifact-store.ts";
import { findCacheEntry } from "./cache-entries.ts";
import { diskObjects } from "./disk-objects.ts";
import type { Objects } from "./objects.ts";
import { openOldRecords } from "./old-records.ts";
import { findResponse } from "./responses.ts";
import { diskStorage } from "./storage.ts";
import { sweep } from "./sweeper.ts";

/** A store that version 0.1.0 has written: two runs, shared bytes, a removed artifact, a response, a cache entry. */
const fixture = join(import.meta.dirname, "..", "..", "test", "fixtures", "store-0.1.0");

const texts = new Map([
  ["af_e0d2ce3db7b153c150a921855881f5fd", "weir one\n"],
  ["af_44ff96f21d6a7a0e65f68fcc7d147aae", "weir two\n"],
  ["af_98ca84839f1ac43f01801a971bb08af1", "weir one\n"],
  ["af_43f7c0e82c2fdb1560edcc39cf5478fc", "weir three\n"],
  ["af_e46b4544ecdf88cf250fd7d8f93d647a", "weir four\n"],
]);
const removed = "af_b69dc5cd5b17b9b0738caf57a93c731e";
const [one = "", two = ""] = texts.keys();

const owner = { owner: "user-0", run: "later" };

async function copyOldStore() {
  const folder = await makeTemporaryFolder();
  const home = join(folder.path, "home");
  await cp(fixture, home, { recursive: true });
  return { home, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function assertComplete(store: ArtifactStore): Promise<void> {
  for (const [ref, text] of texts) assert.equal((await readArtifactBytes(store, ref)).toString(), text);
  assert.equal((await Array.fromAsync(store.list())).length, texts.size);
  assert.equal((await Array.fromAsync(store.list("first"))).length, 3);
  assert.equal((await Array.fromAsync(store.list("Second Run"))).length, 2);
  await assert.rejects(store.find(removed), /expired on 2026-11-15T.*removed by its owner/);
  assert.equal((await findResponse(store, "rs_6e5f8258295f4a6539f11cfc06504c68")).entries.length, 1);
  assert.ok(await findCacheEntry(store, "GET http://example.org/"));
}

const openOldStore = (home: string) => openStore(diskStorage(home), owner);

describe("a store of version 0.1.0", () => {
  test("is read where no catalogue can be created, and none of its files is touched", async () => {
    await using old = await copyOldStore();
    const listFiles = async () => (await readdir(old.home, { recursive: true })).sort();
    const [sha256 = ""] = (await readdir(join(old.home, "blobs"), { recursive: true })).filter(
      (name) => name.length > 60,
    );
    await mkdir(join(old.home, "trash"));
    await rename(join(old.home, "blobs", sha256), join(old.home, "trash", basename(sha256)));
    await symlink(join(old.home, "missing", "catalogue.db"), join(old.home, "catalogue.db"));
    const before = await listFiles();
    const store = openOldStore(old.home);
    await assertComplete(store);
    assert.deepEqual(await listFiles(), before);
    const kept = store.keep(makeMemorySpool("new"), plainTextDetection, makeOrigin("new"));
    await assert.rejects(kept, { code: "store_unavailable" });
    await assertComplete(store);
  });

  test("is imported at first use, without losing a ref, and its files are removed", async () => {
    await using old = await copyOldStore();
    const store = openOldStore(old.home);
    await assertComplete(store);
    const { created_at, run, size_bytes } = await store.find(one);
    assert.deepEqual([created_at.slice(0, 11), run, size_bytes], ["2026-11-15T", "first", 9]);
    assert.deepEqual({ ...(await store.totals()) }, { artifacts: 5, bytes: 39 });
    assert.deepEqual(await readdir(join(old.home, "owners", "user-0")), ["key"]);
    const report = await sweep(store, defaultSettings, { blobsMs: -1, leftoversMs: -1 });
    assert.deepEqual([report.swept.length, report.deletedBlobs], [0, 0]);
    await assertComplete(store);
    await store.catalogue.close();
  });

  test("is imported once by processes that start together", async () => {
    await using old = await copyOldStore();
    const stores = Array.from({ length: 4 }, () => openOldStore(old.home));
    await Promise.all(stores.map(assertComplete));
    for (const { catalogue } of stores) await catalogue.close();
  });

  test("loses nothing when the import is killed at any step", async () => {
    for (let steps = 0; ; steps++) {
      await using old = await copyOldStore();
      const { catalogue, ...storage } = diskStorage(old.home);
      await catalogue.run("SELECT 1");
      await cp(fixture, old.home, { recursive: true });
      const isFinished = await importWithKill(diskObjects(old.home), catalogue, steps);
      const store = openStore({ ...storage, catalogue }, owner);
      await storage.oldRecords?.importAll();
      await assertComplete(store);
      await catalogue.close();
      if (isFinished) return;
    }
  });

  /** Runs the import until it has called the objects this often; true if that was enough. */
  async function importWithKill(objects: Objects, catalogue: ArtifactStore["catalogue"], steps: number) {
    let calls = 0;
    const dying = new Proxy(objects, {
      get(target, name: keyof Objects) {
        const method = target[name];
        if (name !== "put" && name !== "move" && name !== "delete") return method;
        return (...args: never[]) => {
          if (calls++ >= steps) throw new Error("killed");
          return (method as (...all: never[]) => unknown)(...args);
        };
      },
    });
    return openOldRecords(dying, catalogue)
      .importAll()
      .then(
        () => true,
        () => false,
      );
  }

  test("gets no removed artifact back when a killed import had left its file", async () => {
    await using old = await copyOldStore();
    const record = join(old.home, "owners", "user-0", "records", `${two}.json`);
    const json = await readFile(record);
    const store = openOldStore(old.home);
    await store.find(two);
    const { deleteArtifact } = await import("./sweeper.ts");
    await cp(fixture, old.home, { recursive: true, preserveTimestamps: true });
    await deleteArtifact(store, two);
    await unlink(record);
    await writeFile(`${record}-`, json);
    await rename(`${record}-`, record);
    const { utimes } = await import("node:fs/promises");
    await utimes(record, new Date(0), new Date(1_000));
    await store.oldRecords?.importAll();
    await assert.rejects(store.find(two), /removed by its owner/);
    await store.catalogue.close();
  });

  test("finds what a program of version 0.1.0 has kept since, and stops that program's sweeper", async () => {
    await using old = await copyOldStore();
    const record = join(old.home, "owners", "user-0", "records", `${two}.json`);
    await rename(record, join(old.home, "aside"));
    const store = openOldStore(old.home);
    await assert.rejects(store.find(two), /No artifact/);
    await cp(fixture, old.home, { recursive: true });
    assert.equal((await readArtifactBytes(store, two)).toString(), "weir two\n");
    const guard = await readFile(join(old.home, "owners", "in.catalogue", "records", "see-catalogue.db.json"), "utf8");
    assert.throws(() => JSON.parse(guard), "an unreadable record makes it delete nothing");
    await store.catalogue.close();
  });

  test("lists a record that cannot be read as damaged, and deletes no bytes that may belong to it", async () => {
    await using old = await copyOldStore();
    await writeFile(join(old.home, "owners", "user-0", "records", `${two}.json`), "{ torn");
    const store = openOldStore(old.home);
    await assert.rejects(store.find(two), { code: "artifact_damaged" });
    const listed = await Array.fromAsync(store.list());
    assert.deepEqual(
      listed.flatMap((each) => ("record" in each ? [] : [each.ref])),
      [two],
    );
    const report = await sweep(store, defaultSettings, { blobsMs: -1, leftoversMs: -1 });
    assert.equal(report.deletedBlobs, 0);
    await store.catalogue.close();
  });

  test("has its orphaned bytes deleted", async () => {
    await using old = await copyOldStore();
    await unlink(join(old.home, "owners", "user-0", "records", `${two}.json`));
    const store = openOldStore(old.home);
    assert.equal((await Array.fromAsync(store.list())).length, 4);
    const report = await sweep(store, defaultSettings, { blobsMs: -1_000, leftoversMs: -1 });
    assert.equal(report.deletedBlobs, 1);
    await store.catalogue.close();
  });

  test("is read where nothing can be written, from memory", async () => {
    await using old = await copyOldStore();
    const objects = diskObjects(old.home);
    const catalogue = memoryCatalogue();
    await catalogue.run("SELECT 1");
    const readOnly = () => Promise.reject(Object.assign(new Error("read-only"), { code: "EROFS" }));
    const frozen = { ...objects, put: readOnly, delete: readOnly, move: readOnly };
    await openOldRecords(frozen, catalogue).importAll();
    await assertComplete(openStore({ objects: frozen, catalogue }, owner));
  });
});
