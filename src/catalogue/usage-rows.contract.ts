/** The promises of usage as rows, as tests; every database of the catalogue runs them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UsageRow } from "../telemetry/usage.ts";
import { updateSchema } from "./schema.ts";
import type { SqlUnderTest } from "./sql.contract.ts";
import type { Sql } from "./sql.ts";
import { addUsageRows, readUsage, sumUsage, type UsageGroup } from "./usage-rows.ts";

const NOON = Date.UTC(2026, 10, 16, 12);
const DAY_MS = 24 * 60 * 60 * 1_000;

const row = (usage: UsageRow["usage"], more: Partial<UsageRow> = {}): UsageRow => ({
  ...{ day: "2026-11-16", client: "codex", tool: "fetch_content", usage },
  ...more,
});

export function usageRowsContract(name: string, open: () => Promise<SqlUnderTest>): void {
  const promise = (sentence: string, check: (sql: Sql, under: SqlUnderTest) => Promise<void>) =>
    test(sentence, async () => {
      await using under = await open();
      await updateSchema(under.sql);
      await check(under.sql, under);
    });
  const add = (sql: Sql, rows: readonly UsageRow[], { owner = "ann", run = "one", now = NOON } = {}) =>
    addUsageRows(sql, { owner, run, now }, rows);
  const repliesBy = async (sql: Sql, by: UsageGroup, owner = "ann", since = "2020-01-01") =>
    (await readUsage(sql, { owner, by, since })).map((group) => [group.name, group.usage.replies]);

  describe(`usage: ${name}`, () => {
    promise("adds up over processes, per day, run, client and tool", async (sql, { connect }) => {
      const other = await connect();
      await add(sql, [row({ replies: 1, chars_kept_out: 500 }), row({ replies: 2 }, { tool: "read_artifact" })]);
      await add(other, [row({ replies: 4, chars_kept_out: 7 }, { client: "" })], { run: "two" });
      await add(other, [row({ replies: 8 })]);
      await other.close();
      assert.deepEqual(await repliesBy(sql, "day"), [["2026-11-16", 15]]);
      assert.deepEqual(await repliesBy(sql, "run"), [
        ["one", 11],
        ["two", 4],
      ]);
      assert.deepEqual(await repliesBy(sql, "client"), [
        ["codex", 11],
        ["", 4],
      ]);
      assert.deepEqual(await repliesBy(sql, "tool"), [
        ["fetch_content", 13],
        ["read_artifact", 2],
      ]);
      assert.equal(sumUsage(await readUsage(sql, { owner: "ann", by: "tool", since: "" })).chars_kept_out, 507);
    });

    promise("is of one owner, or the sum of all", async (sql) => {
      await add(sql, [row({ replies: 1 })]);
      await add(sql, [row({ replies: 2 })], { owner: "bob" });
      assert.deepEqual(await repliesBy(sql, "day", "bob"), [["2026-11-16", 2]]);
      assert.deepEqual(
        (await readUsage(sql, { by: "day", since: "" })).map(({ usage }) => usage.replies),
        [3],
      );
    });

    promise("keeps runs apart for a month and days for more than a year", async (sql) => {
      const at = (daysAgo: number) => new Date(NOON - daysAgo * DAY_MS).toISOString().slice(0, 10);
      const old = [401, 300, 40, 5].map((daysAgo) => row({ replies: 1 }, { day: at(daysAgo) }));
      for (const run of ["one", "two"]) await add(sql, old, { run, now: NOON - 5 * DAY_MS });
      await add(sql, [row({ replies: 1 })]);
      assert.deepEqual(await repliesBy(sql, "run"), [
        ["", 4],
        ["one", 2],
        ["two", 1],
      ]);
      assert.deepEqual(
        (await repliesBy(sql, "day")).map(([day]) => day),
        [at(300), at(40), at(5), at(0)],
      );
      assert.deepEqual(await repliesBy(sql, "day", "ann", at(5)), [
        [at(5), 2],
        [at(0), 1],
      ]);
    });

    promise("loses nothing when processes write at once", async (sql, { connect }) => {
      const others = await Promise.all([connect(), connect(), connect()]);
      const rows = ["a", "b", "c"].map((tool) => row({ replies: 1 }, { tool }));
      const writes = [sql, ...others].flatMap((each, index) =>
        Array.from({ length: 5 }, () => add(each, index % 2 === 0 ? rows : rows.toReversed(), { run: "same" })),
      );
      await Promise.all(writes);
      for (const other of others) await other.close();
      assert.deepEqual(await repliesBy(sql, "run"), [["same", 60]]);
    });
  });
}
