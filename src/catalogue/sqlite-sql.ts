/** SQLite behind the Sql contract: one connection, write-ahead log, shared with other processes. */
import * as nodeFiles from "node:fs";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import { isBusy, isDamaged, isFull, isMistake, isNullRefused, isReadOnly, makePrivate } from "../system/sqlite.ts";
import {
  CatalogueError,
  type Queries,
  REQUIREMENT,
  RequirementError,
  type Sql,
  type SqlRow,
  type SqlValue,
  type TransactionOptions,
} from "./sql.ts";

export type SqliteOptions = {
  /** How long to wait for other processes. */
  readonly busyMs?: number;
  /** The file system calls; tests pass in ones that fail. */
  readonly files?: SqliteFiles;
};

export type SqliteFiles = Pick<typeof nodeFiles, "openSync" | "fdatasync" | "closeSync">;

/** Longer than any transaction of ours takes on a slow disk. */
const DEFAULT_BUSY_MS = 15_000;

/** The database in this file, opened and created at the first query; without a path, a database in memory. */
export function sqliteSql(path?: string, options: SqliteOptions = {}): Sql {
  const { busyMs = DEFAULT_BUSY_MS, files = nodeFiles } = options;
  const takeTurn = createTurns();
  let opening: Promise<Connection> | undefined;
  /** After one call has waited in vain, the next ones wait for less, so that one reply waits only once. */
  let waitMs = busyMs;
  /** Whether the last change was refused although the database was opened for changes. */
  let wasRefused = false;

  async function waitForOthers<T>(attempt: () => T | Promise<T>, patienceMs = busyMs): Promise<T> {
    try {
      const result = await retryWhileBusy(attempt, Math.min(waitMs, patienceMs));
      waitMs = busyMs;
      return result;
    } catch (error) {
      const isInVain = error instanceof CatalogueError && error.fault === "busy" && patienceMs >= busyMs;
      if (isInVain) waitMs = busyMs / 50;
      throw error;
    }
  }

  async function connect(): Promise<Connection> {
    opening ??= waitForOthers(() => openConnection(path, files));
    try {
      return await opening;
    } catch (error) {
      opening = undefined; // The next query tries again.
      throw error;
    }
  }

  /** A database that could only be read is opened again: the disk may take changes by now. */
  async function connectToChange(): Promise<Connection> {
    const current = await connect();
    if (current.refusal === undefined && !wasRefused) return current;
    wasRefused = false;
    current.close();
    opening = undefined;
    const next = await connect();
    if (next.refusal !== undefined) throw next.refusal;
    return next;
  }

  async function query<T>(run: (connection: Connection) => T): Promise<T> {
    return takeTurn(async () => {
      const connection = await connect();
      return waitForOthers(() => run(connection));
    });
  }

  async function change<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return takeTurn(async () => {
      const connection = await connectToChange();
      try {
        return await work(connection);
      } catch (error) {
        wasRefused = error instanceof CatalogueError && error.fault === "read_only";
        throw error;
      }
    });
  }

  async function transact<T>(
    work: (queries: Queries) => Promise<T>,
    { durable = false, isOneStatement = false, isOneBatch = false, patienceMs }: TransactionOptions = {},
  ): Promise<T> {
    const { connection, result } = await change(async (current) => {
      // A statement alone is a transaction.
      if (isOneStatement)
        return { connection: current, result: await waitForOthers(() => runWork(current, work, true), patienceMs) };
      await waitForOthers(() => current.run("BEGIN IMMEDIATE", []), patienceMs);
      return { connection: current, result: await finish(current, work, isOneBatch) };
    });
    if (durable) await connection.syncLog();
    return result;
  }

  return {
    all: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query((connection) => connection.all<Row>(statement, values)),
    get: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query((connection) => connection.all<Row>(statement, values)[0]),
    run: (statement, ...values) => change((connection) => waitForOthers(() => connection.run(statement, values))),
    transact,
    async copyTo(target) {
      if (path === undefined) return false;
      await query(() => undefined); // Creates the database where there is none.
      await copyDatabase(path, target);
      return true;
    },
    async findDamage() {
      const rows = await query((connection) =>
        connection.all<{ integrity_check: string }>("PRAGMA integrity_check", []),
      );
      return rows.map((row) => row.integrity_check).filter((finding) => finding !== "ok");
    },
    close: () =>
      takeTurn(async () => {
        const connection = await opening?.catch(() => undefined);
        opening = undefined;
        connection?.close();
      }),
  };
}

async function finish<T>(
  connection: Connection,
  work: (queries: Queries) => Promise<T>,
  isOneBatch: boolean,
): Promise<T> {
  try {
    const result = await runWork(connection, work, isOneBatch);
    connection.run("COMMIT", []);
    return result;
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back already.
    if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
    throw toCatalogueError(error);
  }
}

async function runWork<T>(
  connection: Connection,
  work: (queries: Queries) => Promise<T>,
  isOneBatch: boolean,
): Promise<T> {
  let isOver = false;
  const current = (): Connection => {
    if (isOver) throw new Error("A query was given after its transaction.");
    return connection;
  };
  try {
    const working = work({
      all: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
        current().all<Row>(statement, values),
      get: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
        current().all<Row>(statement, values)[0],
      run: async (statement, ...values) => current().run(statement, values),
    });
    // What works here must work with drivers that send the commit now.
    isOver = isOneBatch;
    return await working;
  } finally {
    isOver = true;
  }
}

/** Copies in another thread and over a connection of its own, so that neither this process nor others wait. */
async function copyDatabase(path: string, target: string): Promise<void> {
  const { DatabaseSync, backup } = await import("../system/load-sqlite.ts");
  makePrivate(target);
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    // Node 22.13 has no backup.
    if (backup === undefined) source.prepare("VACUUM INTO ?").run(target);
    else await backup(source, target, { rate: ALL_PAGES });
  } catch (error) {
    throw toCatalogueError(error);
  } finally {
    source.close();
  }
}

/** In one step: a copy in several starts again whenever another process writes in between. */
const ALL_PAGES = 2 ** 31 - 1;

type Connection = {
  readonly database: DatabaseSync;
  /** Why the database can only be read; undefined if it can be changed. */
  readonly refusal: unknown;
  all<Row extends SqlRow>(statement: string, values: readonly SqlValue[]): Row[];
  run(statement: string, values: readonly SqlValue[]): number;
  /** Makes every committed transaction survive a power failure. */
  syncLog(): Promise<void>;
  close(): void;
};

async function openConnection(path: string | undefined, files: SqliteFiles): Promise<Connection> {
  const { DatabaseSync } = await import("../system/load-sqlite.ts");
  const { database, refusal } =
    path === undefined ? { database: new DatabaseSync(":memory:") } : await openDatabase(path, DatabaseSync);
  const statements = new Map<string, StatementSync>();
  const syncLog = path === undefined ? async () => undefined : makeLogSync(path, files);

  function prepare(statement: string): StatementSync {
    const prepared = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, prepared);
    return prepared;
  }

  return {
    database,
    refusal,
    all: <Row extends SqlRow>(statement: string, values: readonly SqlValue[]) =>
      prepare(statement).all(...values) as unknown as Row[],
    run: (statement, values) => Number(prepare(statement).run(...values).changes),
    syncLog,
    close() {
      statements.clear();
      database.close();
    },
  };
}

/** A folder or disk that takes no changes still lets the rows be read. */
async function openDatabase(path: string, Database: typeof DatabaseSync): Promise<OpenedDatabase> {
  try {
    await makeFolders(dirname(path));
    makePrivate(path);
    return { database: configure(new Database(path)) };
  } catch (error) {
    if (isDamaged(error) || isBusy(error)) throw error;
    if (isEmpty(path)) throw toAbsentError(error);
    return { database: openReadOnly(path, Database, error), refusal: toCatalogueError(error) };
  }
}

type OpenedDatabase = { readonly database: DatabaseSync; readonly refusal?: unknown };

/** Where a full disk had no room for the first page, there is a file without one. */
const isEmpty = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;

function toAbsentError(error: unknown): unknown {
  const known = toCatalogueError(error);
  return known instanceof CatalogueError ? new CatalogueError(known.fault, known.message, error, true) : known;
}

function configure(database: DatabaseSync): DatabaseSync {
  try {
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode;
    // The log is synced by syncLog, which does not hold the lock meanwhile as `synchronous = FULL` would. Some network
    // file systems have no log; there SQLite syncs at every commit.
    database.exec(`PRAGMA synchronous = ${mode === "wal" ? "NORMAL" : "FULL"}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Without a log and the right to create one, the file is read as it is: then nobody can be changing it. */
function openReadOnly(path: string, Database: typeof DatabaseSync, cause: unknown): DatabaseSync {
  const unchanging = new URL(pathToFileURL(path));
  unchanging.searchParams.set("immutable", "1");
  for (const location of [path, unchanging]) {
    const database = new Database(location, { readOnly: true });
    try {
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      return database;
    } catch {
      database.close(); // The next location may be readable.
    }
  }
  throw new CatalogueError("read_only", "The catalogue can be neither written nor read.", cause);
}

/**
 * Syncs the write-ahead log in the background thread of the file system. It gives what `synchronous = FULL` gives, while
 * other processes write and this one works. Commits that wait at the same time share one sync.
 */
function makeLogSync(path: string, files: SqliteFiles): () => Promise<void> {
  let isNew = true;
  return shareRuns(async () => {
    try {
      await sync(`${path}-wal`, files, "r+");
      // A new log survives a power failure only after its folder is synced. Windows cannot sync folders.
      if (isNew && process.platform !== "win32") await sync(dirname(path), files, "r");
      isNew = false;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return; // SQLite works without a log here and has synced.
      throw toCatalogueError(error);
    }
  });
}

/** Not kept open: a session that is never closed would leave a handle behind. */
async function sync(path: string, files: SqliteFiles, flags: string): Promise<void> {
  const file = files.openSync(path, flags);
  try {
    // Not by `promisify`, which takes longer to make the function than the call takes.
    await new Promise<void>((resolve, reject) => files.fdatasync(file, (error) => (error ? reject(error) : resolve())));
  } finally {
    files.closeSync(file);
  }
}

/** Callers that come during a run share the next one: the current run may have started before their change. */
function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        current = run();
        return current;
      });
    return next;
  };
}

/** One after the other, in the order of the calls. */
function createTurns(): <T>(turn: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (turn) => {
    const result = last.then(turn);
    last = result.catch(() => undefined);
    return result;
  };
}

const MAX_PAUSE_MS = 25;

async function retryWhileBusy<T>(attempt: () => T | Promise<T>, busyMs: number): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw toCatalogueError(error);
    }
    // Random, so that processes that failed together do not try together again.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** Errors of SQLite and of the file system as faults of the catalogue; other errors are bugs and stay as they are. */
function toCatalogueError(error: unknown): unknown {
  if (isNullRefused(error, REQUIREMENT.table, REQUIREMENT.column))
    return new RequirementError("A required row is missing.", { cause: error });
  if (error instanceof CatalogueError || systemCode(error) === undefined || isMistake(error)) return error;
  const sentence = error instanceof Error ? error.message : String(error);
  const code = systemCode(error) ?? "";
  if (isBusy(error)) return new CatalogueError("busy", sentence, error);
  if (isDamaged(error)) return new CatalogueError("damaged", sentence, error);
  if (isFull(error) || ["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return new CatalogueError("full", sentence, error);
  if (isReadOnly(error) || ["EROFS", "EACCES", "EPERM", "ENOTDIR"].includes(code)) {
    return new CatalogueError("read_only", sentence, error);
  }
  return new CatalogueError("failed", sentence, error);
}
