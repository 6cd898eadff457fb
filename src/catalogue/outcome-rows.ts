/** Reads rows of outcomes: how often something ended in one way, over a year in a few milliseconds. */
import type { EventName } from "../telemetry/events.ts";
import type { OutcomeRow } from "../telemetry/usage.ts";
import type { Queries, SqlValue } from "./sql.ts";
import type { UsageGroup } from "./usage-rows.ts";

/** The sum of an outcome. `name` is its day, run, client or tool where it was grouped by that, else empty. */
export type OutcomeSum = Pick<OutcomeRow, "event" | "kind" | "reason" | "count" | "bytes_before" | "bytes_after"> & {
  readonly name: string;
};

export type OutcomeQuery = {
  /** Whose outcomes; those of all owners without. */
  readonly owner?: string | undefined;
  readonly events: readonly EventName[];
  /** The first day. */
  readonly since: string;
};

/** The most frequent first; days in order. */
export async function readOutcomes(
  queries: Queries,
  { by, ...query }: OutcomeQuery & { readonly by?: UsageGroup | undefined },
): Promise<OutcomeSum[]> {
  const { where, values } = writeWhere(query);
  const name = by ?? "''";
  const rows = await queries.all<Record<string, SqlValue>>(
    `SELECT ${name} AS name, event, kind, reason, SUM(count) AS count, SUM(bytes_before) AS bytes_before,
       SUM(bytes_after) AS bytes_after
     FROM outcome_days WHERE ${where} GROUP BY ${by === undefined ? "" : `${by}, `}event, kind, reason
     ORDER BY ${by === "day" ? "name, " : ""}SUM(count) DESC, event, kind, reason`,
    ...values,
  );
  return rows.map((row) => ({
    name: String(row.name),
    event: String(row.event) as EventName,
    ...{ kind: String(row.kind), reason: String(row.reason), count: Number(row.count) },
    ...{ bytes_before: Number(row.bytes_before), bytes_after: Number(row.bytes_after) },
  }));
}

/** The largest size of a group, what was allowed then, and how often there was one. */
export type LargestOutcome = Pick<
  OutcomeRow,
  "client" | "tool" | "kind" | "reason" | "count" | "largest" | "largest_limit"
>;

/** The largest of each group, the largest group first. */
export async function readLargest(
  queries: Queries,
  { by, ...query }: OutcomeQuery & { readonly by: readonly ("client" | "kind" | "reason")[] },
  maxGroups: number,
): Promise<LargestOutcome[]> {
  const { where, values } = writeWhere(query);
  const group = by.join(", ");
  const rows = await queries.all<Record<string, SqlValue>>(
    `SELECT client, tool, kind, reason, total, largest, largest_limit FROM (
       SELECT client, tool, kind, reason, largest, largest_limit, SUM(count) OVER (PARTITION BY ${group}) AS total,
         ROW_NUMBER() OVER (PARTITION BY ${group} ORDER BY largest DESC, day DESC) AS place
       FROM outcome_days WHERE ${where}) AS placed
     WHERE place = 1 ORDER BY largest DESC, ${group} LIMIT ?`,
    ...values,
    maxGroups,
  );
  return rows.map((row) => ({
    ...{ client: String(row.client), tool: String(row.tool), kind: String(row.kind), reason: String(row.reason) },
    ...{ count: Number(row.total), largest: Number(row.largest), largest_limit: Number(row.largest_limit) },
  }));
}

function writeWhere({ owner, events, since }: OutcomeQuery): { where: string; values: SqlValue[] } {
  const names = events.map(() => "?").join(", ");
  return {
    where: `${owner === undefined ? "" : "owner = ? AND "}day >= ? AND event IN (${names})`,
    values: [...(owner === undefined ? [] : [owner]), since, ...events],
  };
}
