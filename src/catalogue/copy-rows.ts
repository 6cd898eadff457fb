/** Copies rows from one catalogue to another, page by page; what the other has already stays as it is. */
import type { Queries, Sql, SqlRow, SqlValue } from "./sql.ts";

/** The tables that are copied, with the columns that identify a row. Totals are counted again afterwards. */
const copiedTables = {
  artifacts: ["owner", "ref"],
  uses: ["owner", "run", "ref"],
  tombstones: ["owner", "ref"],
  responses: ["owner", "id"],
  cache_entries: ["owner", "digest"],
  usage_days: ["owner", "day", "run", "client", "tool"],
  index_generations: ["owner", "project", "repository"],
  index_segments: ["object_key"],
  outcome_days: ["owner", "day", "run", "client", "tool", "event", "kind", "reason"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type CopiedTable = keyof typeof copiedTables;

export const copiedTableNames = Object.keys(copiedTables) as CopiedTable[];

const PAGE_ROWS = 200;

/** Copies a table and says how many rows it added. `isWanted` chooses the rows of a page. */
export async function copyRows(
  from: Sql,
  to: Sql,
  table: CopiedTable,
  choose: (rows: readonly SqlRow[]) => Promise<readonly SqlRow[]>,
): Promise<number> {
  let added = 0;
  for await (const page of pagesOf(from, table)) {
    const rows = await choose(page);
    added += await to.transact((queries) => addRows(queries, table, rows), { durable: true });
  }
  return added;
}

/** All rows of a table, in the order of its key. */
export async function* pagesOf(from: Sql, table: CopiedTable): AsyncGenerator<readonly SqlRow[]> {
  const columns = copiedTables[table];
  const list = columns.join(", ");
  const marks = columns.map(() => "?").join(", ");
  let after: SqlValue[] | undefined;
  do {
    const position = after === undefined ? "" : `WHERE (${list}) > (${marks})`;
    const rows: SqlRow[] = await from.all(
      `SELECT * FROM ${table} ${position} ORDER BY ${list} LIMIT ?`,
      ...(after ?? []),
      PAGE_ROWS,
    );
    yield rows;
    const last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
    after = last && columns.map((column) => last[column] ?? null);
  } while (after !== undefined);
}

async function addRows(queries: Queries, table: CopiedTable, rows: readonly SqlRow[]): Promise<number> {
  let added = 0;
  for (const row of rows) {
    const columns = Object.keys(row);
    added += await queries.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${copiedTables[table].join(", ")}) DO NOTHING`,
      ...Object.values(row),
    );
  }
  return added;
}

/** Counts what owners and runs have, from the rows themselves. Bytes count once per owner and content. */
export async function recountTotals(queries: Queries): Promise<void> {
  await queries.run(
    `INSERT INTO owners (owner, artifacts, bytes)
     SELECT owner, sum(artifacts), sum(bytes) FROM (
       SELECT owner, count(*) AS artifacts, max(stored_bytes) AS bytes FROM artifacts GROUP BY owner, sha256) AS contents
     WHERE true GROUP BY owner
     ON CONFLICT (owner) DO UPDATE SET artifacts = excluded.artifacts, bytes = excluded.bytes`,
  );
  await queries.run("DELETE FROM runs");
  await queries.run(
    "INSERT INTO runs (owner, run, artifacts) SELECT owner, run, count(*) FROM uses GROUP BY owner, run",
  );
}
