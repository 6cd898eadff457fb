import assert from "node:assert/strict";
import { mkdir, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { DatabaseSync } from "../system/load-sqlite.ts";
import { openCatalogue } from "./catalogue.ts";
import { indexRowsContract } from "./index-rows.contract.ts";
import { findJobRow } from "./job-rows.ts";
import { mcpSessionRowsContract } from "./mcp-session-rows.contract.ts";
import { updateSchema } from "./schema.ts";
import { segmentRowsContract } from "./segment-rows.contract.ts";
import { sqlContract } from "./sql.contract.ts";
import { CatalogueError, type CatalogueFault, type Sql } from "./sql.ts";
import { sqliteSql } from "./sqlite-sql.ts";
import { usageRowsContract } from "./usage-rows.contract.ts";

async function openOnDisk() {
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
}

sqlContract("SQLite on disk", openOnDisk);
indexRowsContract("SQLite on disk", openOnDisk);
mcpSessionRowsContract("SQLite on disk", openOnDisk);
segmentRowsContract("SQLite on disk", openOnDisk);
usageRowsContract("SQLite on disk", openOnDisk);

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

  test("waits for others no longer than a transaction may, and for later ones as long as before", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    const sql = sqliteSql(path);
    await updateSchema(sql);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    // The default would wait for 15 seconds, and the test would time out.
    const change = (options?: { patienceMs: number }) =>
      sql.transact((queries) => queries.run("DELETE FROM blobs"), options);
    for (let n = 0; n < 3; n++) assert.equal(await faultOf(change({ patienceMs: 5 })), "busy");
    const patient = change();
    setTimeout(() => other.exec("COMMIT"), 400); // Longer than one waits after having waited in vain.
    assert.equal(await patient, 0);
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

/** Makes a catalogue as its first version was, with a row. */
async function makeFirstVersion(path: string): Promise<void> {
  const sql = sqliteSql(path);
  await updateSchema(sql);
  for (const table of [
    "index_leases",
    "index_generations",
    "jobs",
    "mcp_sessions",
    "mcp_cancellations",
    "sign_in_codes",
    "usage_days",
    "index_segments",
    "objects_ids",
    "outcome_days",
    "usage_batches",
  ])
    await sql.run(`DROP TABLE ${table}`);
  await sql.run("UPDATE catalogue_schema SET version = 1");
  await sql.run("INSERT INTO garbage VALUES ('kept', 0)");
  await sql.close();
}

describe("a catalogue of an earlier version", () => {
  const garbage = "SELECT object_key FROM garbage";
  const project = { owner: "ann", project: "shop" };

  test("gets the tables that it lacks and keeps its rows, also when processes start together", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    await makeFirstVersion(path);
    const all = Array.from({ length: 4 }, () => openCatalogue(sqliteSql(path)));
    await Promise.all(all.map((catalogue) => findJobRow(catalogue, project, "one")));
    for (const catalogue of all) {
      assert.equal((await catalogue.all(garbage)).length, 1);
      await catalogue.close();
    }
  });

  test("stays as it was when its update fails in the middle, and is updated by the next process", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    await makeFirstVersion(path);
    const sql = sqliteSql(path);
    const interrupted: Sql = {
      ...sql,
      transact: (work, options) =>
        sql.transact(
          (queries) =>
            work({
              ...queries,
              run: async (statement, ...values) => {
                if (statement.includes("jobs")) throw new Error("the process ends here");
                return queries.run(statement, ...values);
              },
            }),
          options,
        ),
    };
    await assert.rejects(updateSchema(interrupted), /ends here/);
    assert.deepEqual({ ...(await sql.get("SELECT version FROM catalogue_schema")) }, { version: 1 });
    await updateSchema(sql);
    assert.equal(await findJobRow(sql, project, "one"), undefined);
    assert.equal((await sql.all(garbage)).length, 1);
    await sql.close();
  });

  test("is read on a disk that takes no changes, and says why it cannot be changed", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "catalogue.db");
    await makeFirstVersion(path);
    await mkdir(`${path}-shm`); // So SQLite cannot write.
    const catalogue = openCatalogue(sqliteSql(path));
    assert.equal((await catalogue.all(garbage)).length, 1);
    assert.equal(await findJobRow(catalogue, project, "one"), undefined);
    assert.equal(await faultOf(catalogue.run("DELETE FROM garbage")), "read_only");
    await rmdir(`${path}-shm`);
    assert.equal(await catalogue.run("DELETE FROM garbage"), 1);
    await catalogue.close();
  });
});

const updateSchemaIn = async (queries: Pick<ReturnType<typeof sqliteSql>, "run">) =>
  queries.run("CREATE TABLE items (name TEXT)");
