/** An index store in SQLite, in WAL mode: readers see whole changes only, and a killed writer leaves no partial one. */
import type { DatabaseSync as Database, StatementSync } from "node:sqlite";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { DatabaseSync } from "../../../system/load-sqlite.ts";
import { makePrivate } from "../../../system/sqlite.ts";
import type { Chunk } from "../chunk.ts";
import type { FolderRecord } from "../folder/folder-memory.ts";
import type { Change, IndexStore, NewVectors, PathSelection } from "./index-store.ts";
import { createLiveIds, type IdChanges } from "./live-ids.ts";

/** Incremented with every change of the tables or of their content; an index of another version is built again. */
const SCHEMA_VERSION = 6;

/** Texts have a table of their own: listing all files then reads some hundred pages, not one or more for each file. */
const schema = `
  CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, hash TEXT NOT NULL,
    outline TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE, chunks BLOB NOT NULL, text BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS passed (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS folders (path TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS segments (name TEXT PRIMARY KEY, file_ids BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL UNIQUE REFERENCES files (id) ON DELETE CASCADE,
    bytes BLOB NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO facts VALUES ('generation', '0');
`;

const madeByFact = "vectors_made_by";

/** Counts the additions and removals of folders. */
const foldersFact = "folders_version";

/** The paths below a folder: "0" follows the slash. */
const below = "path > ?1 || '/' AND path < ?1 || '0'";
/** The paths directly in a folder, and at the top. */
const directlyIn = `WHERE ${below} AND instr(substr(path, length(?1) + 2), '/') = 0`;
const atTop = "WHERE instr(path, '/') = 0";

/** A query for rows with a path: a condition, and what it compares with. */
type Condition = { readonly text: string; readonly values: readonly (string | number)[] };

/** One query for each folder: a condition for many would not use the index. */
function conditionsOf(selection: PathSelection | undefined): readonly Condition[] {
  if (selection === undefined) return [{ text: "", values: [] }];
  if ("at" in selection) return [{ text: "WHERE path = ?", values: [selection.at] }];
  if ("in" in selection)
    return selection.in.map((folder) =>
      folder === "" ? { text: atTop, values: [] } : { text: directlyIn, values: [folder] },
    );
  const { after, limit } = selection;
  if (after === null) return [{ text: "ORDER BY path LIMIT ?", values: [limit] }];
  return [{ text: "WHERE path > ? ORDER BY path LIMIT ?", values: [after, limit] }];
}

/** Opens the store at this path, or creates it. */
export function openSqliteStore(path: string): IndexStore {
  const database = openDatabase(path);
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };

  /** Many rows at once: parsing one JSON text is several times faster than an object from each row. */
  const readJson = <Row>(text: string, ...values: (string | number)[]): Row[] =>
    JSON.parse(String(sql(text).get(...values)?.rows));
  const readRows = <Row>(table: string, row: string, selection: PathSelection | undefined): Row[] =>
    conditionsOf(selection).flatMap(({ text, values }) =>
      readJson<Row>(`SELECT json_group_array(${row}) AS rows FROM (SELECT * FROM ${table} ${text})`, ...values),
    );
  const fact = (name: string) => sql("SELECT value FROM facts WHERE name = ?").get(name)?.value as string | undefined;
  const setFact = (name: string, value: string) => sql("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, value);

  function putVectors({ madeBy, files }: NewVectors): void {
    if (fact(madeByFact) !== madeBy) sql("DELETE FROM vectors").run();
    setFact(madeByFact, madeBy);
    const insert = "INSERT OR REPLACE INTO vectors (file, bytes) SELECT id, ? FROM files WHERE id = ?";
    for (const { id, bytes } of files) sql(insert).run(bytes, id);
  }

  /** Runs a statement and returns how many rows it has changed. */
  const run = (text: string, ...values: (string | number | Uint8Array | null)[]): number =>
    Number(sql(text).run(...values).changes);

  function putFolders({ folders = [], removeFolders = [] }: Change): void {
    let changed = 0;
    for (const folder of removeFolders) changed += run("DELETE FROM folders WHERE path = ?", folder);
    for (const folder of folders) {
      const record = JSON.stringify(folder);
      if (run("UPDATE folders SET record = ? WHERE path = ?", record, folder.path) > 0) continue;
      changed += run("INSERT INTO folders VALUES (?, ?)", folder.path, record);
    }
    if (changed > 0) setFact(foldersFact, String(foldersVersion() + 1));
  }

  const foldersVersion = (): number => Number(fact(foldersFact) ?? 0);

  const liveIds = createLiveIds(() =>
    readJson<number>("SELECT json_group_array(id) AS rows FROM (SELECT id FROM files ORDER BY id)"),
  );

  /** Makes the change, and returns the generations before and after it. */
  function apply(change: Change): { before: number; after: number; ids: IdChanges } {
    let changed = 0;
    const ids = { added: [] as number[], removed: [] as number[] };
    const removeFile = (file: string) => {
      const id = sql("DELETE FROM files WHERE path = ? RETURNING id").get(file)?.id;
      if (id === undefined) return;
      ids.removed.push(Number(id));
      changed++;
    };
    for (const file of change.remove ?? []) {
      removeFile(file);
      run("DELETE FROM passed WHERE path = ?", file);
    }
    for (const { path: file, stamp, hash, text, chunks, outline } of change.put ?? []) {
      removeFile(file);
      run("DELETE FROM passed WHERE path = ?", file);
      const insert = sql("INSERT INTO files (path, stamp, hash, outline) VALUES (?, ?, ?, ?)");
      ids.added.push(Number(insert.run(file, stamp, hash, outline).lastInsertRowid));
      changed++;
      // Node 22.13 binds no bytes as NULL, and an empty file has no chunks.
      run("INSERT INTO texts VALUES (last_insert_rowid(), coalesce(?, x''), ?)", packChunks(chunks), packText(text));
    }
    for (const { path: file, stamp, reason } of change.skip ?? []) {
      removeFile(file);
      run("INSERT OR REPLACE INTO passed VALUES (?, ?, ?)", file, stamp, reason);
    }
    for (const { id, stamp } of change.restamp ?? []) run("UPDATE files SET stamp = ? WHERE id = ?", stamp, id);
    putFolders(change);
    for (const segment of change.dropSegments ?? []) changed += run("DELETE FROM segments WHERE name = ?", segment);
    if (change.addSegment !== undefined)
      changed += run("INSERT OR REPLACE INTO segments VALUES (?, ?)", change.addSegment, idBytes(change));
    for (const [name, value] of Object.entries(change.facts ?? {})) setFact(name, value);
    if (change.vectors !== undefined) putVectors(change.vectors);
    const before = Number(fact("generation"));
    const after = before + (changed > 0 ? 1 : 0);
    setFact("generation", String(after));
    return { before, after, ids };
  }

  function write(change: Change): number {
    const { before, after, ids } = inTransaction(database, "BEGIN IMMEDIATE", () => apply(change));
    liveIds.note(before, after, ids);
    return after;
  }

  const segmentNames = (): string[] =>
    sql("SELECT name FROM segments ORDER BY name")
      .all()
      .map(({ name }) => String(name));

  return {
    generation: () => Number(fact("generation")),
    fact: (name) => (name === "generation" || name === foldersFact ? undefined : fact(name)),
    snapshot: () =>
      inTransaction(database, "BEGIN", () => {
        const generation = Number(fact("generation"));
        return { generation, fileIds: liveIds.at(generation), segments: segmentNames() };
      }),
    segmentNames,
    segmentFileIds(name) {
      const bytes = sql("SELECT file_ids FROM segments WHERE name = ?").get(name)?.file_ids;
      return bytes instanceof Uint8Array ? new Uint32Array(Uint8Array.from(bytes).buffer) : undefined;
    },
    fileCount: () =>
      liveIds.countAt(Number(fact("generation"))) ?? Number(sql("SELECT count(*) AS files FROM files").get()?.files),
    files: (selection) =>
      readRows<[number, string, string, string, string | null]>(
        "files",
        "json_array(id, path, stamp, hash, outline)",
        selection,
      ).map(([id, file, stamp, hash, outline]) => ({ id, path: file, stamp, hash, outline })),
    skippedCount: () => Number(sql("SELECT count(*) AS files FROM passed").get()?.files),
    skippedFiles: (selection) =>
      readRows<[string, string, string]>("passed", "json_array(path, stamp, reason)", selection).map(
        ([file, stamp, reason]) => ({ path: file, stamp, reason }),
      ),
    folders: (selection) => readRows<FolderRecord>("folders", "json(record)", selection),
    foldersVersion,
    folder(folder) {
      const record = sql("SELECT record FROM folders WHERE path = ?").get(folder)?.record;
      return record === undefined ? undefined : JSON.parse(String(record));
    },
    folderPaths: (top = "") =>
      top === ""
        ? readJson<string>("SELECT json_group_array(path) AS rows FROM folders")
        : readJson<string>(`SELECT json_group_array(path) AS rows FROM folders WHERE path = ?1 OR (${below})`, top),
    text(id) {
      const columns = "path, stamp, hash, outline, text, chunks";
      const row = sql(`SELECT ${columns} FROM files JOIN texts USING (id) WHERE id = ?`).get(id);
      if (row === undefined) return undefined;
      const [path, stamp, hash] = [String(row.path), String(row.stamp), String(row.hash)];
      const chunks = unpackChunks(row.chunks as Uint8Array);
      const text = unpackText(row.text as Uint8Array, chunks.at(-1)?.end ?? 0);
      return { id, path, stamp, hash, text, chunks, outline: row.outline as string | null };
    },
    vectorsMadeBy: () => fact(madeByFact),
    vectorsAfter: (number) =>
      sql("SELECT number, file, bytes FROM vectors WHERE number > ? ORDER BY number")
        .all(number)
        .map((row) => ({ number: Number(row.number), id: Number(row.file), bytes: row.bytes as Uint8Array })),
    filesWithoutVectors: (limit) =>
      sql("SELECT id FROM files WHERE id NOT IN (SELECT file FROM vectors) ORDER BY id LIMIT ?")
        .all(limit)
        .map(({ id }) => Number(id)),
    write,
    [Symbol.dispose]: () => database.close(),
  };
}

function openDatabase(path: string): Database {
  makePrivate(path);
  const database = new DatabaseSync(path);
  try {
    prepareSchema(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareSchema(database: Database): void {
  // A row holds a whole text: large pages split it less.
  database.exec("PRAGMA busy_timeout = 10000; PRAGMA page_size = 16384");
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version === SCHEMA_VERSION) return;
  inTransaction(database, "BEGIN IMMEDIATE", () => {
    for (const table of ["vectors", "texts", "files", "passed", "folders", "segments", "facts"]) {
      if (version !== 0) database.exec(`DROP TABLE IF EXISTS ${table}`);
    }
    database.exec(schema);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function inTransaction<T>(database: Database, begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A full disk may have ended the transaction already; then rolling back fails, and the first error says why. */
function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction left.
  }
}

function idBytes({ segmentFileIds: ids }: Change): Uint8Array | null {
  return ids === undefined ? null : new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
}

/** Source shrinks to a fifth at 300 MB a second: less time than the disk needs for the rest. */
function packText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params });
}

/** Into one buffer where the text is ASCII, as nearly all source is: its chunks say how long it is. */
function unpackText(bytes: Uint8Array, chars: number): string {
  const chunkSize = Math.max(MIN_OWN_BYTES, chars + 1);
  const unpacked = brotliDecompressSync(bytes, { chunkSize });
  const text = unpacked.toString();
  releaseMemory(bytes, bytes.byteLength);
  releaseMemory(unpacked, chunkSize);
  return text;
}

/** Smaller buffers share their memory with others. */
const MIN_OWN_BYTES = Buffer.poolSize >>> 1;

/**
 * Gives the memory of a buffer back at once if it has these bytes for itself. A search reads half a megabyte of texts, and
 * the garbage collector, which sees small objects, lets tens of megabytes add up.
 */
export function releaseMemory({ buffer }: Uint8Array, ownBytes: number): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === ownBytes) buffer.transfer(0);
}

/** Four numbers for each chunk; the chunks of a file are read and written together. */
function packChunks(chunks: readonly Chunk[]): Uint8Array {
  const numbers = new Uint32Array(chunks.length * 4);
  for (const [index, { start, end, startLine, endLine }] of chunks.entries()) {
    numbers.set([start, end, startLine, endLine], index * 4);
  }
  return new Uint8Array(numbers.buffer);
}

function unpackChunks(bytes: Uint8Array): Chunk[] {
  const numbers = new Uint32Array(Uint8Array.from(bytes).buffer);
  const numberAt = (offset: number) => numbers[offset] as number;
  return Array.from({ length: numbers.length / 4 }, (_, index) => {
    const first = index * 4;
    const [start, end] = [numberAt(first), numberAt(first + 1)];
    return { start, end, startLine: numberAt(first + 2), endLine: numberAt(first + 3) };
  });
}
