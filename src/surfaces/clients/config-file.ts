/** Reads and replaces the config file of a client: through links, in one step, with its mode, and only if it is unchanged. */
import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { access, chown, constants, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { SpillwayError, systemCode } from "../../errors.ts";
import { removeLeftovers } from "./leftovers.ts";

/** A config file as it was read. */
export type ConfigFile = {
  /** As the client names it. */
  readonly path: string;
  /** Behind links: the file that is read and replaced. */
  readonly realPath: string;
  /** Null if there is no file yet. */
  readonly bytes: Buffer | null;
  /** The mode of a file that is made: private for a user, as usual for a project. */
  readonly newMode: number;
  readonly owner: { readonly mode: number; readonly uid: number; readonly gid: number } | null;
};

/** More than any config has. */
const MAX_CONFIG_BYTES = 32 * 1024 * 1024;

/** Reads a config, or learns that there is none. With `within`, links must not lead out of that folder. */
export async function readConfigFile(path: string, within?: string): Promise<ConfigFile> {
  try {
    const realPath = await resolveLinks(path);
    if (within !== undefined) requireInside(path, realPath, await realpath(within));
    const stats = await stat(realPath).catch(ignoreMissing);
    const newMode = within === undefined ? 0o600 : 0o666;
    if (stats === undefined) return { path, realPath, newMode, bytes: null, owner: null };
    if (!stats.isFile()) throw refuse(path, "is not a regular file", "Move it away, then try again.");
    if (stats.size > MAX_CONFIG_BYTES)
      throw refuse(path, "is too large for a config", "Check that it is the right file.");
    const bytes = await readFile(realPath);
    return { path, realPath, newMode, bytes, owner: { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid } };
  } catch (error) {
    throw toConfigError(path, "read", error);
  }
}

/** Replaces a config by other bytes. Throws if it has changed since it was read. */
export async function writeConfigFile(file: ConfigFile, bytes: Uint8Array): Promise<void> {
  try {
    await requireUnchanged(file);
    if (file.bytes === null) await mkdir(dirname(file.realPath), { recursive: true });
    else await access(file.realPath, constants.W_OK);
    await replaceFile(file, bytes);
  } catch (error) {
    throw toConfigError(file.path, "written", error);
  }
}

/** Deletes a config that has not changed since it was read. */
export async function deleteConfigFile(file: ConfigFile): Promise<void> {
  try {
    await requireUnchanged(file);
    await rm(file.realPath);
  } catch (error) {
    throw toConfigError(file.path, "deleted", error);
  }
}

/** Follows links. The last part need not exist, unless it is a link. */
async function resolveLinks(path: string): Promise<string> {
  const whole = await realpath(path).catch(ignoreMissing);
  if (whole !== undefined) return whole;
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink)
    throw refuse(path, "is a link to a file that does not exist", "Make that file or remove the link, then try again.");
  return path;
}

function requireInside(path: string, realPath: string, folder: string): void {
  const inside = relative(folder, realPath);
  const isOutside = inside.startsWith("..") || isAbsolute(inside);
  if (isOutside && realPath !== path)
    throw refuse(path, "is a link out of its project", "Use --scope user, or replace the link by a file.");
}

async function requireUnchanged({ path, realPath, bytes }: ConfigFile): Promise<void> {
  const now = await readFile(realPath).catch(ignoreMissing);
  const isSame = now === undefined ? bytes === null : bytes !== null && now.equals(bytes);
  if (!isSame) throw refuse(path, "was changed by another program just now", "Try again.");
}

/** Writes beside the file and renames, so that a reader sees the old config or the new one. */
async function replaceFile({ realPath, newMode, owner }: ConfigFile, bytes: Uint8Array): Promise<void> {
  const temporary = `${realPath}.spillway-${randomBytes(6).toString("hex")}`;
  await removeLeftovers(dirname(realPath), /\.spillway-[0-9a-f]{12}$/);
  try {
    const handle = await open(temporary, "wx", owner?.mode ?? newMode);
    try {
      await handle.writeFile(bytes);
      if (owner !== null) await handle.chmod(owner.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await keepOwner(temporary, owner);
    await rename(temporary, realPath);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** As root, the file stays the user's. Others cannot give a file away, and need not. */
async function keepOwner(path: string, owner: ConfigFile["owner"]): Promise<void> {
  if (owner === null || process.getuid?.() !== 0) return;
  await chown(path, owner.uid, owner.gid);
}

function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) === "ENOENT") return undefined;
  throw error;
}

const refuse = (path: string, fault: string, hint: string): SpillwayError =>
  new SpillwayError("client_config", `${path} ${fault}.`, { hint });

function toConfigError(path: string, verb: string, error: unknown): unknown {
  const code = systemCode(error);
  if (error instanceof SpillwayError || code === undefined) return error;
  const hint = ["EACCES", "EPERM", "EROFS"].includes(code)
    ? "Give this user the right to read and write the file and its folder, then try again."
    : "Check the file and its folder, then try again.";
  return new SpillwayError("client_config", `${path} cannot be ${verb} (${code}).`, { hint, cause: error });
}

/** Where a config lies below a folder. */
export const projectFile = (folder: string, file: string): string => join(folder, ...file.split("/"));
