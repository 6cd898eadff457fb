/** Owners who keep, read and remove the same bytes over connections of their own, beside sweepers without grace. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { makeMemorySpool, makeOrigin, plainTextDetection, readArtifactBytes } from "../../test/bodies.ts";
import { soakCount } from "../../test/soak.ts";
import { makeSharedPlace } from "../../test/storage-places.ts";
import { isGarbage } from "../catalogue/blob-rows.ts";
import type { Sql } from "../catalogue/sql.ts";
import { defaultSettings } from "../config/settings.ts";
import { type ArtifactStore, openStore } from "./artifact-store.ts";
import { deleteArtifact, sweep } from "./sweeper.ts";

const BODIES = 5;
const NO_GRACE = { blobsMs: -1, leftoversMs: 3_600_000 };

test("an acknowledged ref is readable at once, whatever other owners remove and sweepers delete", async () => {
  await using place = await makeSharedPlace();
  const rounds = soakCount({ sample: 12, full: 1_000 });
  const owners = ["ann", "ben", "eve"];
  const stores = [...owners, "sweeper-1", "sweeper-2"].map((owner) => openStore(place.open(), { owner, run: "race" }));
  let working = owners.length;

  async function work(store: ArtifactStore): Promise<void> {
    try {
      for (let round = 0; round < rounds; round++) await keepReadRemove(store, `body ${round % BODIES}`);
    } finally {
      working--;
    }
  }

  async function sweepMeanwhile(store: ArtifactStore): Promise<void> {
    while (working > 0) {
      await sweep(store, defaultSettings, NO_GRACE);
      await wait(randomInt(20)); // Without grace and without a pause, no keeper would ever be faster.
    }
  }

  await Promise.all(stores.map((store, index) => (index < owners.length ? work(store) : sweepMeanwhile(store))));
  const { objects, catalogue } = place.open();
  // Objects whose place another one took stay for readers; every other one is gone.
  for await (const { key } of objects.list("blobs/")) assert.ok(await isGarbage(catalogue, key), key);
  for (const open of [catalogue, ...stores.map((store) => store.catalogue)]) await open.close();
});

test("bytes that are swept after they were found, and before their rows, are written again", async () => {
  await using place = await makeSharedPlace();
  const storage = place.open();
  const other = openStore(place.open(), { owner: "ann", run: "other" });
  const { artifact_ref: ref } = await other.keep(makeMemorySpool("text"), plainTextDetection, makeOrigin("first"));
  let batches = 0;
  const transact: Sql["transact"] = async (work, options) => {
    if (options?.isOneBatch && batches++ === 0) {
      await deleteArtifact(other, ref);
      await sweep(other, defaultSettings, NO_GRACE);
    }
    return storage.catalogue.transact(work, options);
  };
  const store = openStore({ ...storage, catalogue: { ...storage.catalogue, transact } }, { owner: "ann", run: "race" });
  const kept = await store.keep(makeMemorySpool("text"), plainTextDetection, makeOrigin("second"));
  assert.equal((await readArtifactBytes(store, kept.artifact_ref)).toString(), "text");
  assert.equal(batches, 2, "the first one found its bytes swept");
  for (const { catalogue } of [store, other]) await catalogue.close();
});

async function keepReadRemove(store: ArtifactStore, text: string): Promise<void> {
  const { artifact_ref: ref } = await store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin(text));
  assert.equal((await readArtifactBytes(store, ref)).toString(), text);
  await deleteArtifact(store, ref);
  await assert.rejects(store.find(ref), { code: "artifact_expired" });
}
