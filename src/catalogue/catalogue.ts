/** The catalogue: a database with its tables, prepared at the first query. */
import { updateSchema } from "./schema.ts";
import type { Sql } from "./sql.ts";
import { sqliteSql } from "./sqlite-sql.ts";

export type Catalogue = Sql;

/** Prepares the database before its first query: its tables, and what else is given. A failure is tried again. */
export function openCatalogue(sql: Sql, prepare: (sql: Sql) => Promise<void> = async () => undefined): Catalogue {
  let preparing: Promise<void> | undefined;

  async function ready(): Promise<Sql> {
    preparing ??= updateSchema(sql).then(() => prepare(sql));
    try {
      await preparing;
    } catch (error) {
      preparing = undefined;
      throw error;
    }
    return sql;
  }

  return {
    all: async (statement, ...values) => (await ready()).all(statement, ...values),
    get: async (statement, ...values) => (await ready()).get(statement, ...values),
    run: async (statement, ...values) => (await ready()).run(statement, ...values),
    transact: async (work, options) => (await ready()).transact(work, options),
    copyTo: async (path) => (await ready()).copyTo(path),
    findDamage: () => sql.findDamage(),
    close: async () => {
      preparing = undefined;
      await sql.close();
    },
  };
}

/** A catalogue that lasts as long as the process. */
export const memoryCatalogue = (): Catalogue => openCatalogue(sqliteSql());
