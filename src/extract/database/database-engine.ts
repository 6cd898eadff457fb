/** Reads databases in a child process. */
import { FailureError } from "../failure-error.ts";
import type { HandlerOptions, LocalFile } from "../handler.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import { readParquet, readParquetRows } from "./read-parquet.ts";
import { type DatabaseText, querySqlite, readSqlite } from "./read-sqlite.ts";

/** The description of a database, or what was asked of it. */
async function open(file: LocalFile, { query, rows }: HandlerOptions): Promise<DatabaseText> {
  if (query !== undefined) return querySqlite(file, query);
  if (file.mediaType !== "application/vnd.apache.parquet") return readSqlite(file);
  return rows === undefined ? readParquet(file) : readParquetRows(file, rows);
}

export const databaseEngine: Engine = {
  async *extract(file, options) {
    const { from, query, rows } = options;
    try {
      const { info, texts } = await open(file, options);
      yield { info };
      yield* toTextSegments(texts, { from, isMarkdown: query === undefined && rows === undefined });
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      yield { failed: { reason: error.reason, detail: error.message } };
    }
  },
};
