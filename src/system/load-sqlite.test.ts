import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { DatabaseSync, withoutSqliteWarning } from "./load-sqlite.ts";

test("drops the warning about SQLite while it is loaded, and no other one", async () => {
  const { emitWarning } = process;
  const warned = once(process, "warning");
  const value = withoutSqliteWarning(() => {
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("SQLite is slow today");
    return 7;
  });
  assert.equal(value, 7);
  const [warning] = await warned;
  assert.equal(warning.message, "SQLite is slow today");
  assert.equal(process.emitWarning, emitWarning, "afterwards everything is as before");
  assert.throws(() =>
    withoutSqliteWarning(() => {
      throw new Error("no SQLite");
    }),
  );
  assert.equal(process.emitWarning, emitWarning, "also after a failure");
});

test("gives a SQLite that works", () => {
  const database = new DatabaseSync(":memory:");
  assert.deepEqual({ ...database.prepare("SELECT 1 AS one").get() }, { one: 1 });
  database.close();
});
