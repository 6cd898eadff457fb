import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, describe, test } from "node:test";
import { startPostgres } from "../../test/postgres-server.ts";
import { listen, startRelay } from "../../test/tcp-relay.ts";
import { waitUntil } from "../../test/waiting.ts";
import { indexRowsContract } from "./index-rows.contract.ts";
import { mcpSessionRowsContract } from "./mcp-session-rows.contract.ts";
import { type PostgresOptions, postgresSql } from "./postgres-sql.ts";
import { updateSchema } from "./schema.ts";
import { segmentRowsContract } from "./segment-rows.contract.ts";
import { sqlContract } from "./sql.contract.ts";
import { CatalogueError, type Sql } from "./sql.ts";
import { usageRowsContract } from "./usage-rows.contract.ts";

const server = await startPostgres();

if (typeof server === "string") test("a catalogue in PostgreSQL", { skip: server }, () => undefined);
else {
  after(() => server[Symbol.asyncDispose]());

  const openDatabase = async (options: Partial<PostgresOptions> = {}) => {
    const { address } = await server.makeDatabase();
    const opened: Sql[] = [];
    const connect = async (more: Partial<PostgresOptions> = {}) => {
      const sql = postgresSql({ ...address, ...options, ...more });
      opened.push(sql);
      return sql;
    };
    return {
      address,
      sql: await connect(),
      connect,
      async [Symbol.asyncDispose]() {
        for (const sql of opened) await sql.close();
      },
    };
  };

  sqlContract("PostgreSQL", openDatabase);
  indexRowsContract("PostgreSQL", openDatabase);
  mcpSessionRowsContract("PostgreSQL", openDatabase);
  segmentRowsContract("PostgreSQL", openDatabase);
  usageRowsContract("PostgreSQL", openDatabase);

  const failureOf = async (action: Promise<unknown>): Promise<CatalogueError> => {
    const error = await action.then(
      () => assert.fail("should have failed"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof CatalogueError, String(error));
    return error;
  };

  describe("a catalogue in PostgreSQL", () => {
    test("creates its tables once, also when processes start together", async () => {
      await using database = await openDatabase();
      const all = await Promise.all(Array.from({ length: 8 }, () => database.connect()));
      await Promise.all(all.map(updateSchema));
      for (const sql of all) assert.equal((await sql.all("SELECT * FROM catalogue_schema")).length, 1);
    });

    test("refuses a version that is newer than the program, and changes nothing in it", async () => {
      await using database = await openDatabase();
      await updateSchema(database.sql);
      await database.sql.run("UPDATE catalogue_schema SET version = 1000");
      assert.equal((await failureOf(updateSchema(database.sql))).fault, "newer");
      assert.deepEqual(await database.sql.get("SELECT version FROM catalogue_schema"), { version: 1000 });
    });

    test("passes on an error in a statement as the bug that it is, without a code", async () => {
      await using database = await openDatabase();
      const failed = await database.sql.run("SELEC 1").catch((error: unknown) => error);
      assert.ok(failed instanceof Error && !(failed instanceof CatalogueError) && !("code" in failed));
    });

    test("does not commit a transaction whose failed statement was ignored", async () => {
      await using database = await openDatabase();
      await database.sql.run("CREATE TABLE items (name TEXT)");
      const ignoring = database.sql.transact(async (queries) => {
        await queries.run("INSERT INTO items VALUES ('a')");
        await queries.run("INSERT INTO nowhere VALUES (1)").catch(() => undefined);
      });
      await assert.rejects(ignoring, /has failed/);
      assert.deepEqual(await database.sql.all("SELECT name FROM items"), []);
    });

    test("gives back its connections after every kind of failure", async () => {
      await using relay = await startRelay(server.port);
      await using database = await openDatabase({ maxConnections: 2, port: relay.port, timeoutMs: 5_000 });
      const { sql } = database;
      await sql.run("CREATE TABLE items (name TEXT PRIMARY KEY)");
      const failing: readonly (() => Promise<unknown>)[] = [
        () => sql.all("SELECT * FROM nowhere"),
        () => sql.transact(async () => assert.fail("the work fails")),
        () => sql.transact((queries) => Promise.all([queries.run("SELEC"), queries.all("SELECT 1")])),
        () => sql.transact((queries) => queries.run("INSERT INTO items VALUES (NULL)"), { exclusive: true }),
        () => sql.transact((queries) => queries.run("INSERT INTO nowhere VALUES (1)"), { isOneStatement: true }),
        () => sql.transact((queries) => queries.run("INSERT INTO items VALUES (NULL)"), { isOneBatch: true }),
        () =>
          sql.transact(async (queries) => {
            await queries.run("INSERT INTO items VALUES ('a')");
            relay.cut();
            relay.restore();
          }),
        // Nobody knows whether a batch was committed whose answers are lost, so it is not tried again.
        () =>
          sql.transact(
            (queries) => {
              const inserted = queries.run("INSERT INTO items VALUES ('b')");
              relay.cut();
              relay.restore();
              return inserted;
            },
            { isOneBatch: true },
          ),
      ];
      for (let round = 0; round < 3; round++) {
        const outcomes = await Promise.allSettled(failing.map((fail) => fail()));
        assert.ok(outcomes.every(({ status }) => status === "rejected"));
      }
      await waitUntil("a connection is free", () =>
        sql.all("SELECT 1").then(
          () => true,
          () => false,
        ),
      );
      assert.deepEqual(await Promise.all([1, 2, 3, 4].map(() => sql.all("SELECT name FROM items"))), [[], [], [], []]);
    });

    test("makes no difference between many writers of one row and one after the other", async () => {
      await using database = await openDatabase({ maxConnections: 4 });
      await database.sql.run("CREATE TABLE items (name TEXT PRIMARY KEY, size BIGINT)");
      const others = [database.sql, await database.connect(), await database.connect()];
      const increment = (sql: Sql) =>
        sql.transact(async (queries) => {
          const row = await queries.get<{ size: number }>("SELECT size FROM items WHERE name = ?", "one");
          if (row === undefined) await queries.run("INSERT INTO items VALUES (?, 1)", "one");
          else await queries.run("UPDATE items SET size = ? WHERE name = ?", row.size + 1, "one");
        });
      await Promise.all(Array.from({ length: 90 }, (_, index) => increment(others[index % 3] ?? database.sql)));
      assert.deepEqual(await database.sql.all("SELECT size FROM items"), [{ size: 90 }]);
    });

    test("says that it is refused with a wrong password, a missing database or role, never with the password", async () => {
      await using database = await openDatabase();
      const wrong = [{ password: "guess-4711" }, { password: "guess-4711", user: "nobody" }, { database: "missing" }];
      for (const change of wrong) {
        const failure = await failureOf((await database.connect(change)).all("SELECT 1"));
        assert.equal(failure.fault, "refused", failure.message);
        assert.ok(!failure.message.includes("guess-4711"));
      }
    });

    test("says that it cannot be reached, within its time, and then at once", async () => {
      // Accepts connections and never says a word.
      const silent = createServer((socket) => socket.on("error", () => undefined));
      const port = await listen(silent);
      try {
        await using database = await openDatabase();
        const sql = await database.connect({ port, timeoutMs: 400 });
        assert.equal((await failureOf(sql.all("SELECT 1"))).fault, "unreachable");
        const connections = await new Promise((resolve) => silent.getConnections((_, count) => resolve(count)));
        assert.equal((await failureOf(sql.run("SELECT 1"))).fault, "unreachable");
        assert.equal(await new Promise((resolve) => silent.getConnections((_, count) => resolve(count))), connections);
      } finally {
        silent.close();
      }
    });

    test("is read-only where the server is, and still read", async () => {
      await using database = await openDatabase();
      await database.sql.run("CREATE TABLE items (name TEXT)");
      await database.sql.run(`ALTER DATABASE ${database.address.database} SET default_transaction_read_only = on`);
      const later = await database.connect();
      assert.deepEqual(await later.all("SELECT name FROM items"), []);
      assert.equal((await failureOf(later.run("INSERT INTO items VALUES ('a')"))).fault, "read_only");
    });

    test("works again after the server was restarted, without a new connection being asked for", async () => {
      await using database = await openDatabase({ maxConnections: 3 });
      const create = "CREATE TABLE items (name TEXT)";
      await database.sql.transact((queries) => queries.run(create), { durable: true });
      await Promise.all([1, 2, 3].map(() => database.sql.all("SELECT pg_sleep(0.05)")));
      await server.stop("kill");
      await server.start();
      assert.equal(await database.sql.run("INSERT INTO items VALUES ('a')"), 1);
      assert.deepEqual(await database.sql.all("SELECT name FROM items"), [{ name: "a" }]);
    });

    test("keeps working when the columns of a prepared query have changed", async () => {
      await using database = await openDatabase();
      await database.sql.run("CREATE TABLE items (name TEXT)");
      for (let i = 0; i < 7; i++) await database.sql.all("SELECT * FROM items");
      await database.sql.run("ALTER TABLE items ADD COLUMN size BIGINT");
      await database.sql.run("INSERT INTO items VALUES ('a', 1)");
      assert.deepEqual(await database.sql.all("SELECT * FROM items"), [{ name: "a", size: 1 }]);
    });
  });
}
