/** Rows of usage: one for each owner, day, run, client and tool, so that a year is added up without reading event logs. */
import {
  dayOf,
  type OutcomeRow,
  type UsageBatch,
  type UsageCount,
  type UsageRow,
  usageNames,
} from "../telemetry/usage.ts";
import type { Queries, Sql, SqlValue } from "./sql.ts";

/** What rows are grouped by. */
export const usageGroups = ["day", "run", "client", "tool"] as const;

export type UsageGroup = (typeof usageGroups)[number];

/** The usage of one day, run, client or tool. */
export type GroupedUsage = { readonly name: string; readonly usage: Readonly<Record<UsageCount, number>> };

/** Older days keep no runs: on a busy machine every command is a run, and a year would have millions. */
const RUN_DAYS = 31;

/** Older days are deleted: a year, and the month that it is compared with. */
const KEPT_DAYS = 400;

const DAY_MS = 24 * 60 * 60 * 1_000;

const keys = ["owner", "day", "run", "client", "tool"];
const columns = [...keys, ...usageNames].join(", ");
const marks = [...keys, ...usageNames].map(() => "?").join(", ");
const merge = `ON CONFLICT (${keys.join(", ")}) DO UPDATE SET
  ${usageNames.map((name) => `${name} = usage_days.${name} + excluded.${name}`).join(", ")}`;
const sums = usageNames.map((name) => `SUM(${name}) AS ${name}`).join(", ");

const outcomeKeys = [...keys, "event", "kind", "reason"] as const;
const outcomeSums = ["count", "bytes_before", "bytes_after"] as const;
const outcomeColumns = [...outcomeKeys, ...outcomeSums, "largest", "largest_limit"];
const mergeOutcomes = `ON CONFLICT (${outcomeKeys.join(", ")}) DO UPDATE SET
  ${outcomeSums.map((name) => `${name} = outcome_days.${name} + excluded.${name}`).join(", ")},
  largest_limit = CASE WHEN excluded.largest > outcome_days.largest
    THEN excluded.largest_limit ELSE outcome_days.largest_limit END,
  largest = CASE WHEN excluded.largest > outcome_days.largest THEN excluded.largest ELSE outcome_days.largest END`;
const insertOutcome = `INSERT INTO outcome_days (${outcomeColumns.join(", ")})
  VALUES (${outcomeColumns.map(() => "?").join(", ")}) ${mergeOutcomes}`;

export type UsageWriter = {
  readonly owner: string;
  readonly run: string;
  readonly now: number;
  /** The id of the batch: written a second time, it adds nothing. */
  readonly batch: string;
};

/** Adds what a run has used, all of it or nothing. The first rows of a day also fold and delete old ones. */
export async function addUsageRows(
  sql: Sql,
  { owner, run, now, batch }: UsageWriter,
  { rows, outcomes }: UsageBatch,
): Promise<void> {
  await sql.transact(async (queries) => {
    if (!(await noteBatch(queries, batch, now))) return;
    const isNewDay = !(await hasDay(queries, owner, dayOf(now)));
    // Always in one order, so that two processes do not wait for each other's rows.
    for (const { day, client, tool, usage } of rows.toSorted(compareRows))
      await queries.run(
        `INSERT INTO usage_days (${columns}) VALUES (${marks}) ${merge}`,
        ...[owner, day, run, client, tool],
        ...usageNames.map((name) => Math.round(usage[name] ?? 0)),
      );
    for (const row of outcomes.toSorted(compareOutcomes))
      await queries.run(insertOutcome, owner, row.day, run, ...outcomeValues(row));
    if (isNewDay) await foldOldDays(queries, owner, now);
  });
}

/** Whether it is new. Two that write the same one at once conflict, and one of them fails. */
async function noteBatch(queries: Queries, id: string, now: number): Promise<boolean> {
  if ((await queries.get("SELECT 1 AS found FROM usage_batches WHERE id = ?", id)) !== undefined) return false;
  await queries.run("INSERT INTO usage_batches (id, written_at) VALUES (?, ?)", id, now);
  return true;
}

const outcomeValues = (row: OutcomeRow): SqlValue[] => [
  ...[row.client, row.tool, row.event, row.kind, row.reason],
  ...[row.count, row.bytes_before, row.bytes_after, row.largest, row.largest_limit].map(Math.round),
];

const compareOutcomes = (one: OutcomeRow, other: OutcomeRow): number => (outcomeKey(one) < outcomeKey(other) ? -1 : 1);

const outcomeKey = ({ day, client, tool, event, kind, reason }: OutcomeRow): string =>
  [day, client, tool, event, kind, reason].join("\n");

const compareRows = (one: UsageRow, other: UsageRow): number => (keyOf(one) < keyOf(other) ? -1 : 1);

const keyOf = ({ day, client, tool }: UsageRow): string => [day, client, tool].join("\n");

async function hasDay(queries: Queries, owner: string, day: string): Promise<boolean> {
  return (
    (await queries.get("SELECT 1 AS found FROM usage_days WHERE owner = ? AND day = ? LIMIT 1", owner, day)) !==
    undefined
  );
}

async function foldOldDays(queries: Queries, owner: string, now: number): Promise<void> {
  await queries.run("DELETE FROM usage_days WHERE owner = ? AND day < ?", owner, dayOf(now - KEPT_DAYS * DAY_MS));
  const old = "owner = ? AND day < ? AND run <> ''";
  const values = [owner, dayOf(now - RUN_DAYS * DAY_MS)];
  await queries.run(
    `INSERT INTO usage_days (${columns})
     SELECT owner, day, '', client, tool, ${sums} FROM usage_days WHERE ${old} GROUP BY owner, day, client, tool ${merge}`,
    ...values,
  );
  await queries.run(`DELETE FROM usage_days WHERE ${old}`, ...values);
  await foldOutcomes(queries, owner, now);
}

async function foldOutcomes(queries: Queries, owner: string, now: number): Promise<void> {
  await queries.run("DELETE FROM usage_batches WHERE written_at < ?", now - RUN_DAYS * DAY_MS);
  await queries.run("DELETE FROM outcome_days WHERE owner = ? AND day < ?", owner, dayOf(now - KEPT_DAYS * DAY_MS));
  const old = "owner = ? AND day < ? AND run <> ''";
  const values = [owner, dayOf(now - RUN_DAYS * DAY_MS)];
  // Row by row, because the limit belongs to the largest of several: a day has few of them.
  const rows = await queries.all<OutcomeRow>(`SELECT * FROM outcome_days WHERE ${old}`, ...values);
  for (const row of rows) await queries.run(insertOutcome, owner, row.day, "", ...outcomeValues(row));
  await queries.run(`DELETE FROM outcome_days WHERE ${old}`, ...values);
}

export type UsageQuery = {
  /** Whose usage; that of all owners without. */
  readonly owner?: string;
  readonly by: UsageGroup;
  /** The first day. */
  readonly since: string;
};

/** Usage by day (the first one first), or by run, client or tool (the one with the most replies first). */
export async function readUsage(queries: Queries, { owner, by, since }: UsageQuery): Promise<GroupedUsage[]> {
  const values: SqlValue[] = owner === undefined ? [since] : [owner, since];
  const rows = await queries.all<Record<string, SqlValue>>(
    `SELECT ${by} AS name, ${sums} FROM usage_days WHERE ${owner === undefined ? "" : "owner = ? AND "}day >= ?
     GROUP BY ${by} ORDER BY ${by === "day" ? "name" : "SUM(replies) DESC, name"}`,
    ...values,
  );
  return rows.map((row) => ({ name: String(row.name), usage: readCounts(row) }));
}

function readCounts(row: Readonly<Record<string, SqlValue>>): Record<UsageCount, number> {
  return Object.fromEntries(usageNames.map((name) => [name, Number(row[name])])) as Record<UsageCount, number>;
}

/** The sum of grouped usage. */
export function sumUsage(groups: readonly GroupedUsage[]): Readonly<Record<UsageCount, number>> {
  const sum = (name: UsageCount) => groups.reduce((total, { usage }) => total + usage[name], 0);
  return Object.fromEntries(usageNames.map((name) => [name, sum(name)])) as Record<UsageCount, number>;
}
