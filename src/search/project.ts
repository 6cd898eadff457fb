/** Projects keep indexes apart: whoever searches in one never sees another's files, names or jobs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { foldersUpwards, homeFolder } from "../config/paths.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { clip, wordFor } from "../system/safe-names.ts";
import { invalid } from "./request.ts";

/** A project and the folder of its indexes; null where nothing is kept on disk, and they live as long as `scope`. */
export type Project = { readonly id: string; readonly folder: string | null; readonly scope: object };

const defaultProject = "default";
const projectFile = join(".spillway", "project.json");

export type ProjectAsk = {
  readonly explicit: string | undefined;
  /** Where a project file is looked for, upwards. */
  readonly from: string;
  /** Folder of all this owner's projects, or null. */
  readonly home: string | null;
  /** What indexes in memory belong to. */
  readonly scope: object;
  /** Whether a project that was never seen may begin here. */
  readonly create: boolean;
};

/** The project that was named, else the one whose file lies above, else the default; never one for another. */
export function findProject({ explicit, from, home, scope, create }: ProjectAsk): Project {
  if (explicit !== undefined && explicit !== "") {
    const project = projectNamed(requireId(explicit, "project_id"), home, scope);
    if (create) begunInMemory(scope).add(project.id);
    else if (!isThere(project)) throw unknownProject(project.id);
    return project;
  }
  return projectNamed(idFromFile(from) ?? defaultProject, home, scope);
}

function projectNamed(id: string, home: string | null, scope: object): Project {
  return { id, folder: home === null ? null : join(home, wordFor(id)), scope };
}

/** Projects that were begun where nothing is kept on disk, by what they live as long as. */
const begun = new WeakMap<object, Set<string>>();

function begunInMemory(scope: object): Set<string> {
  const names = begun.get(scope) ?? new Set();
  begun.set(scope, names);
  return names;
}

function isThere({ id, folder, scope }: Project): boolean {
  return begunInMemory(scope).has(id) || (folder !== null && existsSync(folder));
}

function unknownProject(id: string): SpillwayError {
  return new SpillwayError("project_not_found", `There is no project ${JSON.stringify(clip(id))}.`, {
    hint: "Index a repository into it first, or leave project_id out.",
  });
}

function requireId(id: string, what: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,127}$/u.test(id)) return id;
  throw invalid(`Invalid ${what} format: ${clip(id)}`, "Letters, digits, dots, dashes and underscores, at most 128.");
}

function idFromFile(from: string): string | undefined {
  const machine = { env: process.env, platform: process.platform, homeDir: homeFolder(process.env, process.platform) };
  for (const folder of foldersUpwards(from, machine)) {
    const path = join(folder, projectFile);
    const text = readIfThere(path);
    if (text !== undefined) return idIn(text, path);
  }
  return undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw broken(path, "it cannot be read", error);
  }
}

function idIn(text: string, path: string): string {
  const parsed = parseJson(text, path);
  const id = typeof parsed === "object" && parsed !== null && "project_id" in parsed ? parsed.project_id : undefined;
  if (typeof id !== "string") throw broken(path, "it has no project_id");
  return requireId(id, `project_id in ${path}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw broken(path, "it is not JSON", cause);
  }
}

function broken(path: string, why: string, cause?: unknown): SpillwayError {
  return new SpillwayError("project_invalid", `The project file ${clip(path, PATH_CHARS)} is broken: ${why}.`, {
    hint: 'Write {"project_id": "name"} into it, or remove it.',
    cause,
  });
}
