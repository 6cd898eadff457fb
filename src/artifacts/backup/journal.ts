/** The journal: a line for every artifact that was kept or removed, to rebuild a lost catalogue from its last snapshot. */
import { appendFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRow } from "../../catalogue/artifact-rows.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { readCatalogueId } from "../../catalogue/schema.ts";
import { systemCode } from "../../errors.ts";
import { makeFoldersSync } from "../../system/folders.ts";

export type JournalEntry =
  | { readonly kept: ArtifactRow }
  | { readonly removed: { readonly owner: string; readonly refs: readonly string[] } };

export type Journal = {
  /** Adds a line. It is a second copy, so a journal that cannot be written costs nothing but that. */
  add(entry: JournalEntry, now: number): Promise<void>;
};

/** A file has the lines of one day and one catalogue. */
export type JournalFile = { readonly name: string; readonly day: string; readonly catalogueId: string };

export const journalFolder = (home: string): string => join(home, "journal");

export function openJournal(home: string, catalogue: Catalogue): Journal {
  const folder = journalFolder(home);
  let id: string | undefined;
  let hasFolder = false;

  async function add(entry: JournalEntry, now: number): Promise<void> {
    try {
      id ??= await readCatalogueId(catalogue);
      if (!hasFolder) makeFoldersSync(folder);
      hasFolder = true;
      const line = `${JSON.stringify(entry)}\n`;
      // One write in append mode: lines of several processes do not mix. It blocks, which is faster than another thread.
      appendFileSync(join(folder, `${dayOf(now)}-${id}.jsonl`), line, { mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      hasFolder = false;
    }
  }

  return { add };
}

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10).replaceAll("-", "");

/** The files of the journal, the oldest first. */
export async function listJournal(home: string): Promise<JournalFile[]> {
  const names = await listNames(journalFolder(home));
  return names.sort().flatMap((name) => {
    const [, day, catalogueId] = /^(\d{8})-([0-9a-f]+)\.jsonl$/.exec(name) ?? [];
    return day !== undefined && catalogueId !== undefined ? [{ name, day, catalogueId }] : [];
  });
}

/** The names in a folder; none if it does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return [];
    throw error;
  }
}

export async function deleteJournalFile(home: string, { name }: JournalFile): Promise<void> {
  await rm(join(journalFolder(home), name), { force: true });
}

/** The artifacts that the journal says were kept and not removed since. */
export async function readJournal(home: string): Promise<ArtifactRow[]> {
  const kept = new Map<string, ArtifactRow>();
  for (const { name } of await listJournal(home)) {
    const text = await readFile(join(journalFolder(home), name), "utf8");
    for (const line of text.split("\n")) apply(parseLine(line), kept);
  }
  return [...kept.values()];
}

function apply(entry: JournalEntry | undefined, kept: Map<string, ArtifactRow>): void {
  if (entry === undefined) return;
  if ("kept" in entry) kept.set(`${entry.kept.owner}/${entry.kept.ref}`, entry.kept);
  else for (const ref of entry.removed.refs) kept.delete(`${entry.removed.owner}/${ref}`);
}

/** Undefined for a line that a killed process or a full disk cut short. */
function parseLine(line: string): JournalEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<{
      kept: Partial<ArtifactRow>;
      removed: { owner: string; refs: string[] };
    }>;
    const isKept = typeof entry.kept?.ref === "string" && /^[0-9a-f]{64}$/.test(entry.kept.sha256 ?? "");
    return isKept || Array.isArray(entry.removed?.refs) ? (entry as JournalEntry) : undefined;
  } catch {
    return undefined;
  }
}
