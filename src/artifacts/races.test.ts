/** Owners who keep, read and remove the same bytes over connections of their own, beside sweepers without grace. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { makeMemorySpool, makeOrigin, plainTextDetection, readArtifactBytes } from "../../test/bodies.ts";
import { soakCount } from "../../test/soak.ts";
import { makeSharedPlace } from "../../test/storage-places.ts";
import { isGarbage } from "../catalogue/blob-rows.ts";
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

async function keepReadRemove(store: ArtifactStore, text: string): Promise<void> {
  const { artifact_ref: ref } = await store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin(text));
  assert.equal((await readArtifactBytes(store, ref)).toString(), text);
  await deleteArtifact(store, ref);
  await assert.rejects(store.find(ref), { code: "artifact_expired" });
}
