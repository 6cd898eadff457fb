/** Backups of configs: the bytes before our change, so that it can be taken back byte for byte. */
import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SpillwayError } from "../../errors.ts";
import { makeFolders } from "../../system/folders.ts";
import { isRecord } from "../../system/json-values.ts";
import { removeLeftovers } from "./leftovers.ts";

/** What a change was made for. Each purpose has a backup of its own for a file. */
export type Purpose = "install" | "wrap";

/** The last change of a file for a purpose. */
export type Backup = {
  /** The bytes before the first change; null if there was no file. */
  readonly before: Buffer | null;
  /**
   * The digests of the file after our changes: after the last one, and before it, in case that was not written. While the
   * file has one of these, `before` may take its place.
   */
  readonly afterSha256: readonly string[];
  /** False if the file already had our change in it when it was saved: then `before` is only a copy. */
  readonly isRestorable: boolean;
};

/** Names a backup: the file behind links, and the purpose. */
export type BackupKey = { readonly folder: string; readonly realPath: string; readonly purpose: Purpose };

/** Saves a backup before a file is changed. It replaces the one for the same file and purpose. */
export async function saveBackup(key: BackupKey, backup: Backup): Promise<void> {
  const { before, afterSha256, isRestorable } = backup;
  const { realPath, purpose } = key;
  const record = {
    version: 1,
    path: realPath,
    purpose,
    after_sha256: afterSha256,
    restorable: isRestorable,
    before_base64: before === null ? null : before.toString("base64"),
  };
  try {
    await makeFolders(key.folder);
    await removeLeftovers(key.folder, /\.json\.\d+$/);
    const temporary = `${recordPath(key)}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
    await rename(temporary, recordPath(key));
  } catch (cause) {
    throw new SpillwayError("client_config", `No backup could be written to ${key.folder}, so nothing was changed.`, {
      hint: "Set SPILLWAY_HOME to a folder that can be written, then try again.",
      cause,
    });
  }
}

/** The backup of a file for a purpose; undefined if there is none, or it is damaged. */
export async function loadBackup(key: BackupKey): Promise<Backup | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(recordPath(key), "utf8"));
    if (!isRecord(record) || record.path !== key.realPath) return undefined;
    const { before_base64: before, after_sha256: after } = record;
    return {
      before: typeof before === "string" ? Buffer.from(before, "base64") : null,
      afterSha256: (Array.isArray(after) ? after : [after]).map(String),
      isRestorable: record.restorable === true,
    };
  } catch {
    return undefined; // Without a backup only our own entry is removed, which needs none.
  }
}

/** Deletes a backup whose change was taken back. */
export async function deleteBackup(key: BackupKey): Promise<void> {
  await rm(recordPath(key), { force: true });
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function recordPath({ folder, realPath, purpose }: BackupKey): string {
  return join(folder, `${sha256(Buffer.from(`${purpose}\0${realPath}`)).slice(0, 32)}.json`);
}
