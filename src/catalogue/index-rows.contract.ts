/** The promises of leases, generations and jobs, as tests; every database of the catalogue runs them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  deleteGeneration,
  findGeneration,
  findLease,
  publishGeneration,
  releaseLease,
  renewLease,
  takeLease,
} from "./index-rows.ts";
import { cancelJobRow, deleteOldJobRows, findJobRow, keepJobRow, openJobRows } from "./job-rows.ts";
import { updateSchema } from "./schema.ts";
import type { SqlUnderTest } from "./sql.contract.ts";
import type { Queries } from "./sql.ts";

const key = { owner: "ann", project: "shop", repository: "web" };
const elsewhere = { ...key, owner: "bob" };
const START = 1_000_000;

const lease = (job: string, place: string, expires_at = START + 60) => ({ job, place, holder: "host:1", expires_at });
const job = (name: string, started_at: number, is_open = 1) => ({
  job: name,
  repository: key.repository,
  is_open,
  started_at,
  record: `{"name":"${name}"}`,
});

export function indexRowsContract(name: string, open: () => Promise<SqlUnderTest>): void {
  const promise = (sentence: string, check: (queries: Queries, under: SqlUnderTest) => Promise<void>) =>
    test(sentence, async () => {
      await using under = await open();
      await updateSchema(under.sql);
      await check(under.sql, under);
    });

  describe(`a lease: ${name}`, () => {
    promise("is given to one of many jobs that ask at once", async (_, { sql, connect }) => {
      const connections = [sql, await connect(), await connect()];
      const asks = Array.from({ length: 12 }, (_, n) =>
        (connections[n % 3] ?? sql).transact((queries) => takeLease(queries, key, lease(`job-${n}`, `p${n}`), START)),
      );
      const given = await Promise.all(asks);
      assert.equal(given.filter((isGiven) => isGiven).length, 1);
      assert.equal((await findLease(sql, key))?.job, `job-${given.indexOf(true)}`);
      for (const one of connections.slice(1)) await one.close();
    });

    promise("is refused while it lasts, and free once it has expired or was released", async (queries) => {
      assert.equal(await takeLease(queries, key, lease("one", "here"), START), true);
      assert.equal(await takeLease(queries, key, lease("two", "there"), START + 59), false);
      assert.deepEqual({ ...(await findLease(queries, key)) }, lease("one", "here"));
      assert.equal(await takeLease(queries, key, lease("two", "there", START + 200), START + 60), true);
      assert.equal(await releaseLease(queries, key, "one"), false);
      assert.equal((await findLease(queries, key))?.job, "two");
      assert.equal(await releaseLease(queries, key, "two"), true);
      assert.equal(await findLease(queries, key), undefined);
      assert.equal(await takeLease(queries, key, lease("three", "here"), START), true);
    });

    promise("passes to a job of the same place at once", async (queries) => {
      await takeLease(queries, key, lease("killed", "here"), START);
      assert.equal(await takeLease(queries, key, lease("next", "here"), START + 1), true);
      assert.equal((await findLease(queries, key))?.job, "next");
    });

    promise("lasts as long as it is renewed, by its own job only", async (queries) => {
      await takeLease(queries, key, lease("one", "here"), START);
      assert.equal(await renewLease(queries, key, "one", START + 500), true);
      assert.equal(await renewLease(queries, key, "two", START + 900), false);
      assert.equal(await takeLease(queries, key, lease("two", "there"), START + 499), false);
      assert.equal(await takeLease(queries, key, lease("two", "there"), START + 500), true);
      assert.equal(await renewLease(queries, key, "one", START + 999), false);
    });

    promise("of one owner, project or repository does not affect another", async (queries) => {
      for (const other of [key, elsewhere, { ...key, project: "b" }, { ...key, repository: "b" }])
        assert.equal(await takeLease(queries, other, lease("one", "here"), START), true);
      await releaseLease(queries, key, "one");
      assert.equal((await findLease(queries, elsewhere))?.job, "one");
    });
  });

  describe(`a generation: ${name}`, () => {
    promise("has the next number at each publication, and is gone with its index", async (queries) => {
      const state = { root: "/web", files: 3, segments: '["a.segment"]', published_at: START };
      assert.equal(await publishGeneration(queries, key, state), 1);
      assert.equal(await publishGeneration(queries, key, { ...state, files: 4 }), 2);
      assert.deepEqual({ ...(await findGeneration(queries, key)) }, { ...state, files: 4, generation: 2 });
      assert.equal(await findGeneration(queries, elsewhere), undefined);
      await publishGeneration(queries, elsewhere, state);
      await deleteGeneration(queries, key);
      assert.equal(await findGeneration(queries, key), undefined);
      assert.equal((await findGeneration(queries, elsewhere))?.generation, 1);
    });
  });

  describe(`a job: ${name}`, () => {
    promise("is renewed, found by its project only, and listed until it has ended", async (queries) => {
      await keepJobRow(queries, key, job("one", START));
      await keepJobRow(queries, key, job("two", START + 1));
      assert.deepEqual({ ...(await findJobRow(queries, key, "one")) }, job("one", START));
      assert.equal(await findJobRow(queries, { ...key, project: "other" }, "one"), undefined);
      assert.equal(await findJobRow(queries, elsewhere, "one"), undefined);
      const openJobs = async () => (await openJobRows(queries, key)).map((row) => row.job);
      assert.deepEqual(await openJobs(), ["two", "one"]);
      await keepJobRow(queries, key, { ...job("two", START + 1, 0), record: "{}" });
      assert.deepEqual(await openJobs(), ["one"]);
      assert.equal((await findJobRow(queries, key, "two"))?.record, "{}");
    });

    promise("learns that it was asked to stop when it is renewed", async (queries) => {
      assert.equal(await keepJobRow(queries, key, job("one", START)), false);
      await cancelJobRow(queries, elsewhere, "one");
      assert.equal(await keepJobRow(queries, key, job("one", START)), false);
      await cancelJobRow(queries, key, "one");
      assert.equal(await keepJobRow(queries, key, job("one", START)), true);
    });

    promise("is deleted when it is not one of the latest of its project", async (queries) => {
      for (let n = 0; n < 5; n++) await keepJobRow(queries, key, job(`job-${n}`, START + n, 0));
      await keepJobRow(queries, elsewhere, job("job-0", START, 0));
      await deleteOldJobRows(queries, key, 2);
      const left = [];
      for (let n = 0; n < 5; n++) if (await findJobRow(queries, key, `job-${n}`)) left.push(n);
      assert.deepEqual(left, [3, 4]);
      assert.ok(await findJobRow(queries, elsewhere, "job-0"));
    });
  });
}
