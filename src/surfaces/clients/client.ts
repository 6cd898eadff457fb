/** The contract of a client: where its config lies on each platform, and how an entry of a server looks in it. */
import type { Environment } from "../../config/paths.ts";
import type { ConfigPath, ConfigValue } from "./formats/config-format.ts";
import type { FormatName } from "./formats/formats.ts";
import type { UrlShape } from "./url-entries.ts";

/** How a server is started. */
export type ServerCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that the client passes on from its own environment, or from its store of keys. */
  readonly envNames?: readonly string[];
};

/** For every project of the user, or for one project and everyone who works on it. */
export const scopes = ["user", "project"] as const;
export type Scope = (typeof scopes)[number];

/** The machine that configs are looked for on. */
export type ClientMachine = {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The home folder of the user. */
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
};

/** The fields of an entry by their names. */
export type EntryFields = Readonly<Record<string, ConfigValue>>;

/** Where the servers for one folder are. */
export type FolderContainer = { readonly folder: string; readonly path: readonly string[] };

/** How a client writes the servers into its config. */
export type EntryShape = {
  /** Where the servers are, in a config with this value. */
  container(config: unknown): readonly string[];
  /** Places of servers that count in one folder only, for a config that has such. */
  folderContainers?(config: unknown): readonly FolderContainer[];
  /** Whether the servers are a list of maps with names, not a map by name. */
  readonly isList?: true;
  /** Where an entry has the fields that say how the server is started, if not in itself. */
  startPath?(entry: unknown): readonly string[];
  /** The fields that say how the server is started. They replace those of an entry. */
  startFields(server: ServerCommand): EntryFields;
  /** Fields that a new entry has besides. */
  newFields?(name: string): EntryFields;
  /** How the server of an entry is started; undefined for a server that is reached by a URL. */
  readServer(entry: unknown): ServerCommand | undefined;
  /** How entries with a URL are written, for a client that has such. */
  readonly url?: UrlShape;
};

/** A command of the client that changes its own config, for files that it rewrites while it runs. */
export type OwnCommand = {
  add(name: string, server: ServerCommand): readonly string[];
  remove(name: string): readonly string[];
};

/** One client. */
export type Client = {
  /** Its name on our command line. */
  readonly id: string;
  readonly title: string;
  readonly format: FormatName;
  readonly shape: EntryShape;
  /** Where the config of a user may lie. The first file that exists is used, else the first is made. */
  userFiles(machine: ClientMachine): readonly string[];
  /** The same for a project, below its folder; none for a client without configs of projects. */
  readonly projectFiles: readonly string[];
  /** Folders that exist where the client was used. */
  signs(machine: ClientMachine): readonly string[];
  /** The programs by which it is started. */
  readonly programs: readonly string[];
  /** It is started from a desktop, so the PATH of a shell does not reach the servers that it starts. */
  readonly isDesktop?: true;
  /** It writes its config while it runs, and then takes a change of others back. */
  readonly rewritesConfig?: true;
  /** What a new config has besides the entry. */
  readonly newFile?: EntryFields;
  readonly ownCommand?: OwnCommand;
  /** The name by which it introduces itself to a server, and the newest revision that it speaks. */
  readonly introducesAs: string;
  readonly revision: string;
  /** Where this is documented. */
  readonly source: string;
};

/** The path of an entry. */
export function entryPath({ shape }: Client, config: unknown, name: string): ConfigPath {
  return [...shape.container(config), shape.isList ? { named: name } : name];
}
