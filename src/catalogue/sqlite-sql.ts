/** SQLite behind the Sql contract: one connection, write-ahead log, shared with other processes. */
import { existsSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import { isBusy, isDamaged, isFull, isMistake, isReadOnly, makePrivate } from "../system/sqlite.ts";
import { CatalogueError, type Queries, type Sql, type SqlRow, type SqlValue, type TransactionOptions } from "./sql.ts";

export type SqliteOptions = {
  /** How long to wait for other processes. */
  readonly busyMs?: number;
};

/** Longer than any transaction of ours takes on a slow disk. */
const DEFAULT_BUSY_MS = 15_000;

/** The database in this file, opened and created at the first query; without a path, a database in memory. */
export function sqliteSql(path?: string, { busyMs = DEFAULT_BUSY_MS }: SqliteOptions = {}): Sql {
  const takeTurn = createTurns();
  let opening: Promise<Connection> | undefined;

  async function connect(): Promise<Connection> {
    opening ??= retryWhileBusy(() => openConnection(path), busyMs);
    try {
      return await opening;
    } catch (error) {
      opening = undefined; // The next query tries again.
      throw error;
    }
  }

  async function query<T>(run: (connection: Connection) => T): Promise<T> {
    return takeTurn(async () => {
      const connection = await connect();
      return retryWhileBusy(() => run(connection), busyMs);
    });
  }

  async function transact<T>(
    work: (queries: Queries) => Promise<T>,
    { durable = false }: TransactionOptions = {},
  ): Promise<T> {
    const { connection, result } = await takeTurn(async () => {
      const current = await connect();
      await retryWhileBusy(() => current.database.exec("BEGIN IMMEDIATE"), busyMs);
      return { connection: current, result: await finish(current, work) };
    });
    if (durable) await connection.syncLog();
    return result;
  }

  return {
    all: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query((connection) => connection.all<Row>(statement, values)),
    get: <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      query((connection) => connection.all<Row>(statement, values)[0]),
    run: (statement, ...values) => query((connection) => connection.run(statement, values)),
    transact,
    async copyTo(target) {
      if (path === undefined) return false;
      await query(({ database }) => database.prepare("VACUUM INTO ?").run(target));
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
        await connection?.close();
      }),
  };
}

async function finish<T>(connection: Connection, work: (queries: Queries) => Promise<T>): Promise<T> {
  try {
    const result = await work(queriesOf(connection));
    connection.database.exec("COMMIT");
    return result;
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back already.
    if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
    throw toCatalogueError(error);
  }
}

function queriesOf(connection: Connection): Queries {
  return {
    all: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      connection.all<Row>(statement, values),
    get: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      connection.all<Row>(statement, values)[0],
    run: async (statement, ...values) => connection.run(statement, values),
  };
}

type Connection = {
  readonly database: DatabaseSync;
  all<Row extends SqlRow>(statement: string, values: readonly SqlValue[]): Row[];
  run(statement: string, values: readonly SqlValue[]): number;
  /** Makes every committed transaction survive a power failure. */
  syncLog(): Promise<void>;
  close(): Promise<void>;
};

async function openConnection(path: string | undefined): Promise<Connection> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = path === undefined ? new DatabaseSync(":memory:") : await openDatabase(path, DatabaseSync);
  const statements = new Map<string, StatementSync>();
  const log = path === undefined ? undefined : openLog(path);

  function prepare(statement: string): StatementSync {
    const prepared = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, prepared);
    return prepared;
  }

  return {
    database,
    all: <Row extends SqlRow>(statement: string, values: readonly SqlValue[]) =>
      prepare(statement).all(...values) as unknown as Row[],
    run: (statement, values) => Number(prepare(statement).run(...values).changes),
    syncLog: async () => log?.sync(),
    async close() {
      await log?.close();
      statements.clear();
      database.close();
    },
  };
}

/** A folder or disk that takes no changes still lets the rows be read. */
async function openDatabase(path: string, Database: typeof DatabaseSync): Promise<DatabaseSync> {
  try {
    await makeFolders(dirname(path));
    makePrivate(path);
    return configure(new Database(path));
  } catch (error) {
    if (isDamaged(error) || isBusy(error) || isFull(error) || !existsSync(path)) throw error;
    return openReadOnly(path, Database, error);
  }
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
function openLog(path: string) {
  let file: FileHandle | undefined;
  const sync = shareRuns(async () => {
    if (file === undefined) {
      if (!existsSync(`${path}-wal`)) return; // SQLite works without a log here and has synced.
      file = await openFile(`${path}-wal`, "r+");
      await syncFolder(dirname(path));
    }
    await file.datasync();
  });
  return {
    sync: () =>
      sync().catch((error: unknown) => {
        throw toCatalogueError(error);
      }),
    async close() {
      await file?.close();
      file = undefined;
    },
  };
}

/** A new log survives a power failure only after its folder is synced. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await openFile(folder, "r");
  await handle.sync();
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
