/** Adds the usage of processes that were killed before they could write it. */
import { readdir, readFile, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Sql } from "../catalogue/sql.ts";
import { addUsageRows } from "../catalogue/usage-rows.ts";
import { safeFileName } from "../system/safe-names.ts";
import type { JournalLine } from "./usage-recorder.ts";

/** Whether a process of another machine or container is alive cannot be seen. One that is would have written by then. */
const MAX_WRITE_MS = 10 * 60 * 1_000;

/** Several processes may do so at once: each file is added once. */
export async function addKilledUsage(
  folder: string,
  { catalogue, now }: { readonly catalogue: Sql; readonly now: number },
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (!(await isOfKilled(name, path, now))) continue;
    try {
      const [id = ""] = name.split(".");
      const line = parseLast(await readFile(path, "utf8"));
      if (line !== undefined) await addUsageRows(catalogue, { owner: line.owner, run: line.run, now, batch: id }, line);
      await unlink(path);
    } catch {
      // The store is busy, or another process has just added it. The next one that looks tries again.
    }
  }
}

async function isOfKilled(name: string, path: string, now: number): Promise<boolean> {
  const [, pid, host] = /^[0-9a-f-]{36}\.(\d+)\.(.+)\.jsonl$/.exec(name) ?? [];
  if (pid === undefined) return false;
  if (host === safeFileName(hostname())) return !isAlive(Number(pid));
  const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: now };
  return now - mtimeMs > MAX_WRITE_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Each line has everything; the last one may be cut. */
function parseLast(text: string): JournalLine | undefined {
  for (const line of text.split("\n").reverse()) {
    try {
      const { owner, run, rows, outcomes } = JSON.parse(line) as JournalLine;
      if (typeof owner === "string" && Array.isArray(rows) && Array.isArray(outcomes))
        return { owner, run, rows, outcomes };
    } catch {
      // Cut, or the empty rest after the last line.
    }
  }
  return undefined;
}
