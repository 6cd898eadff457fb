import assert from "node:assert/strict";
import * as fileSystem from "node:fs";
import * as promises from "node:fs/promises";
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { diskObjects } from "./disk-objects.ts";
import { memoryObjects } from "./memory-objects.ts";
import { objectsContract } from "./objects.contract.ts";
import { readObject } from "./objects.ts";

objectsContract("disk", async () => {
  const root = await mkdtemp(join(tmpdir(), "spillway-objects-"));
  return {
    objects: diskObjects(join(root, "store")),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
});

objectsContract("memory", async () => ({
  objects: memoryObjects(),
  [Symbol.asyncDispose]: async () => undefined,
}));

test("disk objects leave alone what is not named like one of them", async () => {
  const root = await mkdtemp(join(tmpdir(), "spillway-objects-"));
  try {
    const objects = diskObjects(root);
    await objects.put("a/b", Buffer.from("x"));
    await writeFile(join(root, "a", "Not A Key"), "");
    await mkdir(join(root, "UPPER"));
    assert.deepEqual(
      (await Array.fromAsync(objects.list(""))).map(({ key }) => key),
      ["a/b"],
    );
  } finally {
    await rm(root, { recursive: true });
  }
});

test("disk objects are private files in private folders and leave no temporary file", async () => {
  const root = await mkdtemp(join(tmpdir(), "spillway-objects-"));
  try {
    await diskObjects(join(root, "store")).put("a/b", Buffer.from("x"));
    assert.equal((await stat(join(root, "store", "a", "b"))).mode & 0o777, 0o600);
    assert.equal((await stat(join(root, "store", "a"))).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(join(root, "store", "tmp")), []);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("disk objects behind a link are neither listed nor given out", async () => {
  const root = await mkdtemp(join(tmpdir(), "spillway-objects-"));
  try {
    const objects = diskObjects(join(root, "store"));
    await objects.put("a/b", Buffer.from("x"));
    await mkdir(join(root, "elsewhere", "put-1"), { recursive: true });
    await writeFile(join(root, "elsewhere", "put-1", "thesis"), "precious");
    await writeFile(join(root, "elsewhere", "put-2"), "precious");
    await rm(join(root, "store", "tmp"), { recursive: true });
    await symlink(join(root, "elsewhere"), join(root, "store", "tmp"));
    await symlink(join(root, "elsewhere", "put-2"), join(root, "store", "a", "link"));
    for (const prefix of ["tmp/", "tmp/put-1/", "a/link"]) {
      assert.deepEqual(await Array.fromAsync(objects.list(prefix)), [], prefix);
    }
    assert.deepEqual(await Array.fromAsync(objects.folders("tmp/")), []);
    assert.deepEqual([await objects.head("a/link"), await objects.local("a/link")], [undefined, undefined]);
    assert.equal((await Array.fromAsync(objects.list(""))).length, 1);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("a file in the place of a folder of objects has none below it", async () => {
  await using folder = await makeTemporaryFolder();
  const objects = diskObjects(folder.path);
  await objects.put("extracts", Buffer.from("not a folder"));
  assert.deepEqual(await Array.fromAsync(objects.list("extracts/000/a")), []);
  assert.deepEqual(await Array.fromAsync(objects.folders("extracts/000/")), []);
  assert.equal(await objects.move("extracts/000/a", "b"), false);
});

test("what a killed process has left of an object whose key names its length is replaced", async () => {
  await using folder = await makeTemporaryFolder();
  const objects = diskObjects(folder.path);
  await mkdir(join(folder.path, "a"));
  await writeFile(join(folder.path, "a", "text-5"), "he");
  await objects.put("a/text-5", Buffer.from("hello"), { isLengthInKey: true, durable: false });
  assert.equal((await readObject(objects, "a/text-5"))?.toString(), "hello");
  assert.deepEqual(await readdir(join(folder.path, "tmp")), []);
});

test("an object whose key names its length is removed if the disk has no room for it", async () => {
  await using folder = await makeTemporaryFolder();
  const files = {
    ...fileSystem,
    ...promises,
    writeSync: () => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    },
  };
  const objects = diskObjects(folder.path, files);
  await assert.rejects(objects.put("a/text-5", Buffer.from("hello"), { isLengthInKey: true }), /full/);
  assert.deepEqual(await Array.fromAsync(objects.list("")), []);
});
