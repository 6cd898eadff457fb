import assert from "node:assert/strict";
import { mkdir, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { DatabaseSync } from "../system/load-sqlite.ts";
import { updateSchema } from "./schema.ts";
import { sqlContract } from "./sql.contract.ts";
import { CatalogueError, type CatalogueFault } from "./sql.ts";
import { sqliteSql } from "./sqlite-sql.ts";

sqlContract("SQLite on disk", async () => {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "home", "catalogue.db");
  const sql = sqliteSql(path);
  return {
    sql,
    connect: async () => sqliteSql(path),
    async [Symbol.asyncDispose]() {
      await sql.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});

async function faultOf(action: Promise<unknown>): Promise<CatalogueFault> {
  const error = await action.then(
    () => assert.fail("should have failed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CatalogueError, String(error));
  return error.fault;
}

describe("a catalogue in SQLite", () => {
  test("is private to its user, with its companion files", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    const sql = sqliteSql(path);
    await sql.transact(updateSchemaIn, { durable: true });
    for (const ending of ["", "-wal", "-shm"]) assert.equal((await stat(path + ending)).mode & 0o777, 0o600);
    await sql.close();
  });

  test("says that it is busy after its time, without blocking the process, and works again afterwards", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    const sql = sqliteSql(path, { busyMs: 50 });
    await updateSchema(sql);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    assert.equal(await faultOf(sql.run("DELETE FROM blobs")), "busy");
    clearInterval(ticking);
    assert.ok(turns > 3, `the process did other work ${turns} times`);
    assert.ok(await sql.all("SELECT * FROM blobs"), "reading does not wait for a writer");
    other.exec("COMMIT");
    await sql.run("DELETE FROM blobs");
    other.close();
    await sql.close();
  });

  test("says that the disk is full, keeps what it has, and writes again once there is space", async () => {
    await using folder = await makeTemporaryFolder();
    const sql = sqliteSql(join(folder.path, "catalogue.db"));
    await updateSchema(sql);
    const insert = (key: string) =>
      sql.transact((queries) => queries.run("INSERT INTO garbage VALUES (?, 0)", key), { durable: true });
    await insert("kept");
    // SQLite fails exactly as on a full disk when the file may not grow.
    await sql.all("PRAGMA max_page_count = 1");
    assert.equal(await faultOf(insert("x".repeat(100_000))), "full");
    assert.equal((await sql.all("SELECT * FROM garbage")).length, 1);
    await sql.all("PRAGMA max_page_count = 1000000");
    await insert("x".repeat(100_000));
    assert.equal((await sql.all("SELECT * FROM garbage")).length, 2);
    await sql.close();
  });

  test("is read while it cannot be changed, and changed again as soon as it can be", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    const before = sqliteSql(path);
    await updateSchema(before);
    await before.run("INSERT INTO garbage VALUES ('kept', 0)");
    await before.close();
    // Where the index of the log should be is a folder, so SQLite cannot write.
    await mkdir(`${path}-shm`);
    const sql = sqliteSql(path);
    assert.equal((await sql.all("SELECT * FROM garbage")).length, 1);
    const insert = () => sql.run("INSERT INTO garbage VALUES ('later', 0)");
    assert.equal(await faultOf(insert()), "read_only");
    assert.equal(await faultOf(sql.transact((queries) => queries.run("DELETE FROM garbage"))), "read_only");
    assert.equal((await sql.all("SELECT * FROM garbage")).length, 1);
    await rmdir(`${path}-shm`);
    await insert();
    assert.equal((await sql.all("SELECT * FROM garbage")).length, 2);
    await sql.close();
  });

  test("refuses a version that is newer than the program, and changes nothing in it", async () => {
    await using folder = await makeTemporaryFolder();
    const sql = sqliteSql(join(folder.path, "catalogue.db"));
    await updateSchema(sql);
    await sql.run("UPDATE catalogue_schema SET version = 1000");
    assert.equal(await faultOf(updateSchema(sql)), "newer");
    assert.deepEqual({ ...(await sql.get("SELECT version FROM catalogue_schema")) }, { version: 1000 });
    await sql.close();
  });

  test("says that a file which is not a database is damaged", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    await writeFile(path, "this is not a database at all, but it is long enough to look like one".repeat(100));
    assert.equal(await faultOf(updateSchema(sqliteSql(path))), "damaged");
  });

  test("passes on an error in a statement as the bug that it is", async () => {
    const failed = await sqliteSql()
      .run("SELEC 1")
      .catch((error: unknown) => error);
    assert.ok(failed instanceof Error && !(failed instanceof CatalogueError));
  });

  test("creates its tables once, also when processes start together", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    const all = Array.from({ length: 5 }, () => sqliteSql(path));
    await Promise.all(all.map(updateSchema));
    for (const sql of all) assert.equal((await sql.all("SELECT * FROM catalogue_schema")).length, 1);
    for (const sql of all) await sql.close();
  });
});

const updateSchemaIn = async (queries: Pick<ReturnType<typeof sqliteSql>, "run">) =>
  queries.run("CREATE TABLE items (name TEXT)");
