/** Local files as a source: regular files only, inside the allowed roots, never a device, a pipe or a kernel file. */
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, stat, statfs } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SpillwayError, systemCode } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { readChunks } from "./chunks.ts";
import type { CheckedFile } from "./file-reference.ts";
import type { SourceKind } from "./source-kind.ts";

export const fileSource: SourceKind = {
  // One letter before the colon is a Windows drive.
  matches: (given) => /^file:/i.test(given) || !/^[a-z][a-z0-9+.-]+:/i.test(given),
  source(given, { cwd, roots }) {
    const path = resolve(cwd, /^file:/i.test(given) ? toPath(given) : given);
    return {
      given,
      identity: pathToFileURL(path).href,
      open: async ({ signal }) => ({
        chunks: readCheckedFile(given, path, roots, signal),
        openFile: () => openCheckedFile(given, path, roots),
        name: basename(path),
        headers: {},
      }),
    };
  },
};

/** Folders whose "regular" files are made by the kernel: of unknown length, endless, or with side effects. */
const kernelFolders = ["/proc", "/sys", "/dev"];
/** The same files mounted elsewhere, by file system type: proc, sysfs, debugfs, tracefs, securityfs, cgroup 1 and 2. */
const kernelFileSystems = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0x27e0eb, 0x63677270]);

function toPath(given: string): string {
  try {
    return fileURLToPath(given);
  } catch (cause) {
    throw new SpillwayError("source_refused", `${clip(given, PATH_CHARS)} is not a file on this machine.`, {
      hint: "A file: URL needs an absolute path and no host: file:///home/me/report.txt.",
      cause,
    });
  }
}

/** Opens the file when the first chunk is read, so that a source that is never read holds no file open. */
async function* readCheckedFile(
  given: string,
  path: string,
  roots: readonly string[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { handle } = await openCheckedFile(given, path, roots);
  yield* readChunks(handle, { signal, inPlace: true });
}

async function openCheckedFile(
  given: string,
  path: string,
  roots: readonly string[] | undefined,
): Promise<CheckedFile> {
  try {
    assertNotKernelFolder(given, path);
    const real = await realpath(path).catch(async (error: unknown) => {
      // Outside the roots, the error must not reveal whether the path exists.
      await assertInsideRoots(given, await resolveNearest(path), roots);
      throw error;
    });
    await assertInsideRoots(given, real, roots);
    await assertNotKernelFile(given, real);
    assertRegularFile(given, await stat(real));
    const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    await assertNotSwapped(given, real, handle);
    return { handle, realPath: real };
  } catch (error) {
    throw error instanceof SpillwayError ? error : makeUnreadableError(given, error);
  }
}

/** The real path of the nearest existing folder, with the missing rest of the path appended. */
async function resolveNearest(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  const real = await realpath(above).catch(() => resolveNearest(above));
  return join(real, basename(path));
}

/** Throws for a real path outside the roots; without roots every path is allowed. */
export async function assertInsideRoots(
  given: string,
  real: string,
  roots: readonly string[] | undefined,
): Promise<void> {
  if (roots === undefined) return;
  for (const root of roots) {
    // A root that does not exist allows nothing.
    const realRoot = await realpath(root).catch(() => undefined);
    if (realRoot !== undefined && isInside(real, realRoot)) return;
  }
  throw makeRefusedError(
    given,
    "is outside the folders that may be read",
    "Add its folder to the setting files.allow, or over HTTP to the token: spillway token add NAME --files DIR.",
  );
}

async function assertNotKernelFile(given: string, real: string): Promise<void> {
  assertNotKernelFolder(given, real);
  if (kernelFileSystems.has((await statfs(real)).type)) throw makeKernelFileError(given);
}

/** Throws for a path in one of the kernel's folders. */
export function assertNotKernelFolder(given: string, path: string): void {
  if (process.platform !== "win32" && kernelFolders.some((folder) => isInside(path, folder)))
    throw makeKernelFileError(given);
}

function makeKernelFileError(given: string): SpillwayError {
  return makeRefusedError(given, "is a file of the kernel, not a document", "To read standard input, give - instead.");
}

function assertRegularFile(given: string, stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw makeRefusedError(given, "is a folder", FOLDER_HINT);
  const fileType = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  throw makeRefusedError(
    given,
    `is ${fileType}`,
    "Only regular files are read; copy its content into one, or pipe it to -.",
  );
}

/** Throws if the opened file is not the one that was checked: a folder of its path may have been swapped meanwhile. */
async function assertNotSwapped(given: string, real: string, handle: FileHandle): Promise<void> {
  try {
    const [openedStats, pathStats] = [await handle.stat(), await stat(await realpath(real))];
    assertRegularFile(given, openedStats);
    if (openedStats.ino === pathStats.ino && openedStats.dev === pathStats.dev && (await realpath(real)) === real)
      return;
    throw makeRefusedError(given, "changed while it was being opened", "Try again.");
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === "" || !(relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath))
  );
}

function makeRefusedError(given: string, fact: string, hint: string): SpillwayError {
  return new SpillwayError("source_refused", `${clip(given, PATH_CHARS)} ${fact}.`, { hint });
}

const FOLDER_HINT =
  "Fetch the files in it one by one, or ask a question about all of them: search_code, on the command line spillway search.";

function missingFileHint(given: string): string {
  if (/^af_[0-9a-f]{32}$/.test(given))
    return `This is a ref: use read_artifact, on the command line spillway read ${given}.`;
  if (given.includes("\ufffd"))
    return "Its name is not UTF-8, or has a character that could not be read. Give the file on standard input: spillway fetch - < FILE.";
  return "Check the path; a relative one begins at the current folder.";
}

function makeUnreadableError(given: string, cause: unknown): SpillwayError {
  const code = systemCode(cause);
  if (code === "ENOENT" || code === "ENOTDIR") {
    // A URL without its scheme counts as a path.
    return new SpillwayError("source_not_found", `There is no file ${clip(redactUrl(given), PATH_CHARS)}.`, {
      hint: missingFileHint(given),
      cause,
    });
  }
  if (code === "ENAMETOOLONG") {
    return new SpillwayError("source_not_found", `There is no file ${clip(given, PATH_CHARS)}: the name is too long.`, {
      hint: "Check the path. To fetch a text itself, pass it on standard input and give - instead.",
      cause,
    });
  }
  if (code === "ELOOP") return makeRefusedError(given, "is a symbolic link in a loop", "Give the file itself.");
  const isDenied = code === "EACCES" || code === "EPERM";
  return new SpillwayError(
    "source_unreadable",
    `${clip(given, PATH_CHARS)} cannot be read${isDenied ? ": permission denied" : ""}.`,
    {
      hint: isDenied ? "Give this user permission to read it." : `Check the disk it is on (${code ?? String(cause)}).`,
      cause,
    },
  );
}
