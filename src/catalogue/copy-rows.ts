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
    // The other store may be anybody's file: a column whose name is not one of ours must not become SQL.
    const columns = Object.keys(row).filter((column) => /^[a-z][a-z0-9_]*$/.test(column));
    added += await queries.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${copiedTables[table].join(", ")}) DO NOTHING`,
      ...columns.map((column) => row[column] ?? null),
    );
  }
  return added;
}

/** Counts what owners and runs have, from the rows themselves: owner by owner, because each statement has its deadline. */
export async function recountTotals(sql: Sql): Promise<void> {
  for (let owner = await nextOwner(sql, ""); owner !== undefined; owner = await nextOwner(sql, owner)) {
    const current = owner;
    await sql.transact((queries) => recountOwner(queries, current), { durable: true });
  }
}

async function nextOwner(queries: Queries, after: string): Promise<string | undefined> {
  const row = await queries.get<{ owner: string }>(
    "SELECT owner FROM artifacts WHERE owner > ? ORDER BY owner LIMIT 1",
    after,
  );
  return row?.owner;
}

/** Bytes count once per content. */
async function recountOwner(queries: Queries, owner: string): Promise<void> {
  await Promise.all([
    queries.run(
      `INSERT INTO owners (owner, artifacts, bytes)
       SELECT owner, sum(artifacts), sum(bytes) FROM (
         SELECT owner, count(*) AS artifacts, max(stored_bytes) AS bytes FROM artifacts
         WHERE owner = ? GROUP BY owner, sha256) AS contents
       WHERE true GROUP BY owner
       ON CONFLICT (owner) DO UPDATE SET artifacts = excluded.artifacts, bytes = excluded.bytes`,
      owner,
    ),
    queries.run("DELETE FROM runs WHERE owner = ?", owner),
    queries.run(
      `INSERT INTO runs (owner, run, artifacts)
       SELECT owner, run, count(*) FROM uses WHERE owner = ? GROUP BY owner, run`,
      owner,
    ),
  ]);
}
