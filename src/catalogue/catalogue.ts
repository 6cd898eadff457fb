/** The catalogue: a database with its tables, prepared at the first query. */
import { isOlderSchema, updateSchema } from "./schema.ts";
import { CatalogueError, type CatalogueFault, type Sql, type SqlRow, type SqlValue } from "./sql.ts";
import { sqliteSql } from "./sqlite-sql.ts";

export type Catalogue = Sql;

/** Why tables cannot be changed now although their rows can be read. */
const unchangeable: readonly CatalogueFault[] = ["busy", "read_only", "full"];

export type CatalogueOptions = {
  /** What else to do before the first query. */
  readonly prepare?: () => Promise<void>;
  /** Where queries find rows if there is no database and none can be created. Default: they find none. */
  readonly openSubstitute?: () => Promise<Sql>;
};

/** Prepares the database before its first query: its tables, and what else is given. A failure is tried again. */
export function openCatalogue(sql: Sql, { prepare, openSubstitute }: CatalogueOptions = {}): Catalogue {
  let preparing: Promise<void> | undefined;
  let substitute: Promise<Sql> | undefined;

  async function ready(): Promise<Sql> {
    preparing ??= updateSchema(sql).then(prepare);
    try {
      await preparing;
    } catch (error) {
      preparing = undefined;
      throw error;
    }
    return sql;
  }

  async function query<T>(find: (sql: Sql) => Promise<T>, nothing: T): Promise<T> {
    try {
      return await find(await ready());
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      if (error.isAbsent) return openSubstitute === undefined ? nothing : find(await readySubstitute(openSubstitute));
      if (!unchangeable.includes(error.fault) || !(await isOlderSchema(sql))) throw error;
      return findInOlder(find, nothing);
    }
  }

  /** An older version whose tables cannot be added to is read as it is: the tables that it lacks have no rows. */
  async function findInOlder<T>(find: (sql: Sql) => Promise<T>, nothing: T): Promise<T> {
    try {
      return await find(sql);
    } catch (error) {
      if (error instanceof CatalogueError) throw error;
      return nothing;
    }
  }

  async function readySubstitute(open: () => Promise<Sql>): Promise<Sql> {
    substitute ??= open();
    try {
      return await substitute;
    } catch (error) {
      substitute = undefined;
      throw error;
    }
  }

  /** Without the preparation, which fails on a damaged database. One that is absent is not damaged. */
  async function findDamage(): Promise<readonly string[]> {
    try {
      return await sql.findDamage();
    } catch (error) {
      if (error instanceof CatalogueError && error.isAbsent) return [];
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
    findDamage,
    close: async () => {
      preparing = undefined;
      await (await substitute?.catch(() => undefined))?.close();
      substitute = undefined;
      await sql.close();
    },
  };
}

/** A catalogue that lasts as long as the process. */
export const memoryCatalogue = (): Catalogue => openCatalogue(sqliteSql());
