/** The promises of usage as rows, as tests; every database of the catalogue runs them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import type { OutcomeRow, UsageRow } from "../telemetry/usage.ts";
import { readLargest, readOutcomes } from "./outcome-rows.ts";
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

const sizes = (count: number) => ({ count, bytes_before: 100, bytes_after: 60 });

const outcome = (more: Partial<OutcomeRow> = {}): OutcomeRow => ({
  ...{ day: "2026-11-16", client: "", tool: "", event: "overflow.failed", kind: "context_tokens" },
  ...{ reason: "nothing_to_shed", largest: 0, largest_limit: 0, ...sizes(1), ...more },
});

export function usageRowsContract(name: string, open: () => Promise<SqlUnderTest>): void {
  const promise = (sentence: string, check: (sql: Sql, under: SqlUnderTest) => Promise<void>) =>
    test(sentence, async () => {
      await using under = await open();
      await updateSchema(under.sql);
      await check(under.sql, under);
    });
  const add = (sql: Sql, rows: readonly UsageRow[], { owner = "ann", run = "one", now = NOON } = {}) =>
    addUsageRows(sql, { owner, run, now, batch: randomUUID() }, { rows, outcomes: [] });
  const repliesBy = async (sql: Sql, by: UsageGroup, owner = "ann", since = "2020-01-01") =>
    (await readUsage(sql, { owner, by, since })).map((group) => [group.name, group.usage.replies]);

  const addOutcomes = (sql: Sql, outcomes: readonly OutcomeRow[], { owner = "ann", run = "one", now = NOON } = {}) =>
    addUsageRows(sql, { owner, run, now, batch: randomUUID() }, { rows: [row({ replies: 1 })], outcomes });

  describe(`usage: ${name}`, () => {
    promise("counts a batch once, by however many it is written", async (sql, { connect }) => {
      const other = await connect();
      const writer = { owner: "ann", run: "one", now: NOON, batch: "b1" };
      const counts = { rows: [row({ replies: 1 })], outcomes: [outcome()] };
      for (const each of [sql, other, sql]) await addUsageRows(each, writer, counts);
      await other.close();
      assert.deepEqual(await repliesBy(sql, "day"), [["2026-11-16", 1]]);
      const [sum] = await readOutcomes(sql, { owner: "ann", events: ["overflow.failed"], since: "" });
      assert.equal(sum?.count, 1);
    });

    promise("has outcomes per day, run, client and tool, of one owner or of all", async (sql, { connect }) => {
      const other = await connect();
      await addOutcomes(sql, [outcome(), outcome({ reason: "does_not_fit", count: 5 })]);
      await addOutcomes(other, [outcome({ client: "codex" }), outcome({ event: "ingest.failed" })], { run: "two" });
      await addOutcomes(other, [outcome({ count: 100 })], { owner: "bob" });
      await other.close();
      const query = { owner: "ann", events: ["overflow.failed"], since: "" } as const;
      assert.deepEqual(await readOutcomes(sql, query), [
        { name: "", event: "overflow.failed", kind: "context_tokens", reason: "does_not_fit", ...sizes(5) },
        {
          name: "",
          event: "overflow.failed",
          kind: "context_tokens",
          reason: "nothing_to_shed",
          ...sizes(2),
          bytes_before: 200,
          bytes_after: 120,
        },
      ]);
      for (const [by, expected] of [
        ["day", { "2026-11-16": 7 }],
        ["run", { one: 6, two: 1 }],
        ["client", { "": 6, codex: 1 }],
        ["tool", { "": 7 }],
      ] as const) {
        const found: Record<string, number> = {};
        for (const { name, count } of await readOutcomes(sql, { ...query, by }))
          found[name] = (found[name] ?? 0) + count;
        assert.deepEqual(found, expected, by);
      }
      assert.equal((await readOutcomes(sql, { ...query, owner: undefined }))[0]?.count, 102);
      assert.deepEqual(await readOutcomes(sql, { ...query, since: "2026-11-17" }), []);
    });

    promise("knows the largest of each group with what it was allowed, also after runs were folded", async (sql) => {
      const reply = (client: string, largest: number, largest_limit: number, day = "2026-10-01") =>
        outcome({ event: "tool.called", client, kind: "client", reason: "", day, largest, largest_limit });
      await addOutcomes(sql, [reply("codex", 900, 1_000), reply("opencode", 5, 50)]);
      await addOutcomes(sql, [reply("codex", 1_200, 2_000)], { run: "two" });
      await addOutcomes(sql, [reply("codex", 30, 40)], { run: "three" });
      await addOutcomes(sql, [reply("codex", 20, 40, "2026-11-17")], { now: NOON + DAY_MS });
      const events = ["tool.called"] as const;
      const largest = await readLargest(sql, { owner: "ann", events, since: "", by: ["client"] }, 10);
      assert.deepEqual(
        largest.map((each) => [each.client, each.count, each.largest, each.largest_limit]),
        [
          ["codex", 4, 1_200, 2_000],
          ["opencode", 1, 5, 50],
        ],
      );
      const runs = await readOutcomes(sql, { owner: "ann", events, since: "", by: "run" });
      assert.deepEqual(
        runs.map(({ name, count }) => [name, count]),
        [
          ["", 4],
          ["one", 1],
        ],
      );
    });

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
