/** Writes a changed config with a backup, and takes a change back. One process at a time does so. */
import { join } from "node:path";
import { SpillwayError } from "../../errors.ts";
import { makeFolders } from "../../system/folders.ts";
import { takeLock } from "../../system/lock.ts";
import { type Backup, deleteBackup, loadBackup, type Purpose, saveBackup, sha256 } from "./backups.ts";
import { type ClientConfig, encode } from "./client-config.ts";
import { deleteConfigFile, writeConfigFile } from "./config-file.ts";

/** Why and where a change is remembered. */
export type ChangeContext = { readonly purpose: Purpose; readonly folder: string };

/** How long an installation waits for another one. */
const LOCK_WAIT_MS = 10_000;

/** Runs with the lock on all configs. */
export async function withConfigLock<T>(folder: string, run: () => Promise<T>): Promise<T> {
  await makeFolders(folder);
  using lock = takeLock(join(folder, "lock"), LOCK_WAIT_MS);
  if (lock !== null) return await run();
  throw new SpillwayError("client_config", "Another process is changing configs of clients.", {
    hint: "Wait until it has ended, then try again.",
  });
}

/** Saves a backup and writes the text. `hadChange` says that the config already had an earlier change of this purpose. */
export async function writeConfig(
  config: ClientConfig,
  text: string,
  { purpose, folder, hadChange }: ChangeContext & { readonly hadChange: boolean },
): Promise<void> {
  const { file } = config;
  const key = { folder, realPath: file.realPath, purpose };
  const bytes = encode(config, text);
  const earlier = await loadBackup(key);
  await saveBackup(key, makeBackup(earlier, { before: file.bytes, after: bytes, hadChange }));
  try {
    await writeConfigFile(file, bytes);
  } catch (error) {
    // The file has its earlier change only, so the backup of that one is needed.
    await (earlier === undefined ? deleteBackup(key) : saveBackup(key, earlier));
    throw error;
  }
}

type Change = { readonly before: Buffer | null; readonly after: Uint8Array; readonly hadChange: boolean };

/** A second change keeps the backup of the first one if nothing else changed the file between them. */
function makeBackup(earlier: Backup | undefined, { before, after, hadChange }: Change): Backup {
  const afterSha256 = [sha256(after)];
  if (!hadChange) return { before, afterSha256, isRestorable: true };
  const current = before === null ? undefined : sha256(before);
  const isContinued = earlier?.isRestorable && current !== undefined && earlier.afterSha256.includes(current);
  if (!isContinued) return { before, afterSha256, isRestorable: false };
  return { ...earlier, afterSha256: [...afterSha256, current] };
}

/** The value of a config before the first change of a purpose; undefined if that is not known. */
export async function readValueBefore(
  { file, format }: ClientConfig,
  { purpose, folder }: ChangeContext,
): Promise<unknown> {
  const before = (await loadBackup({ folder, realPath: file.realPath, purpose }))?.before;
  return before === undefined || before === null ? before : format.parse(new TextDecoder().decode(before));
}

/** How a change is taken back: the old bytes, no file where there was none, or a text without the change. */
export type Restoration =
  | { readonly kind: "restore"; readonly bytes: Buffer }
  | { readonly kind: "delete" }
  | { readonly kind: "edit"; readonly text: string };

/**
 * Decides how a change is taken back: byte for byte if the file has not changed since. Otherwise `edit` writes the text
 * without the change; it gets the value of the config before the change, or undefined if that is not known.
 */
export async function planRestoration(
  { file, format }: ClientConfig,
  { purpose, folder }: ChangeContext,
  edit: (before: unknown) => string,
): Promise<Restoration> {
  const backup = await loadBackup({ folder, realPath: file.realPath, purpose });
  if (backup === undefined || !backup.isRestorable) return { kind: "edit", text: edit(undefined) };
  const { before, afterSha256 } = backup;
  const isUnchanged = file.bytes !== null && afterSha256.includes(sha256(file.bytes));
  if (!isUnchanged)
    return { kind: "edit", text: edit(before === null ? {} : format.parse(new TextDecoder().decode(before))) };
  return before === null ? { kind: "delete" } : { kind: "restore", bytes: before };
}

/** Takes a change back as planned, and forgets its backup. */
export async function restoreConfig(
  config: ClientConfig,
  restoration: Restoration,
  { purpose, folder }: ChangeContext,
): Promise<void> {
  const { file } = config;
  if (restoration.kind === "delete") await deleteConfigFile(file);
  else
    await writeConfigFile(file, restoration.kind === "restore" ? restoration.bytes : encode(config, restoration.text));
  await deleteBackup({ folder, realPath: file.realPath, purpose });
}
