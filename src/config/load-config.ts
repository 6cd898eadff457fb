/** Loads the settings: defaults, the user's file, the project's file, the environment, flags. The last one wins. */
import { existsSync } from "node:fs";
import { SpillwayError } from "../errors.ts";
import { type Entry, type ReadEntries, readConfigFile } from "./config-file.ts";
import {
  type ConfigProblem,
  describeProblem,
  type ProblemPlace,
  quote,
  suggestName,
  unknownSettingProblem,
} from "./config-problem.ts";
import { type Environment, foldersUpwards, homeFolder, type Machine, pathsOf, userConfigFile } from "./paths.ts";
import { type PathBase, parseValue, type SettingValue, valueFromText } from "./setting-values.ts";
import {
  defaultSettings,
  environmentName,
  isSettingName,
  otherVariables,
  rowOf,
  type SettingName,
  type Settings,
  settingNames,
} from "./settings.ts";
import { nearestName } from "./suggest-name.ts";

export type LoadOptions = {
  readonly cwd: string;
  readonly env: Environment;
  /** Values of `--set name=value`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly homeDir?: string;
  readonly platform?: NodeJS.Platform;
};

export type SettingOrigin = "default" | "environment" | "flag" | { readonly file: string };

/** A place where a config file is looked for. */
export type ConfigFile = { readonly path: string; readonly owner: "user" | "project"; readonly exists: boolean };

export type LoadedConfig = {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, SettingOrigin>>;
  readonly files: readonly ConfigFile[];
  readonly problems: readonly ConfigProblem[];
};

/** Never throws for invalid settings: the setting keeps the value of the next lower source, and a problem is reported. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { cwd, env, flags = {}, platform = process.platform } = options;
  const machine: Machine = { env, platform, homeDir: options.homeDir ?? homeFolder(env, platform) };
  const user = await userFile(cwd, machine);
  const project = await projectFiles(cwd, machine, user?.path);
  const files = user === undefined ? project : [user, ...project];
  const sources = [...files, environmentSource(cwd, machine), flagSource(cwd, machine, flags)];
  return {
    ...merge(sources.map(judge)),
    files: files.map(({ path, owner, exists }) => ({ path, owner, exists })),
  };
}

/** The settings if they have no problems; otherwise throws with the first problem and the number of others. */
export function requireValid({ settings, problems }: LoadedConfig): Settings {
  const [first, ...others] = problems;
  if (first === undefined) return settings;
  const moreProblems =
    others.length === 0 ? "" : ` (${others.length} more ${others.length === 1 ? "problem" : "problems"}.)`;
  throw new SpillwayError("config_invalid", `${describeProblem(first)}${moreProblems}`, { hint: first.hint });
}

/** One source of settings with its entries. Variables and flags belong to the user. */
type Source = ReadEntries & {
  readonly origin: SettingOrigin;
  readonly owner: ConfigFile["owner"];
  readonly base: PathBase;
};

type FileSource = Source & ConfigFile;

async function userFile(cwd: string, machine: Machine): Promise<FileSource | undefined> {
  const configPath = machine.env.SPILLWAY_CONFIG?.trim();
  if (configPath) return namedFile(configPath, cwd, machine);
  const path = userConfigFile(machine);
  return path === undefined ? undefined : fileSource(path, "user", machine, await readConfigFile(path));
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
  const source = fileSource(path, "user", machine, await readConfigFile(path));
  if (source.exists) return source;
  const hint = "Create it, or unset SPILLWAY_CONFIG to use the usual place.";
  return { ...source, problems: [{ place, sentence: `There is no config file ${path}.`, hint }] };
}

/** All candidate files, upwards until one exists or the repository ends. `userPath` is not read twice. */
async function projectFiles(cwd: string, machine: Machine, userPath: string | undefined): Promise<FileSource[]> {
  const paths = pathsOf(machine.platform);
  const sources: FileSource[] = [];
  for (const folder of foldersUpwards(cwd, machine)) {
    const path = paths.join(folder, ".spillway", "config.jsonc");
    if (path === userPath) break;
    const source = fileSource(path, "project", machine, await readConfigFile(path));
    sources.push(source);
    if (source.exists || existsSync(paths.join(folder, ".git"))) break;
  }
  return sources;
}

function fileSource(
  path: string,
  owner: ConfigFile["owner"],
  machine: Machine,
  read: ReadEntries | undefined,
): FileSource {
  const base = baseOf(pathsOf(machine.platform).dirname(path), machine);
  const { entries, problems } = read ?? { entries: [], problems: [] };
  return { path, owner, exists: read !== undefined, origin: { file: path }, base, entries, problems };
}

function environmentSource(cwd: string, machine: Machine): Source {
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

function flagSource(cwd: string, machine: Machine, flags: Readonly<Record<string, string>>): Source {
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

type Layer = {
  readonly origin: SettingOrigin;
  readonly values: ReadonlyMap<SettingName, SettingValue>;
  readonly problems: readonly ConfigProblem[];
};

function judge({ origin, owner, base, entries, problems }: Source): Layer {
  const values = new Map<SettingName, SettingValue>();
  const allProblems = [...problems];
  for (const [name, [entry, again]] of Map.groupBy(entries, (entry) => entry.name)) {
    if (entry === undefined) continue; // A group has at least the entry that opened it.
    const judged = again === undefined ? judgeEntry(entry, owner, base) : writtenTwice(entry, again);
    if ("value" in judged) values.set(name, judged.value);
    else allProblems.push(judged);
  }
  return { origin, values, problems: allProblems };
}

function judgeEntry(entry: Entry, owner: ConfigFile["owner"], base: PathBase): { value: SettingValue } | ConfigProblem {
  const { name, value, place } = entry;
  const row = rowOf(name);
  if (owner === "project" && row.userOnly) return notForProjects(name, place);
  const parsed = parseValue(row, value, base);
  return parsed.ok ? parsed : { place, key: name, sentence: `${name} ${parsed.fault}`, hint: parsed.hint };
}

function notForProjects(key: SettingName, place: ProblemPlace): ConfigProblem {
  return {
    place,
    key,
    sentence: `${key} may not be set by a project's file, because a project may come from someone else.`,
    hint: `Set it in your own config file, with ${environmentName(key)}, or with --set ${key}=...`,
  };
}

function writtenTwice({ name, place: first }: Entry, { place }: Entry): ConfigProblem {
  const line = "line" in first ? ` (first on line ${first.line})` : "";
  return {
    place,
    key: name,
    sentence: `${name} is set twice${line}, so neither is used.`,
    hint: "Remove one of the two.",
  };
}

function merge(layers: readonly Layer[]): Omit<LoadedConfig, "files"> {
  const settings: Record<string, SettingValue> = { ...defaultSettings };
  const origins = Object.fromEntries(settingNames.map((name) => [name, "default"])) as Record<
    SettingName,
    SettingOrigin
  >;
  for (const { origin, values } of layers) {
    for (const [name, value] of values) {
      settings[name] = value;
      origins[name] = origin;
    }
  }
  // Every value was parsed by its row's type, so this matches Settings.
  return { settings: settings as Settings, origins, problems: layers.flatMap((layer) => layer.problems) };
}
