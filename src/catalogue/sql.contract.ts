/** The promises of a database for the catalogue, as tests; every driver runs them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CatalogueError, type Queries, RequirementError, type Sql } from "./sql.ts";

/** `connect` opens one more connection to the same database, as another process would. */
export type SqlUnderTest = { readonly sql: Sql; connect(): Promise<Sql> } & AsyncDisposable;

export function sqlContract(name: string, open: () => Promise<SqlUnderTest>): void {
  describe(`a catalogue database: ${name}`, () => {
    const promise = (sentence: string, check: (under: SqlUnderTest) => Promise<void>) =>
      test(sentence, async () => {
        await using under = await open();
        await under.sql.run("CREATE TABLE items (name TEXT PRIMARY KEY, size BIGINT, note TEXT)");
        await check(under);
      });

    const names = async (sql: Sql) =>
      (await sql.all<{ name: string }>("SELECT name FROM items ORDER BY name")).map((row) => row.name);
    const add = "INSERT INTO items (name, size) VALUES (?, ?)";

    promise("gives back text, numbers and null as they went in", async ({ sql }) => {
      const texts = ["", "a'b\"c", "naïve 漢字 👩‍👩‍👧", "line\nline", "?"];
      for (const [index, text] of texts.entries()) await sql.run(add, text, index === 0 ? null : 2 ** 50 + index);
      for (const [index, text] of texts.entries()) {
        const row = await sql.get("SELECT name, size, note FROM items WHERE name = ?", text);
        assert.deepEqual({ ...row }, { name: text, size: index === 0 ? null : 2 ** 50 + index, note: null });
      }
      assert.equal(await sql.get("SELECT name FROM items WHERE name = ?", "none"), undefined);
    });

    promise("counts the rows that a statement changed, and returns them on request", async ({ sql }) => {
      for (const item of ["a", "b", "c"]) assert.equal(await sql.run(add, item, 1), 1);
      assert.equal(await sql.run("UPDATE items SET size = 2 WHERE name <> ?", "a"), 2);
      const changed = await sql.all<{ name: string }>("DELETE FROM items WHERE size = 2 RETURNING name");
      assert.deepEqual(changed.map((row) => row.name).sort(), ["b", "c"]);
    });

    promise("inserts or updates in one statement", async ({ sql }) => {
      const upsert = `${add} ON CONFLICT (name) DO UPDATE SET size = items.size + excluded.size RETURNING size`;
      assert.deepEqual({ ...(await sql.get(upsert, "a", 1)) }, { size: 1 });
      assert.deepEqual({ ...(await sql.get(upsert, "a", 5)) }, { size: 6 });
    });

    promise("commits a transaction as a whole, and rolls back one that throws", async ({ sql }) => {
      const given = await sql.transact(async (queries) => {
        await queries.run(add, "a", 1);
        await queries.run(add, "b", 1);
        return (await queries.all("SELECT name FROM items")).length;
      });
      assert.equal(given, 2);
      const failed = sql.transact(async (queries) => {
        await queries.run(add, "c", 1);
        throw new Error("changed its mind");
      });
      await assert.rejects(failed, /changed its mind/);
      await assert.rejects(sql.transact((queries) => queries.run("INSERT INTO nowhere VALUES (1)")));
      assert.deepEqual(await names(sql), ["a", "b"]);
    });

    promise("executes what is given at once in order, and fails with the first failure", async ({ sql }) => {
      const [, , count, rows] = await sql.transact((queries) =>
        Promise.all([
          queries.run(add, "a", 1),
          queries.run(add, "b", 2),
          queries.run("UPDATE items SET size = size + 10"),
          queries.all<{ size: number }>("SELECT size FROM items ORDER BY name"),
        ]),
      );
      assert.deepEqual([count, rows.map(({ size }) => size)], [2, [11, 12]]);
      const later = async (action: Promise<unknown>) => {
        for (let step = 0; step < 5; step++) await undefined;
        return action;
      };
      const failing = sql.transact((queries) =>
        Promise.all([
          later(later(queries.run("INSERT INTO nowhere VALUES (1)"))),
          queries.run(add, "c", 1),
          queries.all("SELECT name FROM items"),
        ]),
      );
      await assert.rejects(failing, /nowhere/);
      assert.deepEqual(await names(sql), ["a", "b"]);
    });

    promise("executes nothing after its transaction has ended", async ({ sql }) => {
      let late: (() => Promise<number>) | undefined;
      await sql.transact(async (queries) => {
        late = () => queries.run(add, "late", 1);
      });
      await assert.rejects(async () => late?.(), /after its transaction/);
      assert.deepEqual(await names(sql), []);
    });

    promise("executes one statement that may be executed twice", async ({ sql }) => {
      const upsert = `${add} ON CONFLICT (name) DO NOTHING`;
      const insert = () => sql.transact((queries) => queries.run(upsert, "a", 1), { isOneStatement: true });
      assert.deepEqual([await insert(), await insert()], [1, 0]);
      assert.deepEqual(await names(sql), ["a"]);
    });

    promise("commits what is given as one batch, or changes nothing", async ({ sql }) => {
      const isOneBatch = true;
      const added = sql.transact(
        (queries) => Promise.all([queries.run(add, "a", 1), queries.all("SELECT name FROM items")]),
        { durable: true, isOneBatch },
      );
      assert.equal((await added)[1].length, 1);
      const failing = sql.transact(
        (queries) => Promise.all([queries.run(add, "b", 1), queries.run("INSERT INTO nowhere VALUES (1)")]),
        { isOneBatch },
      );
      await assert.rejects(failing, /nowhere/);
      assert.deepEqual(await names(sql), ["a"]);
    });

    promise("refuses a statement that a batch gives after it has waited", async ({ sql }) => {
      const late = sql.transact(
        async (queries) => {
          await queries.all("SELECT name FROM items");
          await queries.run(add, "late", 1);
        },
        { isOneBatch: true },
      );
      await assert.rejects(late, /after its transaction/);
      assert.deepEqual(await names(sql), []);
    });

    promise("changes nothing by a batch that fails before it has waited", async ({ sql }) => {
      const failures: readonly ((queries: Queries) => Promise<unknown>)[] = [
        (queries) => {
          void queries.run(add, "a", 1);
          throw new Error("changed its mind");
        },
        async (queries) => {
          void queries.run(add, "b", 1);
          throw new Error("changed its mind");
        },
      ];
      for (const fail of failures) {
        await assert.rejects(sql.transact(fail, { isOneBatch: true }), /changed its mind/);
        // On the same connection, which must not be in the failed transaction any more.
        await sql.transact((queries) => queries.run("DELETE FROM items WHERE name = 'none'"));
        assert.deepEqual(await names(sql), []);
      }
    });

    promise("lets a statement require a row by a value that must be there", async ({ sql }) => {
      await sql.run("CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, object_key TEXT NOT NULL)");
      const need = (name: string, item: string) =>
        sql.transact(
          (queries) =>
            Promise.all([
              queries.run(add, `${name} needs ${item}`, 1),
              queries.run(
                `INSERT INTO blobs (sha256, object_key) VALUES (?, (SELECT name FROM items WHERE name = ?))
                 ON CONFLICT (sha256) DO NOTHING`,
                name,
                item,
              ),
            ]),
          { isOneBatch: true },
        );
      await sql.run(add, "there", 1);
      await need("one", "there");
      await assert.rejects(need("other", "elsewhere"), RequirementError);
      await assert.rejects(need("one", "elsewhere"), RequirementError);
      assert.deepEqual(await names(sql), ["one needs there", "there"]);
    });

    promise("passes on null in any other column as the bug that it is", async ({ sql }) => {
      await sql.run("CREATE TABLE blobs (object_key TEXT NOT NULL, size_bytes BIGINT NOT NULL)");
      await sql.run("CREATE TABLE others (object_key TEXT NOT NULL)");
      for (const statement of ["INSERT INTO blobs VALUES ('a', NULL)", "INSERT INTO others VALUES (NULL)"]) {
        for (const isOneBatch of [false, true]) {
          const failing = sql.transact((queries) => queries.run(statement), { isOneBatch });
          const isBug = (error: Error) => !(error instanceof RequirementError || error instanceof CatalogueError);
          await assert.rejects(failing, isBug);
        }
      }
    });

    promise("shows other connections nothing of an unfinished transaction", async ({ sql, connect }) => {
      const other = await connect();
      await sql.transact(async (queries) => {
        await queries.run(add, "a", 1);
        assert.deepEqual(await names(other), []);
      });
      assert.deepEqual(await names(other), ["a"]);
      await other.close();
    });

    promise("runs transactions of many connections as if one after the other", async ({ sql, connect }) => {
      await sql.run(add, "counter", 0);
      const connections = [sql, await connect(), await connect()];
      const increment = (one: Sql, durable: boolean) =>
        one.transact(
          async (queries) => {
            const row = await queries.get<{ size: number }>("SELECT size FROM items WHERE name = 'counter'");
            await queries.run("UPDATE items SET size = ? WHERE name = 'counter'", (row?.size ?? 0) + 1);
          },
          { durable },
        );
      await Promise.all(
        Array.from({ length: 60 }, (_, index) => increment(connections[index % 3] ?? sql, index % 2 === 0)),
      );
      assert.deepEqual({ ...(await sql.get("SELECT size FROM items")) }, { size: 60 });
      for (const one of connections.slice(1)) await one.close();
    });

    promise("is sound, and opens again after closing", async ({ sql, connect }) => {
      await sql.transact((queries) => queries.run(add, "a", 1), { durable: true });
      assert.deepEqual(await sql.findDamage(), []);
      const other = await connect();
      assert.deepEqual(await names(other), ["a"]);
      await other.close();
      assert.deepEqual(await names(other), ["a"]);
      await other.close();
    });
  });
}
