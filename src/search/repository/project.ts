/** Projects separate indexes: a search in one never sees the files, names or jobs of another. */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { foldersUpwards, homeFolder } from "../../config/paths.ts";
import { SpillwayError, systemCode } from "../../errors.ts";
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip, safeFileName } from "../../system/safe-names.ts";
import { isLinked, readSmallFile } from "../../system/small-file.ts";
import { searchInvalid } from "../search-input.ts";

/** A project and the folder of its indexes. The folder is null for indexes in memory, which live as long as `scope`. */
export type Project = { readonly id: string; readonly folder: string | null; readonly scope: object };

const projectFile = join(".spillway", "project.json");

/** The project with this id. */
export function makeProject(id: string, home: string | null, scope: object): Project {
  return { id, folder: home === null ? null : join(home, safeFileName(id)), scope };
}

/** The id, if it has the form of one. */
export function requireProjectId(id: string, label: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,127}$/u.test(id)) return id;
  throw searchInvalid(
    `Invalid ${label} format: ${clip(id)}`,
    "Letters, digits, dots, dashes and underscores, at most 128.",
  );
}

/** What a project file names: the project of the folder that the file is in, and of all below it. */
export type FileProject = { readonly id: string; readonly folder: string; readonly path: string };

/** The nearest project file, upwards from this folder. */
export function findFileProject(startFolder: string): FileProject | undefined {
  const machine = { env: process.env, platform: process.platform, homeDir: homeFolder(process.env, process.platform) };
  for (const folder of foldersUpwards(startFolder, machine)) {
    const path = join(folder, projectFile);
    const text = readIfExists(path);
    if (text !== undefined) return { id: parseId(text, path), folder, path };
  }
  return undefined;
}

/** Far more than a project file needs. */
const MAX_FILE_BYTES = 64 * 1024;

function readIfExists(path: string): string | undefined {
  try {
    if (isLinked(path)) throw projectInvalid(path, "it is reached through a symbolic link");
    const read = readSmallFile(path, MAX_FILE_BYTES);
    if ("instead" in read) throw projectInvalid(path, `it is ${read.instead}`);
    if (read.bytes.length > MAX_FILE_BYTES) throw projectInvalid(path, "it is too large");
    return new TextDecoder().decode(read.bytes);
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error) ?? "")) return undefined;
    if (!canEnter(dirname(dirname(path)))) return undefined; // The folder cannot be read, which its reader reports.
    throw projectInvalid(path, "it cannot be read", error);
  }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function parseId(text: string, path: string): string {
  const parsed = parseJson(text, path);
  const id = typeof parsed === "object" && parsed !== null && "project_id" in parsed ? parsed.project_id : undefined;
  if (typeof id !== "string") throw projectInvalid(path, "it has no project_id");
  return requireProjectId(id, `project_id in ${path}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw projectInvalid(path, "it is not JSON", cause);
  }
}

function projectInvalid(path: string, problem: string, cause?: unknown): SpillwayError {
  return new SpillwayError("project_invalid", `The project file ${clip(path, PATH_CHARS)} is broken: ${problem}.`, {
    hint: 'Write {"project_id": "name"} into it, or remove it.',
    cause,
  });
}
