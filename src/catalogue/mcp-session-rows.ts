/** Rows of the sessions of MCP clients over HTTP, so that every replica can answer them. */
import type { Queries, Sql } from "./sql.ts";

/** Whose session it is: one owner's token. */
export type SessionHolder = { readonly owner: string; readonly token: string };

export type McpSessionRow = {
  readonly id: string;
  /** The JSON of how the client introduced itself. */
  readonly handshake: string;
  readonly log_level: string | null;
  readonly used_at: number;
};

export type NewMcpSession = SessionHolder & { readonly id: string; readonly handshake: string; readonly now: number };

/** Adds a session. Of more than `maxSessions` of this owner, those used longest ago end. */
export async function addMcpSession(sql: Sql, session: NewMcpSession, maxSessions: number): Promise<void> {
  const { id, owner, token, handshake, now } = session;
  await sql.transact(async (queries) => {
    await queries.run(
      `INSERT INTO mcp_sessions (id, owner, token, handshake, log_level, created_at, used_at)
       VALUES (?, ?, ?, ?, NULL, ?, ?)`,
      id,
      owner,
      token,
      handshake,
      now,
      now,
    );
    const row = await queries.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM mcp_sessions WHERE owner = ?",
      owner,
    );
    const surplus = (row?.count ?? 0) - maxSessions;
    if (surplus <= 0) return;
    await queries.run(
      `DELETE FROM mcp_sessions WHERE id IN
         (SELECT id FROM mcp_sessions WHERE owner = ? AND id <> ? ORDER BY used_at, id LIMIT ?)`,
      owner,
      id,
      surplus,
    );
  });
}

/** The session with this id, if it is this holder's and was used since then. */
export async function findMcpSession(
  queries: Queries,
  id: string,
  { owner, token }: SessionHolder,
  usedSince: number,
): Promise<McpSessionRow | undefined> {
  return queries.get(
    `SELECT id, handshake, log_level, used_at FROM mcp_sessions
     WHERE id = ? AND owner = ? AND token = ? AND used_at >= ?`,
    id,
    owner,
    token,
    usedSince,
  );
}

export async function markMcpSessionUsed(queries: Queries, id: string, usedAt: number): Promise<void> {
  await queries.run("UPDATE mcp_sessions SET used_at = ? WHERE id = ?", usedAt, id);
}

export async function setMcpLogLevel(queries: Queries, id: string, level: string): Promise<void> {
  await queries.run("UPDATE mcp_sessions SET log_level = ? WHERE id = ?", level, id);
}

export async function deleteMcpSession(queries: Queries, id: string): Promise<void> {
  await queries.run("DELETE FROM mcp_sessions WHERE id = ?", id);
  await queries.run("DELETE FROM mcp_cancellations WHERE session_id = ?", id);
}

/** Deletes sessions that were last used before then, and cancellations that no process took. */
export async function deleteOldMcpSessions(queries: Queries, before: number, cancelledBefore: number): Promise<void> {
  await queries.run("DELETE FROM mcp_sessions WHERE used_at < ?", before);
  await queries.run("DELETE FROM mcp_cancellations WHERE created_at < ?", cancelledBefore);
}

/** Notes that a request is to be cancelled. `requestId` is JSON: "1" and 1 are different ids. */
export async function addMcpCancellation(queries: Queries, id: string, requestId: string, now: number): Promise<void> {
  await queries.run(
    `INSERT INTO mcp_cancellations (session_id, request_id, created_at) VALUES (?, ?, ?)
     ON CONFLICT (session_id, request_id) DO UPDATE SET created_at = excluded.created_at`,
    id,
    requestId,
    now,
  );
}

/** The requests of a session that are to be cancelled. */
export async function listMcpCancellations(queries: Queries, id: string): Promise<string[]> {
  const rows = await queries.all<{ request_id: string }>(
    "SELECT request_id FROM mcp_cancellations WHERE session_id = ?",
    id,
  );
  return rows.map(({ request_id }) => request_id);
}

/** Removes the note, once the process that works on the request has it. */
export async function deleteMcpCancellation(queries: Queries, id: string, requestId: string): Promise<void> {
  await queries.run("DELETE FROM mcp_cancellations WHERE session_id = ? AND request_id = ?", id, requestId);
}
