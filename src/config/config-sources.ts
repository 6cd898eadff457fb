/** The sources of settings: the user's file, the project's file, the environment and flags. */
import { existsSync } from "node:fs";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { type Entry, type ReadEntries, readConfigFile } from "./config-file.ts";
import { type ConfigProblem, quote, suggestName, unknownSettingProblem } from "./config-problem.ts";
import { foldersUpwards, type Machine, pathsOf, userConfigFile } from "./paths.ts";
import { type PathBase, parseValue, valueFromText } from "./setting-values.ts";
import { environmentName, isSettingName, otherVariables, rowOf, settingNames } from "./settings.ts";
import { nearestName } from "./suggest-name.ts";

/** Where a value came from. */
export type SettingOrigin = "default" | "environment" | "flag" | { readonly file: string };

/** Whose source it is. Variables and flags belong to the user. */
export type SourceOwner = "user" | "project";

/** A place where a config file is looked for. */
export type ConfigFile = { readonly path: string; readonly owner: SourceOwner; readonly exists: boolean };

/** One source of settings with its entries. */
export type Source = ReadEntries & {
  readonly origin: SettingOrigin;
  readonly owner: SourceOwner;
  readonly base: PathBase;
};

type FileSource = Source & ConfigFile;

/** The user's config file; undefined for a user without a home folder. */
export async function readUserFile(cwd: string, machine: Machine): Promise<FileSource | undefined> {
  const configPath = machine.env.SPILLWAY_CONFIG?.trim();
  if (configPath) return namedFile(configPath, cwd, machine);
  const path = userConfigFile(machine);
  return path === undefined ? undefined : readEither(path, "user", machine);
}

/** A file named by the user must exist; the platform's default file may be missing. */
async function namedFile(configPath: string, cwd: string, machine: Machine): Promise<FileSource> {
  const place = { variable: "SPILLWAY_CONFIG" };
  const parsed = parseValue({ type: "path", default: "", about: "" }, configPath, baseOf(cwd, machine));
  if (!parsed.ok) {
    const problem = { place, sentence: `SPILLWAY_CONFIG ${parsed.fault}`, hint: parsed.hint };
    return { ...fileSource(configPath, "user", machine, undefined), problems: [problem] };
  }
  const path = String(parsed.value);
  const source = fileSource(path, "user", machine, await readConfigFile(path, "named"));
  if (source.exists) return source;
  const hint = "Create it, or unset SPILLWAY_CONFIG to use the usual place.";
  return { ...source, problems: [{ place, sentence: `There is no config file ${clip(path, PATH_CHARS)}.`, hint }] };
}

/** All candidate files, upwards until one exists or the repository ends. `userPath` is not read twice. */
export async function readProjectFiles(
  cwd: string,
  machine: Machine,
  userPath: string | undefined,
): Promise<FileSource[]> {
  const paths = pathsOf(machine.platform);
  const sources: FileSource[] = [];
  for (const folder of foldersUpwards(cwd, machine)) {
    const path = paths.join(folder, ".spillway", "config.jsonc");
    if (userPath === path || userPath === plainJsonPath(path)) break;
    const source = await readEither(path, "project", machine);
    sources.push(source);
    if (source.exists || existsSync(paths.join(folder, ".git"))) break;
  }
  return sources;
}

/** The file, or config.json in its place. If both exist, one of them is not read, and a problem says so. */
async function readEither(path: string, owner: SourceOwner, machine: Machine): Promise<FileSource> {
  const read = async (file: string) => fileSource(file, owner, machine, await readConfigFile(file, owner));
  const source = await read(path);
  const plainPath = plainJsonPath(path);
  if (!source.exists) {
    const plain = await read(plainPath);
    return plain.exists ? plain : source;
  }
  return existsSync(plainPath) ? { ...source, problems: [...source.problems, secondFile(plainPath)] } : source;
}

/** `config.json` for `config.jsonc`. */
function plainJsonPath(path: string): string {
  return path.slice(0, -1);
}

function secondFile(file: string): ConfigProblem {
  return {
    place: { file },
    sentence: "This file is not read, because there is a config.jsonc beside it.",
    hint: "Move its settings to config.jsonc and remove it.",
  };
}

function fileSource(path: string, owner: SourceOwner, machine: Machine, read: ReadEntries | undefined): FileSource {
  const base = baseOf(pathsOf(machine.platform).dirname(path), machine);
  const { entries, problems } = read ?? { entries: [], problems: [] };
  return { path, owner, exists: read !== undefined, origin: { file: path }, base, entries, problems };
}

/** The SPILLWAY_ variables. */
export function environmentSource(cwd: string, machine: Machine): Source {
  const settings = new Map(settingNames.map((name) => [environmentName(name), name]));
  const entries: Entry[] = [];
  const problems: ConfigProblem[] = [];
  for (const [key, text] of Object.entries(machine.env)) {
    const variable = machine.platform === "win32" ? key.toUpperCase() : key;
    if (!variable.startsWith(variablePrefix) || !text?.trim()) continue; // An empty variable is the same as none.
    const name = settings.get(variable);
    if (name !== undefined) entries.push({ name, value: valueFromText(rowOf(name), text), place: { variable } });
    else if (!Object.hasOwn(otherVariables, variable)) problems.push(unknownVariable(variable, [...settings.keys()]));
  }
  return { origin: "environment", owner: "user", base: baseOf(cwd, machine), entries, problems };
}

const variablePrefix = "SPILLWAY_";

function unknownVariable(variable: string, knownVariables: readonly string[]): ConfigProblem {
  const candidates = [...knownVariables, ...Object.keys(otherVariables)].map((name) =>
    name.slice(variablePrefix.length),
  );
  const nearest = nearestName(variable.slice(variablePrefix.length), candidates);
  return {
    place: { variable },
    sentence: `There is no variable ${quote(variable)}.`,
    hint: suggestName(nearest === undefined ? undefined : variablePrefix + nearest),
  };
}

/** The values of --set. */
export function flagSource(cwd: string, machine: Machine, flags: Readonly<Record<string, string>>): Source {
  const entries: Entry[] = [];
  const problems: ConfigProblem[] = [];
  for (const [name, text] of Object.entries(flags)) {
    const place = { flag: `--set ${name}` };
    if (isSettingName(name)) entries.push({ name, value: valueFromText(rowOf(name), text), place });
    else problems.push(unknownSettingProblem(name, place));
  }
  return { origin: "flag", owner: "user", base: baseOf(cwd, machine), entries, problems };
}

function baseOf(folder: string, { homeDir, platform }: Machine): PathBase {
  return { folder, home: homeDir, platform };
}
