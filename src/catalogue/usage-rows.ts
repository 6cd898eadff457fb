/** Rows of usage: one for each owner, day, run, client and tool, so that a year is added up without reading event logs. */
import { dayOf, type UsageCount, type UsageRow, usageNames } from "../telemetry/usage.ts";
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

/** Adds what a run has used. The first rows of a day also fold and delete old ones. */
export async function addUsageRows(
  sql: Sql,
  { owner, run, now }: { readonly owner: string; readonly run: string; readonly now: number },
  rows: readonly UsageRow[],
): Promise<void> {
  await sql.transact(async (queries) => {
    const isNewDay = !(await hasDay(queries, owner, dayOf(now)));
    // Always in one order, so that two processes do not wait for each other's rows.
    for (const { day, client, tool, usage } of rows.toSorted(compareRows))
      await queries.run(
        `INSERT INTO usage_days (${columns}) VALUES (${marks}) ${merge}`,
        ...[owner, day, run, client, tool],
        ...usageNames.map((name) => Math.round(usage[name] ?? 0)),
      );
    if (isNewDay) await foldOldDays(queries, owner, now);
  });
}

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
