/** The config of a client as its servers: read them, and write the text with one entry added, changed or removed. */
import { stat } from "node:fs/promises";
import { SpillwayError } from "../../errors.ts";
import { isRecord } from "../../system/json-values.ts";
import {
  type Client,
  type ClientMachine,
  type EntryShape,
  entryPath,
  type Scope,
  type ServerCommand,
} from "./client.ts";
import { type ConfigFile, projectFile, readConfigFile } from "./config-file.ts";
import { editConfig, parseConfig, removeValue, valueAt } from "./edit-config.ts";
import type { ConfigChange, ConfigFormat, ConfigPath, ConfigValue } from "./formats/config-format.ts";
import { loadFormat } from "./formats/formats.ts";
import { isOwnVariable, listUrlFields, readUrlServer, type UrlServer, writeUrlFields } from "./url-entries.ts";

/** A config that was read and can be edited. */
export type ClientConfig = {
  readonly client: Client;
  readonly scope: Scope;
  readonly file: ConfigFile;
  readonly format: ConfigFormat;
  /** The text without its byte order mark. */
  readonly text: string;
  readonly value: unknown;
};

/** A server in the config of a client. */
export type ServerEntry = {
  readonly name: string;
  /** Where it is in the config. */
  readonly path: ConfigPath;
  /** The folder that it is for; undefined if it is for all. */
  readonly folder: string | undefined;
  /** How it is started; undefined if it is not started by a command with a list of arguments. */
  readonly server: ServerCommand | undefined;
  /** Whether it is reached by a URL. */
  readonly isRemote: boolean;
  /** How it is reached; `login` if its client logs in to it, undefined if that is not understood. */
  readonly remote: UrlServer | "login" | undefined;
};

/** Reads the config of a client for a scope. A file that does not exist is an empty config. */
export async function openClientConfig(client: Client, scope: Scope, machine: ClientMachine): Promise<ClientConfig> {
  const path = await findConfigPath(client, scope, machine);
  const file = await readConfigFile(path, scope === "project" ? machine.cwd : undefined);
  const format = await loadFormat(client.format);
  const text = decode(file);
  return { client, scope, file, format, text, value: parseConfig({ text, format, path }) };
}

/** All servers in a config, in its order; those for single folders after the others. */
export function listServers({ client, value }: ClientConfig): ServerEntry[] {
  const { shape } = client;
  const places = [{ folder: undefined, path: shape.container(value) }, ...(shape.folderContainers?.(value) ?? [])];
  return places.flatMap(({ folder, path }) =>
    listEntries(valueAt(value, path)).map(([name, fields]) => ({
      name,
      folder,
      path: [...path, shape.isList ? { named: name } : name],
      server: shape.readServer(fields),
      isRemote: hasUrl(fields) || (isRecord(fields) && hasUrl(fields.transport)),
      remote: shape.url && readUrlServer(shape.url, valueAt(fields, shape.startPath?.(fields) ?? [])),
    })),
  );
}

/** Clients call the field in different ways. */
const hasUrl = (fields: unknown): boolean =>
  isRecord(fields) && ["url", "uri", "httpUrl", "serverUrl"].some((key) => typeof fields[key] === "string");

function listEntries(container: unknown): [name: string, fields: unknown][] {
  const pairs: [string, unknown][] = Array.isArray(container)
    ? container.flatMap((item) => (isRecord(item) && typeof item.name === "string" ? [[item.name, item]] : []))
    : Object.entries(isRecord(container) ? container : {});
  return pairs.filter(([, fields]) => isRecord(fields));
}

/** The server of a name that counts in all folders. */
export function findServer(config: ClientConfig, name: string): ServerEntry | undefined {
  return listServers(config).find((each) => each.name === name && each.folder === undefined);
}

/** The text with a server: a new entry, or the one of this name started in another way. Its other fields stay. */
export function setServer(config: ClientConfig, name: string, server: ServerCommand): string {
  const { client, file } = config;
  const { shape, newFile = {} } = client;
  const entry = findServer(config, name);
  if (entry !== undefined) return editServers(config, [{ entry, server }]);
  const fields = file.bytes === null ? Object.entries(newFile) : [];
  const changes: ConfigChange[] = [
    ...fields.map(([key, value]) => ({ path: [key], value })),
    {
      path: entryPath(client, config.value, name),
      value: { ...shape.newFields?.(name), ...shape.startFields(server) },
    },
  ];
  // One after the other: all of them add to the same map.
  return changes.reduce((text, change) => editConfig({ ...config, text, path: file.path }, [change]), config.text);
}

/** A server that is to be started in another way. */
export type ServerChange = { readonly entry: ServerEntry; readonly server: ServerCommand };

/**
 * The text with servers started in other ways. `before` is the value of the config before an earlier change, if that is
 * known: arguments that an entry did not have then, and does not need now, are removed.
 */
export function editServers(config: ClientConfig, servers: readonly ServerChange[], before?: unknown): string {
  const isNew = (path: ConfigPath, value: ConfigValue) =>
    Array.isArray(value) &&
    value.length === 0 &&
    valueAt(before, path.slice(0, -1)) !== undefined &&
    valueAt(before, path) === undefined;
  const { shape } = config.client;
  const changes = servers.flatMap(({ entry, server }) => {
    const place = [...entry.path, ...(shape.startPath?.(valueAt(config.value, entry.path)) ?? [])];
    return Object.entries(shape.startFields(server)).map(([key, value]) => {
      const path = [...place, key];
      return { path, value: isNew(path, value) ? undefined : value };
    });
  });
  return editConfig({ ...config, path: config.file.path }, changes);
}

/**
 * The text with an entry that had a URL started as a program, or one that we changed so with its URL again. `before` is the
 * value of the config before that change, if it is known.
 */
export function editUrlEntry(
  config: ClientConfig,
  entry: ServerEntry,
  to: ServerCommand | UrlServer,
  before?: unknown,
) {
  const { shape } = config.client;
  const startPath = shape.startPath?.(valueAt(config.value, entry.path)) ?? [];
  const place = [...entry.path, ...startPath];
  const fields = toRecord(valueAt(config.value, place));
  const earlier = toRecord(valueAt(before, place));
  const wanted = "command" in to ? toStarted(shape, fields, to) : toReached(shape, fields, to, earlier);
  const changes = Object.entries(wanted).map(([key, value]) => ({ path: [...place, key], value }));
  const needed = changes.filter(({ path, value }) => value !== undefined || valueAt(config.value, path) !== undefined);
  // One after the other: most of them add to the same map.
  return needed.reduce(
    (text, change) => editConfig({ ...config, text, path: config.file.path }, [change]),
    config.text,
  );
}

type Fields = Readonly<Record<string, ConfigValue | undefined>>;

/** The fields of an entry whose server is started: those of its URL are removed. */
function toStarted({ url, startFields }: EntryShape, fields: Fields, server: ServerCommand): Fields {
  if (url === undefined) return {};
  const removed = Object.fromEntries(listUrlFields(url).map((name) => [name, undefined]));
  const { env = {}, envNames = [] } = server;
  const ownEnv = { ...toRecord(fields[url.env]), ...env };
  return {
    ...(fields.type !== undefined && { type: url.types?.stdio }),
    ...startFields(server),
    ...(Object.keys(env).length > 0 && { [url.env]: ownEnv }),
    ...(envNames.length > 0 && { env_vars: envNames }),
    ...removed,
  };
}

/** The fields of an entry that is reached by its URL: as they were, or as the client writes them. */
function toReached({ url, startFields }: EntryShape, fields: Fields, server: UrlServer, earlier: Fields): Fields {
  if (url === undefined) return {};
  const names = [...listUrlFields(url), "type"];
  const wasReached = typeof readUrlServer(url, earlier) === "object";
  const written = wasReached ? earlier : writeUrlFields(url, server);
  const env = Object.entries(toRecord(fields[url.env])).filter(([name]) => !isOwnVariable(name));
  const started = Object.keys(startFields({ command: "", args: [] })).map((name) => [name, undefined] as const);
  return {
    ...Object.fromEntries(names.flatMap((name) => (name in written ? [[name, written[name]]] : []))),
    ...Object.fromEntries(started),
    [url.env]: env.length === 0 ? undefined : Object.fromEntries(env),
    ...(url.hasVariables && { env_vars: earlier.env_vars }),
  };
}

const isMap = (value: unknown): value is Fields => isRecord(value);
const toRecord = (value: unknown): Fields => (isMap(value) ? value : {});

/** The text without a server. `before` is the value of the config without it: maps that it lacks are removed too. */
export function removeServer(config: ClientConfig, name: string, before: unknown): string {
  const path = entryPath(config.client, config.value, name);
  const container = path.slice(0, -1);
  const others = listServers(config).filter((each) => each.folder === undefined && each.name !== name);
  const isLast = others.length === 0 && valueAt(config.value, path) !== undefined;
  const isOurs = before !== undefined && valueAt(before, container) === undefined;
  const { text, format, file } = config;
  return removeValue({ text, format, path: file.path }, isLast && isOurs ? container : path);
}

/** The bytes of a text, with the byte order mark that the file had. */
export function encode({ file }: ClientConfig, text: string): Buffer {
  const mark = file.bytes?.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0);
  return Buffer.concat([mark, Buffer.from(text)]);
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function decode({ path, bytes }: ConfigFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes ?? Buffer.alloc(0));
  } catch (cause) {
    throw new SpillwayError("client_config", `${path} is not valid UTF-8.`, {
      hint: "Save it as UTF-8 in an editor, then try again.",
      cause,
    });
  }
}

/** The first file that exists, else the first. */
async function findConfigPath(client: Client, scope: Scope, machine: ClientMachine): Promise<string> {
  const paths =
    scope === "user" ? client.userFiles(machine) : client.projectFiles.map((file) => projectFile(machine.cwd, file));
  const [first] = paths;
  if (first === undefined) {
    throw new SpillwayError("usage", `${client.title} has no config for a project.`, { hint: "Use --scope user." });
  }
  for (const path of paths) if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  return first;
}
