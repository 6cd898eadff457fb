/** Paths of configuration and data on each platform. Nothing here touches the disk. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { SpillwayError } from "../errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The machine facts that decide the paths; `homeDir` is undefined for a user without a home folder. */
export type Machine = {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string | undefined;
};

/** The folder of the artifact store and the event logs: the setting `home`, else the platform's data folder. */
export function findDataHome(home: string | null, env: Environment, platform: NodeJS.Platform): string {
  const folder = home ?? platformFolder("data", { env, platform, homeDir: homeFolder(env, platform) });
  if (folder !== undefined) return folder;
  throw new SpillwayError("store_unavailable", "This user has no home folder to keep artifacts in.", {
    hint: "Set SPILLWAY_HOME to a folder that can be written.",
  });
}

/** The user's config file unless SPILLWAY_CONFIG names another; undefined without a home folder. */
export function userConfigFile(machine: Machine): string | undefined {
  const folder = platformFolder("config", machine);
  return folder === undefined ? undefined : pathsOf(machine.platform).join(folder, "config.jsonc");
}

/** From `cwd` upwards to the user's home or the root of the file system, both included. */
export function* foldersUpwards(cwd: string, { homeDir, platform }: Machine): Generator<string> {
  const paths = pathsOf(platform);
  let folder = paths.resolve(cwd);
  yield folder;
  while (folder !== homeDir && folder !== paths.dirname(folder)) {
    folder = paths.dirname(folder);
    yield folder;
  }
}

/** The user's home folder, or undefined for a user without one, as in a container run under a bare number. */
export function homeFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const homeFromEnv = absolute(platform === "win32" ? env.USERPROFILE : env.HOME, platform);
  if (homeFromEnv !== undefined) return homeFromEnv;
  try {
    return absolute(homedir(), platform);
  } catch {
    return undefined; // The system has no entry for this user; every caller says what that means for it.
  }
}

export function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

const places = {
  config: {
    xdg: "XDG_CONFIG_HOME",
    windows: "APPDATA",
    underHome: { darwin: "Library/Application Support", win32: "AppData/Roaming", others: ".config" },
  },
  data: {
    xdg: "XDG_DATA_HOME",
    windows: "LOCALAPPDATA",
    underHome: { darwin: "Library/Application Support", win32: "AppData/Local", others: ".local/share" },
  },
} as const;

/** An XDG variable wins on every platform: on macOS and Windows it is only set on purpose. */
function platformFolder(purpose: keyof typeof places, { env, platform, homeDir }: Machine): string | undefined {
  const { xdg, windows, underHome } = places[purpose];
  const paths = pathsOf(platform);
  const folderFromEnv =
    absolute(env[xdg], platform) ?? (platform === "win32" ? absolute(env[windows], platform) : undefined);
  if (folderFromEnv !== undefined) return paths.join(folderFromEnv, "spillway");
  const own = platform === "darwin" || platform === "win32" ? platform : "others";
  return homeDir === undefined ? undefined : paths.join(homeDir, underHome[own], "spillway");
}

/** A relative folder in such a variable is ignored: https://specifications.freedesktop.org/basedir-spec */
function absolute(folder: string | undefined, platform: NodeJS.Platform): string | undefined {
  const paths = pathsOf(platform);
  return folder !== undefined && paths.isAbsolute(folder) ? paths.resolve(folder) : undefined;
}
