/** Rows of stored responses: the refs of one reply, as JSON. */
import type { Queries } from "./sql.ts";

export async function keepResponseRow(
  queries: Queries,
  owner: string,
  id: string,
  entries: string,
  usedAt: number,
): Promise<void> {
  await queries.run(
    `INSERT INTO responses (owner, id, entries, used_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (owner, id) DO UPDATE SET entries = excluded.entries, used_at = excluded.used_at`,
    owner,
    id,
    entries,
    usedAt,
  );
}

export async function findResponseRow(queries: Queries, owner: string, id: string): Promise<string | undefined> {
  const row = await queries.get<{ entries: string }>(
    "SELECT entries FROM responses WHERE owner = ? AND id = ?",
    owner,
    id,
  );
  return row?.entries;
}

export async function markResponseUsed(queries: Queries, owner: string, id: string, usedAt: number): Promise<void> {
  await queries.run("UPDATE responses SET used_at = ? WHERE owner = ? AND id = ?", usedAt, owner, id);
}

export async function deleteOldResponses(queries: Queries, owner: string, before: number): Promise<void> {
  await queries.run("DELETE FROM responses WHERE owner = ? AND used_at < ?", owner, before);
}
