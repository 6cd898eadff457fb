import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { diskStorage, memoryStorage } from "../../../artifacts/storage.ts";
import { segmentStoreContract } from "./segment-store.contract.ts";
import { openSegmentStore } from "./segment-store.ts";

segmentStoreContract("memory", async () => ({ ...memoryStorage(), [Symbol.asyncDispose]: async () => undefined }));

segmentStoreContract("files", async () => {
  const folder = await makeTemporaryFolder();
  const storage = diskStorage(join(folder.path, "home"));
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage.catalogue.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});

test("something in the place of a segment's file counts as damage, and is removed", async () => {
  await using folder = await makeTemporaryFolder();
  const storage = diskStorage(join(folder.path, "home"));
  const segments = openSegmentStore(storage, "segments/ann/shop/web/", Date.now);
  const path = join(folder.path, "home", "segments", "ann", "shop", "web", "name");
  const places = [
    () => mkdirSync(join(path, "deep"), { recursive: true }),
    () => writeFileSync(path, "too short"),
    () => {
      writeFileSync(path, "not ours");
      chmodSync(path, 0);
    },
  ];
  for (const read of [segments.open, segments.outline]) {
    for (const place of places) {
      place();
      assert.equal(await read("name"), null);
      assert.deepEqual([segments.isMissing("name"), existsSync(path)], [true, false]);
      rmSync(path, { recursive: true, force: true });
    }
  }
  await storage.catalogue.close();
});
