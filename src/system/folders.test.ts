import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { makeFolders, makeFoldersSync } from "./folders.ts";

describe("making folders", () => {
  test("makes what is missing, private, and says what is new", async () => {
    await using folder = await makeTemporaryFolder();
    const deep = join(folder.path, "a", "b", "c");
    assert.deepEqual(await makeFolders(deep), [deep, join(folder.path, "a", "b"), join(folder.path, "a")]);
    assert.equal((await stat(deep)).mode & 0o777, 0o700);
    assert.deepEqual(await makeFolders(deep), []);
  });

  test("fails below a file", async () => {
    await using folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "file"), "");
    await assert.rejects(makeFolders(join(folder.path, "file", "below", "it")), /ENOTDIR/);
  });

  test("fails at once where no folder can be made", {
    skip: process.platform !== "linux",
  }, async () => {
    await assert.rejects(makeFolders("/proc/spillway/below"), /ENOENT/);
    assert.throws(() => makeFoldersSync("/proc/spillway/below"), /ENOENT/);
  });

  test("without a turn of the event loop makes all levels, and leaves what is there", async () => {
    await using folder = await makeTemporaryFolder();
    const deep = join(folder.path, "a", "b", "c");
    makeFoldersSync(deep);
    makeFoldersSync(deep);
    assert.equal((await stat(deep)).mode & 0o777, 0o700);
    await writeFile(join(folder.path, "file"), "");
    assert.throws(() => makeFoldersSync(join(folder.path, "file", "below")), /ENOTDIR/);
  });

  test("many at once all succeed", async () => {
    await using folder = await makeTemporaryFolder();
    const deep = join(folder.path, "x", "y", "z");
    await Promise.all(Array.from({ length: 30 }, () => makeFolders(deep)));
    assert.ok((await stat(deep)).isDirectory());
  });
});
