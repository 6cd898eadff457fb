/** Makes SQLite files for tests. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "../src/system/load-sqlite.ts";
import { makeTemporaryFolder } from "./bodies.ts";

/** The bytes of a database after these statements. */
export async function makeSqlite(statements: string): Promise<Buffer> {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, "test.sqlite");
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
  return await readFile(path);
}
