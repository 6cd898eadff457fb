/** Loads the settings: defaults, the user's file, the project's file, the environment, flags. The last one wins. */
import { SpillwayError } from "../errors.ts";
import { formatCount } from "../system/quantities.ts";
import type { Entry } from "./config-file.ts";
import { type ConfigProblem, describeProblem, type ProblemPlace } from "./config-problem.ts";
import {
  type ConfigFile,
  environmentSource,
  flagSource,
  readProjectFiles,
  readUserFile,
  type SettingOrigin,
  type Source,
  type SourceOwner,
} from "./config-sources.ts";
import { type Environment, homeFolder, type Machine } from "./paths.ts";
import type { SettingRow } from "./rows/setting-row.ts";
import { formatValue, type PathBase, parseValue, type SettingValue } from "./setting-values.ts";
import { defaultSettings, environmentName, rowOf, type SettingName, type Settings, settingNames } from "./settings.ts";

export type { ConfigFile, SettingOrigin } from "./config-sources.ts";

export type LoadOptions = {
  readonly cwd: string;
  readonly env: Environment;
  /** Values of `--set name=value`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly homeDir?: string;
  readonly platform?: NodeJS.Platform;
};

/** A problem and whose source it is in: a problem of a project never stops the user's command. */
export type OwnedProblem = ConfigProblem & { readonly owner: SourceOwner };

export type LoadedConfig = {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, SettingOrigin>>;
  readonly files: readonly ConfigFile[];
  readonly problems: readonly OwnedProblem[];
};

/** Never throws for invalid settings: the setting keeps the value of the next lower source, and a problem is reported. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { cwd, env, flags = {}, platform = process.platform } = options;
  const machine: Machine = { env, platform, homeDir: options.homeDir ?? homeFolder(env, platform) };
  const user = await readUserFile(cwd, machine);
  const project = await readProjectFiles(cwd, machine, user?.path);
  const files = user === undefined ? project : [user, ...project];
  const sources = [...files, environmentSource(cwd, machine), flagSource(cwd, machine, flags)];
  const layers = keepToScope(sources.map(judge));
  return {
    ...merge(layers),
    files: files.map(({ path, owner, exists }) => ({ path, owner, exists })),
    problems: layers.flatMap(({ owner, problems }) => problems.map((problem) => ({ ...problem, owner }))),
  };
}

/**
 * The settings, if the user's own sources have no problems; otherwise throws with the first problem and the number of
 * others. What a project's file does wrong is ignored; the caller reports it.
 */
export function requireValid({ settings, problems }: LoadedConfig): Settings {
  const [first, ...others] = problems.filter(({ owner }) => owner === "user");
  if (first === undefined) return settings;
  const moreProblems = others.length === 0 ? "" : ` (${formatCount(others.length, "more problem")}.)`;
  throw new SpillwayError(
    "flag" in first.place ? "usage" : "config_invalid",
    `${describeProblem(first)}${moreProblems}`,
    { hint: first.hint },
  );
}

/**
 * The settings for work that continues despite problems. If they are in the user's own sources, nothing is deleted: what
 * could not be read may have asked to keep more.
 */
export function settingsDespiteProblems({ settings, problems }: LoadedConfig): Settings {
  if (problems.every(({ owner }) => owner === "project")) return settings;
  const retention = settingNames.filter((name) => rowOf(name).isRetention);
  return { ...settings, ...Object.fromEntries(retention.map((name) => [name, Number.MAX_SAFE_INTEGER])) };
}

/** The valid values of one source. */
type Layer = {
  readonly origin: SettingOrigin;
  readonly owner: SourceOwner;
  readonly values: ReadonlyMap<SettingName, JudgedValue>;
  readonly problems: readonly ConfigProblem[];
};

type JudgedValue = { readonly value: SettingValue; readonly place: ProblemPlace };

function judge({ origin, owner, base, entries, problems }: Source): Layer {
  const values = new Map<SettingName, JudgedValue>();
  const allProblems = [...problems];
  for (const [name, [entry, again]] of Map.groupBy(entries, (entry) => entry.name)) {
    if (entry === undefined) continue; // A group has at least the entry that opened it.
    const judged = again === undefined ? judgeEntry(entry, owner, base) : writtenTwice(entry, again);
    if ("value" in judged) values.set(name, judged);
    else allProblems.push(judged);
  }
  return { origin, owner, values, problems: allProblems };
}

function judgeEntry({ name, value, place }: Entry, owner: SourceOwner, base: PathBase): JudgedValue | ConfigProblem {
  const row = rowOf(name);
  if (owner === "project" && row.scope === "user") return notForProjects(name, place);
  const parsed = parseValue(row, value, base);
  if (parsed.ok) return { value: parsed.value, place };
  return { place, key: name, sentence: `${name} ${parsed.fault}`, hint: parsed.hint };
}

function notForProjects(key: SettingName, place: ProblemPlace): ConfigProblem {
  return {
    place,
    key,
    sentence: `${key} may not be set by a project's file, because a project may come from someone else.`,
    hint: yourOwnValue(key),
  };
}

/** Not "set it yourself": a model does what a hint says, and the value may be an attacker's. */
function yourOwnValue(name: SettingName): string {
  return `Your own value is used. Only you can change it: in your own config file, with ${environmentName(name)} or --set.`;
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

/** Drops what a project's file raises but may only lower, and reports it. */
function keepToScope(layers: readonly Layer[]): Layer[] {
  const { settings, origins } = merge(layers.filter(({ owner }) => owner === "user"));
  return layers.map((layer) => {
    if (layer.owner === "user") return layer;
    const values = new Map(layer.values);
    const problems = [...layer.problems];
    for (const [name, { value, place }] of layer.values) {
      const userValue = settings[name];
      if (!isRaised(rowOf(name), value, userValue)) continue;
      values.delete(name);
      // A variable or a flag wins over the project's file anyway.
      if (origins[name] !== "environment" && origins[name] !== "flag")
        problems.push(makeRaisedProblem(name, place, value, userValue));
    }
    return { ...layer, values, problems };
  });
}

function isRaised({ scope }: SettingRow, value: SettingValue, userValue: SettingValue): boolean {
  return scope === "project may lower" && Number(value) > Number(userValue);
}

function makeRaisedProblem(
  key: SettingName,
  place: ProblemPlace,
  value: SettingValue,
  userValue: SettingValue,
): ConfigProblem {
  const [projectText, userText] = [value, userValue].map((each) =>
    each === null ? "none" : formatValue(rowOf(key).type, each),
  );
  return {
    place,
    key,
    sentence: `A project's file may only lower ${key}: ${projectText} is more than your ${userText}.`,
    hint: yourOwnValue(key),
  };
}

function merge(layers: readonly Layer[]): Pick<LoadedConfig, "settings" | "origins"> {
  const settings: Record<string, SettingValue> = { ...defaultSettings };
  const origins = Object.fromEntries(settingNames.map((name) => [name, "default"])) as Record<
    SettingName,
    SettingOrigin
  >;
  for (const { origin, values } of layers) {
    for (const [name, { value }] of values) {
      settings[name] = value;
      origins[name] = origin;
    }
  }
  // Every value was parsed by its row's type, so this matches Settings.
  return { settings: settings as Settings, origins };
}
