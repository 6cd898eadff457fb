/** PostgreSQL behind the Sql contract: pooled connections, serializable transactions, deadlines for everything. */
import { setTimeout as wait } from "node:timers/promises";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { SpillwayError, systemCode } from "../errors.ts";
import { pauseAfterFailure } from "../system/pause-after-failure.ts";
import { readTrustedCertificates } from "../system/trusted-certificates.ts";
import { numberPlaceholders } from "./numbered-placeholders.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { explainFailure } from "./postgres-errors.ts";
import { CatalogueError, type Queries, type Sql, type SqlRow, type SqlValue, type TransactionOptions } from "./sql.ts";

export type PostgresOptions = PostgresAddress & {
  /** How long one call may take in all: to connect, to wait for others and to be executed. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
  /** A file of certificates to trust besides those of the platform. */
  readonly caFile?: string | null;
};

const DEFAULT_TIMEOUT_MS = 10_000;

/** A server has a hundred by default; three servers of ours leave most of them to others. */
const DEFAULT_MAX_CONNECTIONS = 10;

const IDLE_MS = 30_000;

/** A transaction that failed this often because of others runs alone, so that it cannot fail again. */
const CONFLICTS_BEFORE_TURN = 1;

const MAX_ATTEMPTS = 25;

const MAX_PAUSE_MS = 50;

/** The numbers of our advisory locks; the first one is the same for all of them: "spil" in ASCII. */
const locks = { turn: "1936746860, 1", exclusive: "1936746860, 2" } as const;

/** The database at this address; connected at the first query. */
export function postgresSql(options: PostgresOptions): Sql {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const statements = new Map<string, Statement>();
  const pause = pauseAfterFailure();
  let opening: Promise<Pool> | undefined;

  async function connect(): Promise<PoolClient> {
    const failure = pause.current();
    if (failure !== undefined) throw failure;
    opening ??= openPool(options, timeoutMs, maxConnections).catch((error: unknown) => {
      opening = undefined; // The next call tries again.
      throw error;
    });
    const pool = await opening;
    try {
      const client = await pool.connect();
      pause.end();
      return client;
    } catch (error) {
      // Every connection is in use: the database can be reached, but this process asks too much of it.
      if (pool.totalCount >= maxConnections) throw new CatalogueError("busy", "No connection became free.", error);
      throw explainFailure(error).error;
    }
  }

  /** Runs an attempt until it succeeds, fails for good, or the time is over. */
  async function repeat<T>(attempt: (conflicts: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    let [conflicts, losses] = [0, 0];
    for (;;) {
      try {
        return await attempt(conflicts);
      } catch (thrown) {
        const { error, isConflict, isConnectionLost } = explainFailure(thrown);
        if (isConnectionLost) losses++;
        else if (isConflict) conflicts++;
        const isHopeless =
          !(isConflict || isConnectionLost) || losses > maxConnections + 1 || conflicts >= MAX_ATTEMPTS;
        if (isHopeless || performance.now() > deadline) throw noteUnreachable(error);
      }
      // Random, so that transactions that failed together do not meet again.
      if (conflicts > 0) await wait(Math.min(2 ** conflicts, MAX_PAUSE_MS) * Math.random());
    }
  }

  function noteUnreachable(error: unknown): unknown {
    if (error instanceof CatalogueError && error.fault === "unreachable") pause.begin(error);
    return error;
  }

  /** One statement outside of a transaction: it sees one state of the rows. */
  async function query(statement: string, values: readonly SqlValue[]): Promise<SqlRow[]> {
    return repeat(async () => {
      const connection = await open();
      return connection.use(async (client) => (await execute(client, statement, values)).rows);
    });
  }

  async function transact<T>(work: (queries: Queries) => Promise<T>, how: TransactionOptions = {}): Promise<T> {
    return repeat(async (conflicts) => {
      const connection = await open();
      return connection.use(async (client) => {
        if (how.isOneStatement) return runWork(client, work);
        const lock = how.exclusive ? locks.exclusive : conflicts >= CONFLICTS_BEFORE_TURN ? locks.turn : undefined;
        return withLock(client, lock, () => runTransaction(client, work, how, lock !== locks.turn));
      });
    });
  }

  async function open() {
    const client = await connect();
    return {
      /** A connection after whose failure nobody knows its state is closed. */
      async use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
        let isSound = false;
        try {
          const result = await work(client);
          isSound = true;
          return result;
        } catch (error) {
          isSound = !explainFailure(error).isConnectionLost && !(error instanceof UncertainError);
          throw error instanceof UncertainError ? error.reason : error;
        } finally {
          client.release(!isSound);
        }
      },
    };
  }

  async function runTransaction<T>(
    client: PoolClient,
    work: (queries: Queries) => Promise<T>,
    options: TransactionOptions,
    sharesTurn: boolean,
  ): Promise<T> {
    // The first statements follow at once: if the transaction cannot begin, they fail too, with a less telling error.
    const begun = begin(client, options, sharesTurn);
    begun.catch(() => undefined); // It is awaited after the work.
    if (options.isOneBatch) return runBatch(client, work, begun);
    const finish = async (): Promise<T> => {
      const result = await runWork(client, work);
      await begun;
      return result;
    };
    const result = await finish().catch(async (error: unknown) => {
      await rollBack(client);
      await begun;
      throw error;
    });
    await commit(client);
    return result;
  }

  /** Sends the statements and the commit without waiting for an answer. After a failed statement a commit rolls back. */
  async function runBatch<T>(
    client: PoolClient,
    work: (queries: Queries) => Promise<T>,
    begun: Promise<void>,
  ): Promise<T> {
    const { queries, end } = openQueries(client);
    const working = (async () => work(queries))(); // Async, so that a work that throws is a promise that fails.
    end();
    if (await failsAtOnce(working)) {
      await rollBack(client);
      await begun;
      return working;
    }
    const [committed, ...rest] = await Promise.allSettled([commit(client), begun, working]);
    // Whatever else has failed: if the connection was lost, nobody knows whether the changes were made.
    if (committed.status === "rejected" && committed.reason instanceof UncertainError) throw committed.reason;
    for (const step of [...rest, committed]) if (step.status === "rejected") throw step.reason;
    return working;
  }

  async function begin(client: PoolClient, { durable = false }: TransactionOptions, sharesTurn: boolean) {
    // The log of the database is written in order, so what is durable later makes this durable too.
    const safety = durable ? "; SET LOCAL synchronous_commit = on" : "";
    // Waits for a transaction that runs alone. In one message, so that it takes no time of its own.
    const turn = sharesTurn ? `; SELECT pg_advisory_xact_lock_shared(${locks.turn})` : "";
    await client.query(`BEGIN ISOLATION LEVEL SERIALIZABLE${safety}${turn}`);
  }

  async function runWork<T>(client: PoolClient, work: (queries: Queries) => Promise<T>): Promise<T> {
    const { queries, end } = openQueries(client);
    try {
      return await work(queries);
    } finally {
      end();
    }
  }

  /** The queries of one transaction, until it ends. */
  function openQueries(client: PoolClient): { readonly queries: Queries; end(): void } {
    let isOver = false;
    let firstFailure: unknown;
    const run = async (statement: string, values: readonly SqlValue[]) => {
      if (isOver) throw new Error("A query was given after its transaction.");
      return execute(client, statement, values).catch((error: unknown) => {
        firstFailure ??= error;
        // After a failure the server refuses the rest of the transaction, which was sent without waiting.
        throw systemCode(error) === TRANSACTION_IS_ABORTED ? firstFailure : error;
      });
    };
    const rows = async <Row extends SqlRow>(statement: string, values: readonly SqlValue[]) =>
      (await run(statement, values)).rows as Row[];
    const queries: Queries = {
      all: (statement, ...values) => rows(statement, values),
      get: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
        (await rows<Row>(statement, values))[0],
      run: async (statement, ...values) => (await run(statement, values)).rowCount ?? 0,
    };
    const end = (): void => {
      isOver = true;
    };
    return { queries, end };
  }

  function execute(client: PoolClient, statement: string, values: readonly SqlValue[]) {
    const prepared = statements.get(statement) ?? prepare(statement, statements.size);
    if (statements.size < MAX_PREPARED) statements.set(statement, prepared);
    return client.query<SqlRow>({ ...prepared, values: values.map(storable) });
  }

  return {
    all: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      (await query(statement, values)) as Row[],
    get: async <Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]) =>
      (await query(statement, values))[0] as Row | undefined,
    run: (statement, ...values) => transact((queries) => queries.run(statement, ...values)),
    transact,
    /** Backups of a server are made with its own tools. */
    copyTo: async () => false,
    async findDamage() {
      await query("SELECT 1 AS one", []);
      return [];
    },
    async close() {
      const pool = await opening?.catch(() => undefined);
      opening = undefined;
      await pool?.end();
    },
  };
}

/** The code of statements that follow a failed one: in_failed_sql_transaction. */
const TRANSACTION_IS_ABORTED = "25P02";

type Statement = { readonly text: string; readonly name?: string };

/** Our statements are constants; a larger number would be those of a test. */
const MAX_PREPARED = 500;

const prepare = (statement: string, number: number): Statement => ({
  text: numberPlaceholders(statement),
  ...(number < MAX_PREPARED ? { name: `spillway-${number}` } : {}),
});

/** PostgreSQL stores every character except this one. */
const storable = (value: SqlValue): SqlValue => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);

/** Takes the lock before the transaction begins: its snapshot must be of a moment after the lock was granted. */
async function withLock<T>(client: PoolClient, lock: string | undefined, work: () => Promise<T>): Promise<T> {
  if (lock === undefined) return work();
  await client.query(`SELECT pg_advisory_lock(${lock})`);
  const result = await work().catch(async (error: unknown) => {
    // If this fails too, the connection is lost, and the lock with it.
    await client.query(`SELECT pg_advisory_unlock(${lock})`).catch(() => undefined);
    throw error;
  });
  await client.query(`SELECT pg_advisory_unlock(${lock})`).catch((error: unknown) => {
    throw new UncertainError(error);
  });
  return result;
}

/** Whether the work fails without waiting for an answer. A commit would keep the statements that it has given before. */
async function failsAtOnce(working: Promise<unknown>): Promise<boolean> {
  let hasFailed = false;
  working.catch(() => {
    hasFailed = true;
  });
  await new Promise<void>((resolve) => process.nextTick(resolve)); // All that waits for no event has run before.
  return hasFailed;
}

async function rollBack(client: PoolClient): Promise<void> {
  // If this fails, the connection is lost, and the server rolls back.
  await client.query("ROLLBACK").catch(() => undefined);
}

/** If the connection is lost here, nobody knows whether the changes were made: they must not be tried again. */
class UncertainError extends Error {
  readonly reason: unknown;

  constructor(cause: unknown) {
    super("The connection was lost during a commit.", { cause });
    const { error } = explainFailure(cause);
    this.reason =
      error instanceof CatalogueError ? new CatalogueError(error.fault, this.message, error) : (error ?? this);
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    const { command } = await client.query("COMMIT");
    // After a failed statement whose error was caught, a commit rolls back without an error.
    if (command === "ROLLBACK") throw new Error("A statement of the transaction has failed.");
  } catch (error) {
    const { isConnectionLost } = explainFailure(error);
    throw isConnectionLost ? new UncertainError(error) : error;
  }
}

async function openPool(options: PostgresOptions, timeoutMs: number, max: number): Promise<Pool> {
  const pg = await importClient();
  const { host, port, user, database, schema, password } = options;
  const ssl = await addTrust(options);
  const config: PoolConfig & { pipeline: boolean; onConnect(client: PoolClient): Promise<void> } = {
    host,
    port,
    user,
    database,
    ssl,
    // As a function, because the client would look for other passwords in the environment and in files.
    password: () => password ?? "",
    application_name: "spillway",
    max,
    connectionTimeoutMillis: timeoutMs / 2,
    query_timeout: timeoutMs,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    // Statements are sent without waiting for the answers to earlier ones; the server executes them in order.
    pipeline: true,
    types: {
      getTypeParser: (id: number, format?: "text" | "binary") =>
        numericTypes[id] ?? pg.types.getTypeParser(id, format ?? "text"),
    },
    // Set here and not when connecting, which poolers refuse. A scan of a whole table would make a transaction conflict
    // with every other one; our queries have indexes.
    onConnect: async (client) => {
      client.on("error", () => undefined); // The query that waits on the connection fails, or the next one.
      await client.query(
        `SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${timeoutMs}; SET enable_seqscan = off; ` +
          `SET synchronous_commit = off; SET idle_in_transaction_session_timeout = ${3 * timeoutMs}` +
          (schema === undefined ? "" : `; SET search_path = ${schema}`),
      );
    },
  };
  const pool = new pg.Pool(config);
  pool.on("error", () => undefined); // A connection that is lost while unused is replaced by the next query.
  return pool;
}

async function addTrust({ ssl, caFile }: PostgresOptions): Promise<PostgresOptions["ssl"]> {
  if (ssl === false || caFile === null || caFile === undefined) return ssl;
  return { ...ssl, ...(await readTrustedCertificates(caFile)) };
}

/** The client is an optional package: most stores do without it. */
async function importClient() {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    if (systemCode(cause) !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new SpillwayError(
      "store_unavailable",
      "A catalogue in PostgreSQL needs the package pg, which is not installed.",
      {
        hint: "Install it beside Spillway: npm install pg (for a global Spillway: npm install --global pg).",
        cause,
      },
    );
  }
}

/** Counts and sums: the numbers of int8 and numeric fit into ours. */
const numericTypes: Readonly<Record<number, (text: string) => number>> = { 20: Number, 1700: Number };
