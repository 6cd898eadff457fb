/** Loads the settings: defaults, the user's file, the project's file, the environment, flags; the later one wins. */
import { existsSync } from "node:fs";
import { SpillwayError } from "../errors.ts";
import { type Entry, type ReadEntries, readConfigFile } from "./config-file.ts";
import { type Environment, foldersUpwards, homeFolder, type Machine, pathsOf, userConfigFile } from "./paths.ts";
import {
  type ConfigProblem,
  describeProblem,
  type ProblemPlace,
  quoted,
  suggestion,
  unknownSetting,
} from "./problem.ts";
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
import { nearestName } from "./suggest.ts";
import { type PathBase, parseValue, type SettingValue, valueFromText } from "./values.ts";

export type LoadOptions = {
  readonly cwd: string;
  readonly env: Environment;
  /** What `--set name=value` said. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly homeDir?: string;
  readonly platform?: NodeJS.Platform;
};

export type Origin = "default" | "environment" | "flag" | { readonly file: string };

/** A place where a config file was looked for. */
export type ConfigFile = { readonly path: string; readonly owner: "user" | "project"; readonly found: boolean };

export type LoadedConfig = {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  readonly files: readonly ConfigFile[];
  readonly problems: readonly ConfigProblem[];
};

/** Never throws for what people wrote: a problem leaves its setting at the value of the next lower source. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { cwd, env, flags = {}, platform = process.platform } = options;
  const machine: Machine = { env, platform, homeDir: options.homeDir ?? homeFolder(env, platform) };
  const user = await userFile(cwd, machine);
  const project = await projectFiles(cwd, machine, user?.path);
  const files = user === undefined ? project : [user, ...project];
  const sources = [...files, environmentSource(cwd, machine), flagSource(cwd, machine, flags)];
  return { ...merge(sources.map(judge)), files: files.map(({ path, owner, found }) => ({ path, owner, found })) };
}

/** The settings, where nothing is wrong; else throws, naming the first problem's place and how many more there are. */
export function requireValid({ settings, problems }: LoadedConfig): Settings {
  const [first, ...others] = problems;
  if (first === undefined) return settings;
  const more = others.length === 0 ? "" : ` (${others.length} more ${others.length === 1 ? "problem" : "problems"}.)`;
  throw new SpillwayError("config_invalid", `${describeProblem(first)}${more}`, { hint: first.hint });
}

/** One place settings come from, with all that was written there. A variable and a flag are the user's. */
type Source = ReadEntries & {
  readonly origin: Origin;
  readonly owner: ConfigFile["owner"];
  readonly base: PathBase;
};

type FileSource = Source & ConfigFile;

async function userFile(cwd: string, machine: Machine): Promise<FileSource | undefined> {
  const named = machine.env.SPILLWAY_CONFIG?.trim();
  if (named) return namedFile(named, cwd, machine);
  const path = userConfigFile(machine);
  return path === undefined ? undefined : fileSource(path, "user", machine, await readConfigFile(path));
}

/** A file that was asked for by name must be there; the platform's place may well be empty. */
async function namedFile(named: string, cwd: string, machine: Machine): Promise<FileSource> {
  const at = { variable: "SPILLWAY_CONFIG" };
  const parsed = parseValue({ type: "path", default: "", about: "" }, named, baseOf(cwd, machine));
  if (!parsed.ok) {
    const problem = { at, sentence: `SPILLWAY_CONFIG ${parsed.fault}`, hint: parsed.hint };
    return { ...fileSource(named, "user", machine, undefined), problems: [problem] };
  }
  const path = String(parsed.value);
  const source = fileSource(path, "user", machine, await readConfigFile(path));
  if (source.found) return source;
  const hint = "Create it, or unset SPILLWAY_CONFIG to use the usual place.";
  return { ...source, problems: [{ at, sentence: `There is no config file ${path}.`, hint }] };
}

/** Every place looked at, upwards until a file is found or the repository ends; `userPath` is not read twice. */
async function projectFiles(cwd: string, machine: Machine, userPath: string | undefined): Promise<FileSource[]> {
  const paths = pathsOf(machine.platform);
  const sources: FileSource[] = [];
  for (const folder of foldersUpwards(cwd, machine)) {
    const path = paths.join(folder, ".spillway", "config.jsonc");
    if (path === userPath) break;
    const source = fileSource(path, "project", machine, await readConfigFile(path));
    sources.push(source);
    if (source.found || existsSync(paths.join(folder, ".git"))) break;
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
  return { path, owner, found: read !== undefined, origin: { file: path }, base, entries, problems };
}

function environmentSource(cwd: string, machine: Machine): Source {
  const settings = new Map(settingNames.map((name) => [environmentName(name), name]));
  const entries: Entry[] = [];
  const problems: ConfigProblem[] = [];
  for (const [key, text] of Object.entries(machine.env)) {
    const variable = machine.platform === "win32" ? key.toUpperCase() : key;
    if (!variable.startsWith(variablePrefix) || !text?.trim()) continue; // An empty variable is the same as none.
    const name = settings.get(variable);
    if (name !== undefined) entries.push({ name, written: valueFromText(rowOf(name), text), at: { variable } });
    else if (!Object.hasOwn(otherVariables, variable)) problems.push(unknownVariable(variable, [...settings.keys()]));
  }
  return { origin: "environment", owner: "user", base: baseOf(cwd, machine), entries, problems };
}

const variablePrefix = "SPILLWAY_";

function unknownVariable(variable: string, known: readonly string[]): ConfigProblem {
  const candidates = [...known, ...Object.keys(otherVariables)].map((name) => name.slice(variablePrefix.length));
  const meant = nearestName(variable.slice(variablePrefix.length), candidates);
  return {
    at: { variable },
    sentence: `There is no variable ${quoted(variable)}.`,
    hint: suggestion(meant === undefined ? undefined : variablePrefix + meant),
  };
}

function flagSource(cwd: string, machine: Machine, flags: Readonly<Record<string, string>>): Source {
  const entries: Entry[] = [];
  const problems: ConfigProblem[] = [];
  for (const [name, text] of Object.entries(flags)) {
    const at = { flag: `--set ${name}` };
    if (isSettingName(name)) entries.push({ name, written: valueFromText(rowOf(name), text), at });
    else problems.push(unknownSetting(name, at));
  }
  return { origin: "flag", owner: "user", base: baseOf(cwd, machine), entries, problems };
}

function baseOf(folder: string, { homeDir, platform }: Machine): PathBase {
  return { folder, home: homeDir, platform };
}

type Layer = {
  readonly origin: Origin;
  readonly values: ReadonlyMap<SettingName, SettingValue>;
  readonly problems: readonly ConfigProblem[];
};

function judge({ origin, owner, base, entries, problems }: Source): Layer {
  const values = new Map<SettingName, SettingValue>();
  const found = [...problems];
  for (const [name, [entry, again]] of Map.groupBy(entries, (entry) => entry.name)) {
    if (entry === undefined) continue; // A group has at least the entry that opened it.
    const judged = again === undefined ? judgeEntry(entry, owner, base) : writtenTwice(entry, again);
    if ("value" in judged) values.set(name, judged.value);
    else found.push(judged);
  }
  return { origin, values, problems: found };
}

function judgeEntry(entry: Entry, owner: ConfigFile["owner"], base: PathBase): { value: SettingValue } | ConfigProblem {
  const { name, written, at } = entry;
  const row = rowOf(name);
  if (owner === "project" && row.userOnly) return notForProjects(name, at);
  const parsed = parseValue(row, written, base);
  return parsed.ok ? parsed : { at, key: name, sentence: `${name} ${parsed.fault}`, hint: parsed.hint };
}

function notForProjects(key: SettingName, at: ProblemPlace): ConfigProblem {
  return {
    at,
    key,
    sentence: `${key} may not be set by a project's file, because a project could be a stranger's.`,
    hint: `Set it in your own config file, with ${environmentName(key)}, or with --set ${key}=...`,
  };
}

function writtenTwice({ name, at: first }: Entry, { at }: Entry): ConfigProblem {
  const line = "line" in first ? ` (first on line ${first.line})` : "";
  return { at, key: name, sentence: `${name} is set twice${line}, so neither counts.`, hint: "Remove one of the two." };
}

function merge(layers: readonly Layer[]): Omit<LoadedConfig, "files"> {
  const settings: Record<string, SettingValue> = { ...defaultSettings };
  const origins = Object.fromEntries(settingNames.map((name) => [name, "default"])) as Record<SettingName, Origin>;
  for (const { origin, values } of layers) {
    for (const [name, value] of values) {
      settings[name] = value;
      origins[name] = origin;
    }
  }
  // Every value was read by its own row's type, which is what Settings says of it.
  return { settings: settings as Settings, origins, problems: layers.flatMap((layer) => layer.problems) };
}
