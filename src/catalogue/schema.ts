/** The tables of the catalogue, as the ordered list of changes that made them. */
import { randomBytes } from "node:crypto";
import { CatalogueError, type Queries, type Sql } from "./sql.ts";

/** What each version of the schema changes. Entries are only ever added. */
const versions: readonly (readonly string[])[] = [
  [
    "CREATE TABLE catalogue_ids (id TEXT PRIMARY KEY)",
    // `record` is the JSON of the facts that no query needs. `stored_bytes` counts in quotas; `run` kept it first.
    `CREATE TABLE artifacts (
       owner TEXT NOT NULL, ref TEXT NOT NULL, sha256 TEXT NOT NULL, size_bytes BIGINT NOT NULL,
       stored_bytes BIGINT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT NOT NULL, run TEXT NOT NULL,
       record TEXT NOT NULL, PRIMARY KEY (owner, ref))`,
    "CREATE INDEX artifacts_by_age ON artifacts (owner, created_at, ref)",
    "CREATE INDEX artifacts_by_use ON artifacts (owner, used_at, ref)",
    "CREATE INDEX artifacts_by_blob ON artifacts (sha256, owner)",
    // What an owner has in all, so that neither a quota nor a report reads every row.
    `CREATE TABLE owners (
       owner TEXT PRIMARY KEY, artifacts BIGINT NOT NULL, bytes BIGINT NOT NULL, swept_at BIGINT)`,
    `CREATE TABLE runs (
       owner TEXT NOT NULL, run TEXT NOT NULL, artifacts BIGINT NOT NULL, PRIMARY KEY (owner, run))`,
    "CREATE INDEX runs_by_size ON runs (owner, artifacts)",
    // When a run last used an artifact.
    `CREATE TABLE uses (
       owner TEXT NOT NULL, run TEXT NOT NULL, ref TEXT NOT NULL, used_at BIGINT NOT NULL,
       PRIMARY KEY (owner, run, ref))`,
    "CREATE INDEX uses_by_ref ON uses (owner, ref)",
    "CREATE INDEX uses_by_time ON uses (owner, run, used_at)",
    `CREATE TABLE tombstones (
       owner TEXT NOT NULL, ref TEXT NOT NULL, expired_at BIGINT NOT NULL, reason TEXT NOT NULL,
       source_url TEXT NOT NULL, media_type TEXT NOT NULL, size_bytes BIGINT NOT NULL, PRIMARY KEY (owner, ref))`,
    "CREATE INDEX tombstones_by_age ON tombstones (owner, expired_at)",
    `CREATE TABLE responses (
       owner TEXT NOT NULL, id TEXT NOT NULL, entries TEXT NOT NULL, used_at BIGINT NOT NULL, PRIMARY KEY (owner, id))`,
    "CREATE INDEX responses_by_use ON responses (owner, used_at)",
    `CREATE TABLE cache_entries (
       owner TEXT NOT NULL, digest TEXT NOT NULL, entry TEXT NOT NULL, used_at BIGINT NOT NULL,
       PRIMARY KEY (owner, digest))`,
    "CREATE INDEX cache_entries_by_use ON cache_entries (owner, used_at)",
    // Where the bytes of a content are. `stamp` is that of a large object when its bytes were last verified.
    `CREATE TABLE blobs (
       sha256 TEXT PRIMARY KEY, object_key TEXT NOT NULL, size_bytes BIGINT NOT NULL, stamp TEXT,
       kept_at BIGINT NOT NULL)`,
    // Objects that no row refers to: written since then, or, where that is 0, to be deleted. No key is used twice.
    "CREATE TABLE garbage (object_key TEXT PRIMARY KEY, since BIGINT NOT NULL)",
    "CREATE INDEX garbage_by_age ON garbage (since)",
  ],
  [
    // Which job indexes a repository, and until when it counts as alive. `place` is the data folder whose lock it holds.
    `CREATE TABLE index_leases (
       owner TEXT NOT NULL, project TEXT NOT NULL, repository TEXT NOT NULL, job TEXT NOT NULL, place TEXT NOT NULL,
       holder TEXT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (owner, project, repository))`,
    // The last published generation of each index. `segments` is the JSON of their names.
    `CREATE TABLE index_generations (
       owner TEXT NOT NULL, project TEXT NOT NULL, repository TEXT NOT NULL, root TEXT NOT NULL,
       generation BIGINT NOT NULL, files BIGINT NOT NULL, segments TEXT NOT NULL, published_at BIGINT NOT NULL,
       PRIMARY KEY (owner, project, repository))`,
    // `record` is the JSON of the job as it is reported.
    `CREATE TABLE jobs (
       owner TEXT NOT NULL, project TEXT NOT NULL, job TEXT NOT NULL, repository TEXT NOT NULL,
       is_open BIGINT NOT NULL, is_cancelled BIGINT NOT NULL, started_at BIGINT NOT NULL, record TEXT NOT NULL,
       PRIMARY KEY (owner, project, job))`,
    "CREATE INDEX jobs_by_start ON jobs (owner, project, started_at, job)",
  ],
  [
    // Sessions of MCP clients over HTTP. `handshake` is the JSON of how a client introduced itself.
    `CREATE TABLE mcp_sessions (
       id TEXT PRIMARY KEY, owner TEXT NOT NULL, token TEXT NOT NULL, handshake TEXT NOT NULL, log_level TEXT,
       created_at BIGINT NOT NULL, used_at BIGINT NOT NULL)`,
    "CREATE INDEX mcp_sessions_by_use ON mcp_sessions (owner, used_at)",
    "CREATE INDEX mcp_sessions_by_age ON mcp_sessions (used_at)",
    // Requests that are to be cancelled by the process that works on them.
    `CREATE TABLE mcp_cancellations (
       session_id TEXT NOT NULL, request_id TEXT NOT NULL, created_at BIGINT NOT NULL,
       PRIMARY KEY (session_id, request_id))`,
    "CREATE INDEX mcp_cancellations_by_age ON mcp_cancellations (created_at)",
  ],
  [
    `CREATE TABLE sign_in_codes (
       code_sha256 TEXT PRIMARY KEY, token_sha256 TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
  ],
  [
    // Sums of events. `run`, `client` and `tool` are empty where there is none; telemetry/usage.ts explains the counts.
    `CREATE TABLE usage_days (
       owner TEXT NOT NULL, day TEXT NOT NULL, run TEXT NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL,
       replies BIGINT NOT NULL, errors BIGINT NOT NULL, answers BIGINT NOT NULL, truncated BIGINT NOT NULL,
       bytes_in BIGINT NOT NULL, bytes_out BIGINT NOT NULL, chars_extracted BIGINT NOT NULL,
       chars_out BIGINT NOT NULL, chars_allowed BIGINT NOT NULL, chars_kept_out BIGINT NOT NULL,
       reads BIGINT NOT NULL, read_chars BIGINT NOT NULL, cache_hits BIGINT NOT NULL,
       overflows_recovered BIGINT NOT NULL, overflows_failed BIGINT NOT NULL, tokens_saved BIGINT NOT NULL,
       index_jobs BIGINT NOT NULL, web_searches BIGINT NOT NULL, duration_ms BIGINT NOT NULL,
       PRIMARY KEY (owner, day, run, client, tool))`,
  ],
  [
    // Objects with index segments. `place` is the data folder whose index has built the segment.
    `CREATE TABLE index_segments (
       object_key TEXT PRIMARY KEY, owner TEXT NOT NULL, project TEXT NOT NULL, repository TEXT NOT NULL,
       place TEXT NOT NULL, size_bytes BIGINT NOT NULL, used_at BIGINT NOT NULL)`,
    "CREATE INDEX index_segments_by_repository ON index_segments (owner, project, repository, place)",
    "CREATE INDEX index_segments_by_use ON index_segments (owner, used_at)",
  ],
  [
    // Which objects have the bytes of this catalogue: an object of that name is beside them. There is one row.
    "CREATE TABLE objects_ids (number BIGINT PRIMARY KEY, id TEXT NOT NULL)",
  ],
  [
    // How often something ended in one way; telemetry/usage.ts explains the columns.
    `CREATE TABLE outcome_days (
       owner TEXT NOT NULL, day TEXT NOT NULL, run TEXT NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL,
       event TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, count BIGINT NOT NULL,
       bytes_before BIGINT NOT NULL, bytes_after BIGINT NOT NULL, largest BIGINT NOT NULL,
       largest_limit BIGINT NOT NULL,
       PRIMARY KEY (owner, day, run, client, tool, event, kind, reason))`,
    // Batches of counts that are in the rows above, so that none is added again from the file of a killed process.
    "CREATE TABLE usage_batches (id TEXT PRIMARY KEY, written_at BIGINT NOT NULL)",
  ],
];

/** Creates the tables, or brings those of an older version up to date. A newer version is refused. */
export async function updateSchema(sql: Sql): Promise<void> {
  if ((await readVersion(sql)) === versions.length) return;
  await sql.transact(addVersions, { durable: true, exclusive: true });
}

async function addVersions(queries: Queries): Promise<void> {
  await queries.run("CREATE TABLE IF NOT EXISTS catalogue_schema (version BIGINT NOT NULL)");
  const before = await readVersion(queries);
  for (const statement of versions.slice(before).flat()) await queries.run(statement);
  if (before === 0) await queries.run("INSERT INTO catalogue_ids (id) VALUES (?)", randomBytes(8).toString("hex"));
  await queries.run("DELETE FROM catalogue_schema");
  await queries.run("INSERT INTO catalogue_schema (version) VALUES (?)", versions.length);
}

/** Whether the tables are those of an older version. */
export async function isOlderSchema(queries: Queries): Promise<boolean> {
  const version = await findVersion(queries);
  return version > 0 && version < versions.length;
}

/** A random id, made with the catalogue: it tells a catalogue from one that took its place. */
export async function readCatalogueId(queries: Queries): Promise<string> {
  return (await queries.get<{ id: string }>("SELECT id FROM catalogue_ids"))?.id ?? "0";
}

async function readVersion(queries: Queries): Promise<number> {
  const version = await findVersion(queries);
  if (version <= versions.length) return version;
  const sentence = `The catalogue has version ${version}; this program knows version ${versions.length}.`;
  throw new CatalogueError("newer", sentence);
}

/** 0 for a new database. */
async function findVersion(queries: Queries): Promise<number> {
  try {
    const row = await queries.get<{ version: number }>("SELECT version FROM catalogue_schema");
    return row?.version ?? 0;
  } catch (error) {
    // The table is created with the first version.
    if (error instanceof CatalogueError) throw error;
    return 0;
  }
}
