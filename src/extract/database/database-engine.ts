/** Reads databases in a child process. */
import { FailureError } from "../failure-error.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import { readParquet } from "./read-parquet.ts";
import { querySqlite, readSqlite } from "./read-sqlite.ts";

export const databaseEngine: Engine = {
  async *extract(file, { from, query }) {
    try {
      const read = file.mediaType === "application/vnd.apache.parquet" ? readParquet : readSqlite;
      const { info, texts } = query === undefined ? await read(file) : querySqlite(file, query);
      yield { info };
      yield* toTextSegments(texts, { from, isMarkdown: query === undefined });
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      yield { failed: { reason: error.reason, detail: error.message } };
    }
  },
};
