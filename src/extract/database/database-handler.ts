/** The database handler: tables, columns, row counts and first rows of SQLite and Parquet files, read in a child process. */
import type { Handler } from "../handler.ts";
import { runEngine } from "../pool/run-engine.ts";

/** What a file states about itself. */
export type DatabaseFacts = { readonly tableCount: number; readonly rowCount: number };

const mediaTypes = ["application/vnd.sqlite3", "application/vnd.apache.parquet"];

/** A query in SQL, as opposed to a question in words. */
const SQL = /^\s*(select\s|values\s*\(|explain\s|with\s[\s\S]*\bas\s*(?:(?:not\s+)?materialized\s*)?\()/i;

export const database: Handler<DatabaseFacts> = {
  name: "database",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaTypes.includes(mediaType),
  extract: (file, options, signal) => runEngine("database", file, options, signal),
  readsRows: (mediaType) => mediaType === "application/vnd.apache.parquet",
  isQuery: (mediaType, query) => mediaType === "application/vnd.sqlite3" && SQL.test(query),

  describe: ({ tableCount, rowCount }) => ({
    ...(tableCount === undefined ? {} : { extent: `tables ${tableCount}` }),
    ...(rowCount === undefined ? {} : { extent: `rows ${rowCount}` }),
    ...(tableCount === undefined
      ? {}
      : { warnings: ["A query that begins with SELECT or WITH is run as SQL on the database, which is only read."] }),
  }),
};
