/** The catalogue: a database with its tables, prepared at the first query. */
import { updateSchema } from "./schema.ts";
import { CatalogueError, type Sql, type SqlRow, type SqlValue } from "./sql.ts";
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

  /** Where there is no database and none can be created, there are no rows. */
  async function query<T>(find: (sql: Sql) => Promise<T>, nothing: T): Promise<T> {
    try {
      return await find(await ready());
    } catch (error) {
      if (error instanceof CatalogueError && error.isAbsent) return nothing;
      throw error;
    }
  }

  return {
    all: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query<Row[]>((database) => database.all(statement, ...values), []),
    get: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query<Row | undefined>((database) => database.get(statement, ...values), undefined),
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
