import assert from "node:assert/strict";
import { appendFile, cp, readdir, rm, stat, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  makeMemorySpool,
  makeOrigin,
  makeTemporaryFolder,
  plainTextDetection,
  readArtifactBytes,
} from "../../../test/bodies.ts";
import { defaultSettings } from "../../config/settings.ts";
import { type ArtifactStore, openStore } from "../artifact-store.ts";
import { listSnapshots, takeDailySnapshot } from "../backup/snapshots.ts";
import { diskStorage } from "../storage.ts";
import { deleteArtifact, sweep } from "../sweeper.ts";
import { checkStore } from "./check-store.ts";
import { releaseOrphans, repairBlobs, restoreCatalogue } from "./repair-store.ts";

const DAY_MS = 24 * 3_600_000;
const { signal } = new AbortController();

async function openHome() {
  const temporary = await makeTemporaryFolder();
  const home = join(temporary.path, "home");
  const stores: ArtifactStore[] = [];
  const open = (now?: () => number): ArtifactStore => {
    const store = openStore(diskStorage(home), { owner: "ann", run: "first", ...(now && { now }) });
    stores.push(store);
    return store;
  };
  return {
    home,
    catalogue: join(home, "catalogue.db"),
    open,
    async [Symbol.asyncDispose]() {
      for (const { catalogue } of stores) await catalogue.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

const keep = async (store: ArtifactStore, text: string): Promise<string> =>
  (await store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin(`${text}.txt`))).artifact_ref;

const check = (store: ArtifactStore, deep = false) => checkStore(store, { deep, signal });

const restore = (store: ArtifactStore, home: string) => restoreCatalogue({ ...store, folder: home }, store.now());

async function assertReadable(store: ArtifactStore, texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [ref, text] of texts) assert.equal((await readArtifactBytes(store, ref)).toString(), text);
}

describe("a store without faults", () => {
  test("is found to be sound, also by its hashes", async () => {
    await using home = await openHome();
    const store = home.open();
    await keep(store, "one");
    await keep(store, "two");
    const progress: number[] = [];
    const found = await checkStore(store, { deep: true, signal, progress: (checked) => progress.push(checked) });
    assert.deepEqual(found, { damage: [], blobs: 2, problems: [], segments: 0, damagedSegments: [], orphans: 0 });
    assert.deepEqual(progress, [1, 2]);
  });
});

describe("damaged bytes", () => {
  test("are found: missing and cut ones always, altered ones by their hashes", async () => {
    await using home = await openHome();
    const store = home.open();
    const refs = [await keep(store, "missing"), await keep(store, "shorter"), await keep(store, "altered")];
    const [missing = "", shorter = "", altered = ""] = await Promise.all(
      refs.map(async (ref) => (await store.find(ref)).path ?? ""),
    );
    await unlink(missing);
    await truncate(shorter, 2);
    await writeFile(altered, "ALTERED");
    const problems = async (deep: boolean) =>
      (await check(store, deep)).problems.map(({ problem, refs: [ref = ""] }) => [refs.indexOf(ref), problem]).sort();
    assert.deepEqual(await problems(false), [
      [0, "missing"],
      [1, "altered"],
    ]);
    assert.deepEqual(await problems(true), [
      [0, "missing"],
      [1, "altered"],
      [2, "altered"],
    ]);
  });

  test("are replaced by another object with the same bytes", async () => {
    await using home = await openHome();
    const store = home.open();
    const ref = await keep(store, "one");
    const path = (await store.find(ref)).path ?? "";
    await cp(path, `${path}0`);
    await unlink(path);
    assert.equal(await repairBlobs(store, (await check(store)).problems), 1);
    await assertReadable(store, new Map([[ref, "one"]]));
    assert.deepEqual((await check(store, true)).problems, []);
  });
});

describe("objects without a row", () => {
  test("are counted, released and deleted by a sweep after their time", async () => {
    await using home = await openHome();
    let now = Date.now();
    const store = home.open(() => now);
    const ref = await keep(store, "one");
    const orphan = `${(await store.find(ref)).path}0`;
    await writeFile(orphan, "one");
    assert.equal((await check(store)).orphans, 1);
    assert.equal(await releaseOrphans(store, now + 14 * DAY_MS, signal), 1);
    assert.equal((await check(store)).orphans, 0);
    now += 13 * DAY_MS;
    await sweep(store, defaultSettings);
    assert.ok(await stat(orphan));
    now += 2 * DAY_MS;
    await store.find(ref);
    await sweep(store, defaultSettings);
    await assert.rejects(stat(orphan), { code: "ENOENT" });
    await assertReadable(store, new Map([[ref, "one"]]));
  });
});

describe("a lost catalogue", () => {
  test("is found, and rebuilt from the journal before the first snapshot", async () => {
    await using home = await openHome();
    const store = home.open();
    const texts = new Map([
      [await keep(store, "one"), "one"],
      [await keep(store, "two"), "two"],
    ]);
    const removed = await keep(store, "three");
    await deleteArtifact(store, removed);
    await store.catalogue.close();
    for (const suffix of ["", "-wal", "-shm"]) await rm(`${home.catalogue}${suffix}`, { force: true });

    const later = home.open();
    const four = await keep(later, "four");
    assert.match((await check(later)).damage.join(), /was lost/);
    const { snapshot, recovered, lost } = await restore(later, home.home);
    assert.deepEqual([snapshot, recovered, lost], [null, 3, 0]);
    await assertReadable(later, new Map([...texts, [four, "four"]]));
    await assert.rejects(later.find(removed), { code: "artifact_not_found" });
    assert.deepEqual(await check(later, true), {
      damage: [],
      blobs: 3,
      problems: [],
      segments: 0,
      damagedSegments: [],
      orphans: 0,
    });
    assert.equal(await keep(later, "one"), [...texts.keys()][0], "the owner's key makes the same refs");
  });

  test("says how many artifacts have lost their bytes too, and skips lines that were cut short", async () => {
    await using home = await openHome();
    const store = home.open();
    const [one, two] = [await keep(store, "one"), await keep(store, "two")];
    await unlink((await store.find(two)).path ?? "");
    const [journal = ""] = await readdir(join(home.home, "journal"));
    await appendFile(join(home.home, "journal", journal), '{"kept":{"owner":"ann","ref":"af_');
    await writeFile(home.catalogue, "not a database, but longer than a header would be".repeat(100));
    assert.deepEqual((await restore(store, home.home)).recovered, 1);
    await assertReadable(store, new Map([[one, "one"]]));
    await assert.rejects(store.find(two), { code: "artifact_not_found" });
  });
});

describe("a damaged catalogue", () => {
  test("is rebuilt from its newest sound snapshot and the journal, and the old one is set aside", async () => {
    await using home = await openHome();
    const store = home.open();
    const texts = new Map([[await keep(store, "before"), "before"]]);
    const expired = await keep(store, "removed after the snapshot");
    assert.match((await takeDailySnapshot(store, store.now())) ?? "", /^catalogue-\d{8}t\d{6}\.db$/);
    texts.set(await keep(store, "after"), "after");
    await deleteArtifact(store, expired);
    await store.catalogue.close();
    await writeFile(join(home.home, "snapshots", "catalogue-29991231t000000.db"), "garbage");
    await writeFile(home.catalogue, Buffer.alloc(8_192, 7));

    const later = home.open();
    assert.match((await check(later)).damage.join(), /not a database/);
    const { snapshot, recovered, asidePath } = await restore(later, home.home);
    assert.match(snapshot ?? "", /^catalogue-2/);
    assert.notEqual(snapshot, "catalogue-29991231t000000.db");
    assert.equal(recovered, 1);
    assert.deepEqual((await readdir(asidePath)).includes("catalogue.db"), true);
    await assertReadable(later, texts);
    assert.deepEqual((await check(later)).damage, []);
  });
});

describe("snapshots", () => {
  test("are taken once a day, and the last three are kept", async () => {
    await using home = await openHome();
    let now = Date.now();
    const store = home.open(() => now);
    await keep(store, "one");
    assert.ok(await takeDailySnapshot(store, now));
    assert.equal(await takeDailySnapshot(store, now), null);
    for (let day = 1; day <= 4; day++) {
      const [newest = ""] = await listSnapshots(home.home);
      await utimes(newest, (now - DAY_MS) / 1_000, (now - DAY_MS) / 1_000);
      now += 1_000;
      assert.ok(await takeDailySnapshot(store, now), `day ${day}`);
    }
    assert.equal((await readdir(join(home.home, "snapshots"))).length, 3);
  });

  test("are not taken of a catalogue that took the place of a lost one", async () => {
    await using home = await openHome();
    const store = home.open();
    await keep(store, "one");
    await takeDailySnapshot(store, store.now());
    const [snapshot = ""] = await listSnapshots(home.home);
    await utimes(snapshot, 0, 0);
    await store.catalogue.close();
    await rm(home.catalogue);
    const later = home.open();
    await keep(later, "two");
    assert.equal(await takeDailySnapshot(later, later.now()), null);
    assert.deepEqual(await listSnapshots(home.home), [snapshot]);
  });
});
