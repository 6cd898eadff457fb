/** The files in the folder of an index, and what its facts file says: the source folder and the project. */
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The name of the database. */
export const indexFile = "index.db";
/** The name of the writer's lock. */
export const lockFile = "lock.db";
const factsFile = "repository.json";

/** Early indexes do not name their project. */
type RepositoryFacts = { readonly root: string; readonly project_id?: string | undefined };

/** When the index in this folder was last opened or written. */
export function lastUsedAt(folder: string): number {
  const names = [factsFile, indexFile, `${indexFile}-wal`];
  return Math.max(...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Writes the file once; later only its time changes, which says when the index was last opened. */
export function writeFacts(folder: string, facts: RepositoryFacts & { readonly repository_id: string }): void {
  const now = new Date();
  const path = join(folder, factsFile);
  if (readFacts(folder)?.project_id === facts.project_id) {
    utimesSync(path, now, now);
    return;
  }
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** What the facts file says; undefined if there is no index. */
export function readFacts(folder: string): RepositoryFacts | undefined {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(folder, factsFile), "utf8"));
    if (typeof facts !== "object" || facts === null || !("root" in facts)) return undefined;
    return { root: String(facts.root), project_id: "project_id" in facts ? String(facts.project_id) : undefined };
  } catch {
    return undefined; // Never indexed in this project.
  }
}
