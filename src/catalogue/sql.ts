/** Rows: all that a database has to provide to hold the catalogue. */

export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Statements in the SQL that SQLite and PostgreSQL share, with `?` for values. Times are milliseconds since 1970. */
export interface Queries {
  /** The rows of a query, or of a change that ends with RETURNING. */
  all<Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  get<Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
  /** Changes rows and says how many. */
  run(statement: string, ...values: readonly SqlValue[]): Promise<number>;
}

export type TransactionOptions = {
  /** Whether the changes must survive a power failure before the transaction returns. Default: no. */
  readonly durable?: boolean;
  /** Whether no other exclusive transaction may run meanwhile, for changes of tables. Default: no. */
  readonly exclusive?: boolean;
  /**
   * Whether the work is one statement that does no harm if it is executed twice, and that needs no other rows to stay as
   * they are. It takes the time of that statement alone. Default: no.
   */
  readonly isOneStatement?: boolean;
  /**
   * Whether the work gives all of its statements before it waits for an answer, and decides nothing by them: then the
   * commit is sent with them. What must be so is required by a statement (RequirementError). A statement given later
   * fails, when the others may be committed already. Default: no.
   */
  readonly isOneBatch?: boolean;
  /** How long it may wait for other processes, for work that can be left undone. Default: as long as the driver does. */
  readonly patienceMs?: number;
};

/**
 * The contract of a database (tested by sql.contract.ts). Every failure is a CatalogueError. Several processes use one
 * database at once; a driver waits for the others, without blocking this process, for a bounded time.
 */
export interface Sql extends Queries {
  /**
   * Runs the work in one transaction: as if no other ran beside it, and completely or not at all. The work awaits
   * nothing but the queries it is given, and it may be run again after a conflict. Queries that need no answer of each
   * other may be given at once: they are executed in the order of the calls. None is executed after the work has ended.
   */
  transact<T>(work: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Copies everything, as of one moment, into a new file; false for a database that is not a file. */
  copyTo(path: string): Promise<boolean>;
  /** What the database finds wrong with itself; empty if it is sound. */
  findDamage(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The column by which statements require a row: they look for its value, and null is refused. */
export const REQUIREMENT = { table: "blobs", column: "object_key" } as const;

/** The row that a statement requires is missing: nothing was changed. Null in any other column is a bug. */
export class RequirementError extends Error {
  override readonly name = "RequirementError";
}

/** Why the catalogue does not work: each has its own sentence (artifacts/store-errors.ts). */
export type CatalogueFault =
  | "busy"
  | "read_only"
  | "full"
  | "newer"
  | "damaged"
  | "failed"
  | "exposed"
  | "unreachable"
  | "refused"
  | "untrusted"
  | "unencrypted"
  | "mismatched";

/** The system error that is nearest to each fault, for code that treats files and rows alike. */
const systemCodes: Readonly<Record<CatalogueFault, string>> = {
  busy: "EBUSY",
  read_only: "EROFS",
  full: "ENOSPC",
  newer: "EPROTO",
  damaged: "EBADMSG",
  failed: "EIO",
  exposed: "EPERM",
  unreachable: "EHOSTUNREACH",
  refused: "EACCES",
  untrusted: "EACCES",
  unencrypted: "EACCES",
  mismatched: "EACCES",
};

export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  readonly fault: CatalogueFault;
  readonly code: string;
  /** There is no database, and none can be created: a query finds no rows. */
  readonly isAbsent: boolean;

  constructor(fault: CatalogueFault, message: string, cause?: unknown, isAbsent = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.code = systemCodes[fault];
    this.isAbsent = isAbsent;
  }
}
