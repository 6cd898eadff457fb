import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  makeMemorySpool,
  makeOrigin,
  makeTemporaryFolder,
  plainTextDetection,
  readArtifactBytes,
} from "../../test/bodies.ts";
import { type Fault, makeFaultyFiles } from "../../test/faults.ts";
import { soakCount } from "../../test/soak.ts";
import { defaultSettings } from "../config/settings.ts";
import { SpillwayError } from "../errors.ts";
import { openStore } from "./artifact-store.ts";
import { diskObjects } from "./disk-objects.ts";
import { sweep } from "./sweeper.ts";

const alice = { owner: "alice", run: "r1" };

async function bytesOf(root: string, ref: string): Promise<string> {
  return (await readArtifactBytes(openStore(diskObjects(root), alice), ref)).toString();
}

/** How many modifying file system calls one keep makes when nothing fails. */
async function countCalls(again: boolean): Promise<number> {
  await using folder = await makeTemporaryFolder();
  const { files, calls } = makeFaultyFiles();
  const store = openStore(diskObjects(folder.path, files), alice);
  await store.keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"));
  const first = calls.length;
  if (!again) return first;
  await store.keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"));
  return calls.length - first;
}

test("bytes and record are synced, and their folders after them, before the ref is returned", async () => {
  await using folder = await makeTemporaryFolder();
  const { files, calls } = makeFaultyFiles();
  const store = openStore(diskObjects(folder.path, files), alice);
  await store.keep(makeMemorySpool("first, so that folders are there"), plainTextDetection, makeOrigin("first"));
  calls.length = 0;
  await store.keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"));
  const durable = calls.filter((name) => ["write", "sync", "link", "rename"].includes(name));
  const blob = ["write", "sync", "rename", "sync"];
  const record = ["write", "sync", "rename", "sync"];
  // A new folder is synced into its parent too.
  const steps = durable.filter((name, i) => !(name === "sync" && durable[i - 1] === "sync"));
  assert.deepEqual(steps, [...blob, ...record]);
});

describe("a fault at any write call", () => {
  for (const again of [false, true]) {
    // In a sample two kinds of fault fail the odd calls and two the even ones.
    const step = soakCount({ sample: 2, full: 1 });
    for (const { code, stays, first } of [
      { code: "ENOSPC", stays: false, first: 1 },
      { code: "ENOSPC", stays: true, first: step },
      { code: "EIO", stays: false, first: step },
      { code: "EROFS", stays: true, first: 1 },
    ] as const) {
      const what = `${code} ${stays ? "from then on" : "once"}, ${again ? "kept before" : "new"}`;
      test(`never acknowledges what is not there (${what})`, async () => {
        const calls = await countCalls(again);
        assert.ok(calls >= (again ? 2 : 10), `only ${calls} calls`);
        let failures = 0;
        for (let at = first; at <= calls; at += step)
          failures += (await keepWithFault({ at, code, stays }, again)) ? 1 : 0;
        assert.ok(failures > 0, "no fault was ever seen");
      });
    }
  }

  /** True if keeping failed. It must then report the failure, damage nothing, and work once the fault is gone. */
  async function keepWithFault(fault: Fault, again: boolean): Promise<boolean> {
    await using folder = await makeTemporaryFolder();
    const sound = openStore(diskObjects(folder.path), alice);
    const other = await sound.keep(makeMemorySpool("other"), plainTextDetection, makeOrigin("other"));
    if (again) await sound.keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"));
    const store = openStore(diskObjects(folder.path, makeFaultyFiles(fault).files), alice);
    const outcome = await store
      .keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"))
      .catch((error: unknown) => error);
    assert.equal(await bytesOf(folder.path, other.artifact_ref), "other");
    if (!(outcome instanceof Error)) {
      assert.equal(await bytesOf(folder.path, (outcome as typeof other).artifact_ref), "body");
      return false;
    }
    assert.ok(outcome instanceof SpillwayError && outcome.code === "store_unavailable", String(outcome));
    const retried = await sound.keep(makeMemorySpool("body"), plainTextDetection, makeOrigin("a"));
    assert.equal(await bytesOf(folder.path, retried.artifact_ref), "body");
    return true;
  }

  test("never loses an artifact while sweeping", async () => {
    for (let at = 1; at <= 40; at += soakCount({ sample: 2, full: 1 })) {
      await using folder = await makeTemporaryFolder();
      const sound = openStore(diskObjects(folder.path), alice);
      const kept = await sound.keep(makeMemorySpool("kept"), plainTextDetection, makeOrigin("kept"));
      await diskObjects(folder.path).put("blobs/00/orphan", Buffer.from("orphan"));
      const { files } = makeFaultyFiles({ at, code: "EIO", stays: false });
      const store = openStore(diskObjects(folder.path, files), { owner: "alice", run: "sweeper" });
      await sweep(store, defaultSettings, { blobsMs: -1_000, leftoversMs: -1_000 }).catch((error: unknown) =>
        assert.match(String(error), /injected/),
      );
      assert.equal(await bytesOf(folder.path, kept.artifact_ref), "kept");
    }
  });
});
