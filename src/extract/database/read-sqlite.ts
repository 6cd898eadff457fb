/** Reads SQLite databases: their tables with row counts and first rows, and the result of one query. Nothing is written. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "../../system/load-sqlite.ts";
import { formatCount, formatNumber } from "../../system/quantities.ts";
import { FailureError } from "../failure-error.ts";
import type { Info, LocalFile } from "../handler.ts";
import type { DatabaseFacts } from "./database-handler.ts";
import { formatHeader, formatRow, MAX_RESULT_CHARS, MAX_RESULT_ROWS } from "./markdown-rows.ts";

type Database = InstanceType<typeof DatabaseSync>;

/** Facts, and the text in pieces. */
export type DatabaseText = { readonly info: Info<DatabaseFacts>; readonly texts: AsyncGenerator<string> };

const MAX_TABLES = 500;
const FIRST_ROWS = 5;

/** Rows are counted up to here: a count reads the whole table. */
const MAX_COUNTED_ROWS = 1_000_000;

/** The name and the SQL of a table or view. */
type TableRow = { readonly name: string; readonly type: string; readonly sql: string | null };

/** The tables of a database in order of their names. */
export async function readSqlite(file: LocalFile): Promise<DatabaseText> {
  const opened = openDatabase(file);
  try {
    const tables = listTables(opened.database);
    return { info: { tableCount: tables.length }, texts: describeTables(opened, tables.slice(0, MAX_TABLES)) };
  } catch (error) {
    opened.close();
    throw toFailure(error);
  }
}

/** The rows of a query as a table. */
export function querySqlite(file: LocalFile, query: string): DatabaseText {
  return { info: {}, texts: runQuery(openDatabase(file), query) };
}

type OpenedDatabase = { readonly database: Database; close(): void };

/** Opened as a file that nobody changes: neither locks nor a journal are looked for or left behind. */
function openDatabase(file: LocalFile): OpenedDatabase {
  const { path, remove } = toPath(file);
  try {
    const database = openReadOnly(path);
    // A database made to harm its readers cannot run functions through its schema.
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON");
    return {
      database,
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw toFailure(error);
  }
}

function openReadOnly(path: string): Database {
  const options = { readOnly: true, enableForeignKeyConstraints: false };
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  try {
    return new DatabaseSync(url, options);
  } catch (error) {
    // Node before 22.15 takes only paths.
    if (error instanceof TypeError) return new DatabaseSync(path, options);
    throw error;
  }
}

/** SQLite opens files only, so small sources that are in memory are written to one. */
function toPath({ content }: LocalFile): { path: string; remove(): void } {
  if ("path" in content) return { path: content.path, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "spillway-sqlite-"));
  const path = join(folder, "database");
  writeFileSync(path, content.bytes, { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function toFailure(error: unknown): FailureError {
  const message = error instanceof Error ? error.message : String(error);
  // An encrypted database looks like random bytes after a header that says otherwise.
  return new FailureError("corrupt", message);
}

/** Tables before views; the tables in which a virtual table keeps its data are left out. */
function listTables(database: Database): TableRow[] {
  const sql = `SELECT name, sqlite_schema.type AS type, sql FROM sqlite_schema
    WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')
    ORDER BY type, name`;
  return database
    .prepare(sql)
    .all()
    .map(({ name, type, sql }) => ({ name: String(name), type: String(type), sql: sql === null ? null : String(sql) }));
}

async function* describeTables(
  { database, close }: OpenedDatabase,
  tables: readonly TableRow[],
): AsyncGenerator<string> {
  try {
    for (const table of tables) yield describeTable(database, table);
  } finally {
    close();
  }
}

/** A table that cannot be read, such as one of an extension, says why; the others follow. */
function describeTable(database: Database, { name, type, sql }: TableRow): string {
  const definition = sql === null ? "" : `\`\`\`sql\n${sql.replaceAll("```", "` ` `").slice(0, 4_000)}\n\`\`\`\n\n`;
  const title = `## ${name.replaceAll(/\s+/g, " ")}\n\n`;
  try {
    // A view may take any time, so it runs only if a query asks for it.
    if (type === "view") return `${title}View.\n\n${definition}`;
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const { columns, rows } = readFirstRows(database, `SELECT * FROM ${quoted}`, FIRST_ROWS);
    const count = countRows(database, quoted);
    return `${title}${count}.\n\n${definition}${formatHeader(columns)}${rows.map(formatRow).join("")}\n`;
  } catch (error) {
    return `${title}It cannot be read: ${error instanceof Error ? error.message : error}.\n\n${definition}`;
  }
}

function countRows(database: Database, quotedName: string): string {
  const sql = `SELECT count(*) AS rows FROM (SELECT 1 FROM ${quotedName} LIMIT ${MAX_COUNTED_ROWS + 1})`;
  const count = Number(database.prepare(sql).get()?.rows ?? 0);
  if (count > MAX_COUNTED_ROWS) return `More than ${formatNumber(MAX_COUNTED_ROWS)} rows`;
  return formatCount(count, "row");
}

type Rows = { readonly columns: readonly string[]; readonly rows: unknown[][] };

function readFirstRows(database: Database, sql: string, maxRows: number): Rows {
  let columns: readonly string[] = [];
  const rows: unknown[][] = [];
  for (const item of iterateRows(database, sql)) {
    if ("columns" in item) columns = item.columns;
    else rows.push(item.row);
    if (rows.length === maxRows) break;
  }
  return { columns, rows };
}

/** The names of the columns, then each row. Only the first statement of a text is prepared. */
function* iterateRows(
  database: Database,
  sql: string,
): Generator<{ readonly columns: readonly string[] } | { readonly row: unknown[] }> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  // Node before 22.16 knows the names only from a row.
  let columns = statement.columns?.().map(({ name }) => name);
  if (columns !== undefined) yield { columns };
  for (const row of statement.iterate()) {
    if (columns === undefined) {
      columns = Object.keys(row);
      yield { columns };
    }
    yield { row: columns.map((column) => row[column]) };
  }
}

/** The caller has seen that the query only reads; the database is opened for nothing else. */
async function* runQuery({ database, close }: OpenedDatabase, query: string): AsyncGenerator<string> {
  try {
    let [count, chars] = [0, 0];
    for (const item of iterateRows(database, query)) {
      if (count === MAX_RESULT_ROWS || chars >= MAX_RESULT_CHARS) {
        yield `\nMore rows follow: add LIMIT and OFFSET ${count} to the query.\n`;
        return;
      }
      const line = "columns" in item ? formatHeader(item.columns) : formatRow(item.row);
      if ("row" in item) count++;
      chars += line.length;
      yield line;
    }
    yield `\n${formatCount(count, "row")}.\n`;
  } catch (error) {
    throw toFailure(error);
  } finally {
    close();
  }
}
