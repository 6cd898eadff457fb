/** The forms that entries have: most clients share one, with small differences. */
import { isRecord } from "../../system/json-values.ts";
import type { EntryFields, EntryShape, ServerCommand } from "./client.ts";
import type { UrlShape } from "./url-entries.ts";

/** `{"command": "spillway", "args": ["mcp"]}` below one key, with some fields more. */
export function mapShape(key: string, newFields: EntryFields = {}): EntryShape {
  return {
    container: () => [key],
    startFields: ({ command, args }) => ({ command, args }),
    newFields: () => newFields,
    readServer: (entry) => readCommand(entry, { command: "command", env: "env" }),
  };
}

/** `{"url": "https://...", "headers": {}}`, with some fields more. */
export const withUrls = (shape: EntryShape, url: Partial<UrlShape> = {}): EntryShape => ({
  ...shape,
  url: { addresses: { url: "http" }, env: "env", ...url },
});

/** The names that most clients with a field `type` use. */
const commonTypes = { http: ["http", "streamable-http"], sse: ["sse"], stdio: "stdio" } as const;

/** VS Code and Copilot: every entry says its type. */
export const typedShape = (key: string, newFields: EntryFields, stdio: string): EntryShape =>
  withUrls(mapShape(key, newFields), { types: { ...commonTypes, stdio } });

/** Codex: names of variables beside headers. */
export const codexShape: EntryShape = withUrls(mapShape("mcp_servers"), {
  headers: ["http_headers"],
  hasVariables: true,
});

/** Gemini CLI and Qwen Code: the name of the field says the transport, unless the type does. */
export const geminiShape: EntryShape = withUrls(mapShape("mcpServers"), {
  addresses: { httpUrl: "http", url: "sse" },
  types: { ...commonTypes, isOptional: true },
});

/** Windsurf: an address of its own name. */
export const windsurfShape: EntryShape = withUrls(mapShape("mcpServers"), {
  addresses: { serverUrl: "http", url: "http" },
});

/** Claude Code: `claude mcp add` without a scope adds a server for the current folder, in the config of the user. */
export const claudeShape: EntryShape = {
  ...withUrls(mapShape("mcpServers"), { types: commonTypes }),
  folderContainers(config) {
    const projects = isRecord(config) && isRecord(config.projects) ? config.projects : {};
    return Object.entries(projects)
      .filter(([, project]) => isRecord(project) && isRecord(project.mcpServers))
      .map(([folder]) => ({ folder, path: ["projects", folder, "mcpServers"] }));
  },
};

/** Cline: `cline mcp add` writes how a server is started into a map of its own; it reads both forms. */
export const clineShape: EntryShape = {
  // An address without a type is one of the older transport.
  ...withUrls(mapShape("mcpServers"), {
    addresses: { url: "sse" },
    types: { http: ["streamableHttp"], sse: ["sse"], stdio: "stdio" },
  }),
  // Without it, Cline drops a server that takes more than a few seconds to start, as on a busy machine.
  newFields: () => ({ timeout: 60 }),
  startPath: (entry) => (isRecord(entry) && isRecord(entry.transport) ? ["transport"] : []),
  readServer(entry) {
    const inner = isRecord(entry) && isRecord(entry.transport) ? entry.transport : entry;
    return readCommand(inner, { command: "command", env: "env" });
  },
};

/** Continue: a list, whose items have a name. */
export const listShape: EntryShape = {
  ...withUrls(mapShape("mcpServers"), {
    types: { http: ["streamable-http"], sse: ["sse"], stdio: "stdio" },
    headers: ["requestOptions", "headers"],
  }),
  isList: true,
  newFields: (name) => ({ name }),
};

/** opencode: one list for command and arguments. Since version 2 the servers are below `mcp.servers`. */
export const opencodeShape: EntryShape = {
  container(config) {
    const servers = isRecord(config) && isRecord(config.mcp) ? config.mcp.servers : undefined;
    return isRecord(servers) && servers.type === undefined ? ["mcp", "servers"] : ["mcp"];
  },
  startFields: ({ command, args }) => ({ command: [command, ...args] }),
  url: {
    addresses: { url: "http" },
    types: { http: ["remote"], sse: [], stdio: "local" },
    env: "environment",
  },
  newFields: () => ({ type: "local", enabled: true }),
  readServer(entry) {
    const [command, ...args] = (isRecord(entry) && readTexts(entry.command)) || [];
    return command === undefined ? undefined : { command, args, ...readEnv(entry, "environment") };
  },
};

/** Goose: extensions, whose program is `cmd`. */
export const gooseShape: EntryShape = {
  container: () => ["extensions"],
  startFields: ({ command, args }) => ({ cmd: command, args }),
  url: {
    addresses: { uri: "http" },
    types: { http: ["streamable_http"], sse: ["sse"], stdio: "stdio" },
    env: "envs",
  },
  newFields: (name) => ({ name, type: "stdio", enabled: true, timeout: 300 }),
  readServer: (entry) => readCommand(entry, { command: "cmd", env: "envs" }),
};

function readCommand(entry: unknown, names: { command: string; env: string }): ServerCommand | undefined {
  if (!isRecord(entry)) return undefined;
  const command = entry[names.command];
  const args = readTexts(entry.args ?? []);
  if (typeof command !== "string" || args === undefined) return undefined;
  return { command, args, ...readEnv(entry, names.env), ...readEnvNames(entry) };
}

/** Codex names variables in `env_vars`, as texts or maps with a name; Goose in `env_keys`. */
function readEnvNames({ env_vars, env_keys }: Readonly<Record<string, unknown>>): Pick<ServerCommand, "envNames"> {
  const names = [env_vars, env_keys]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((item) => (isRecord(item) ? item.name : item))
    .filter((name) => typeof name === "string");
  return names.length === 0 ? {} : { envNames: names };
}

function readEnv(entry: unknown, name: string): Pick<ServerCommand, "env"> {
  const env = isRecord(entry) && isRecord(entry[name]) ? entry[name] : {};
  const pairs = Object.entries(env).map(([key, value]) => [key, String(value)]);
  return pairs.length === 0 ? {} : { env: Object.fromEntries(pairs) };
}

/** Undefined for anything but a list of texts: what is not understood is not rewritten. */
function readTexts(value: unknown): string[] | undefined {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isTexts ? value : undefined;
}
