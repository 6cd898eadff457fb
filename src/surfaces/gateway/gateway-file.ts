/**
 * The servers of a gateway, from the user's `gateway.jsonc`. It names commands that are run, so a project's folder is never
 * looked into, and a file that others can write is refused.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { ParseError } from "jsonc-parser";
import { expandVariables } from "../../acquire/http/credentials.ts";
import { readConfigText, syntaxFault } from "../../config/config-file.ts";
import { describeProblem } from "../../config/config-problem.ts";
import { type Machine, userConfigFile } from "../../config/paths.ts";
import { parseValue } from "../../config/setting-values.ts";
import { rowOf } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { isObject, type JsonObject, toObject } from "./json-rpc.ts";
import { type RelayMode, type RulesOptions, relayModes } from "./tools/tool-rules.ts";

/** How a server is reached: as a child process, or over HTTP. */
export type ServerSource =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Variables with their values, and names of variables that are passed on. */
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      readonly cwd?: string | undefined;
    }
  | {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly transport: HttpTransport;
    };

/** Streamable HTTP, or the transport of revision 2024-11-05. */
export const httpTransports = ["http", "sse"] as const;
export type HttpTransport = (typeof httpTransports)[number];

/** One server, with the user's rules for it. */
export type ServerEntry = {
  readonly name: string;
  readonly source: ServerSource;
  readonly rules: RulesOptions;
  /** How long a call may take; by default the setting says. */
  readonly timeoutMs?: number | undefined;
};

/** Where the file is: beside the user's config file. */
export function findGatewayFile(machine: Machine): string | undefined {
  const configFile = userConfigFile(machine);
  return configFile === undefined ? undefined : join(dirname(configFile), "gateway.jsonc");
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The servers of a file, in its order. Throws if it cannot be trusted or understood. */
export async function readGatewayFile(
  file: string,
  isNamed: boolean,
  env: Environment,
): Promise<readonly ServerEntry[]> {
  return (await openGatewayFile(file, isNamed))(env);
}

/** Reads a file once, for the servers that it names in different environments. */
export async function openGatewayFile(
  file: string,
  isNamed: boolean,
): Promise<(env: Environment) => readonly ServerEntry[]> {
  const text = readConfigText(file, isNamed ? "named" : "user");
  if (text === undefined)
    throw refuse(file, "does not exist", "Create it as docs/gateway.md shows, or name a command after --.");
  if (typeof text !== "string")
    throw new SpillwayError("config_invalid", describeProblem(text), { hint: text.hint ?? "Change it." });
  const servers = toObject(await parse(file, text)).servers;
  if (!isObject(servers) || Object.keys(servers).length === 0)
    throw refuse(file, "names no servers", 'Add "servers": {"name": {"command": "...", "args": []}}.');
  return (env) => Object.entries(servers).map(([name, entry]) => readEntry(name, entry, { file, env }));
}

async function parse(file: string, text: string): Promise<unknown> {
  const { parse: parseJsonc, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw refuse(
    file,
    `is not valid JSON with comments (line ${line}: ${syntaxFault(printParseErrorCode(first.error))})`,
    "Fix it there.",
  );
}

type Place = { readonly file: string; readonly env: Environment };

const SOURCE_KEYS = ["command", "args", "env", "pass_env", "cwd", "url", "headers", "transport"];
const KEYS = [...SOURCE_KEYS, "mode", "modes", "allow", "deny", "timeout"];

/** A name becomes part of tool names. */
const NAME = /^[A-Za-z0-9_-]{1,32}$/;

function readEntry(name: string, value: unknown, place: Place): ServerEntry {
  const at = `${place.file}: servers.${clip(name)}`;
  if (!NAME.test(name)) throw refuse(at, "is not a name", "Use up to 32 letters, digits, _ and -.");
  if (!isObject(value)) throw refuse(at, "must be an object", 'Write {"command": "..."} or {"url": "..."}.');
  const unknownKey = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined)
    throw refuse(at, `has the unknown key ${clip(unknownKey)}`, `Known: ${KEYS.join(", ")}.`);
  const timeoutMs = readTimeout(value.timeout, `${at}.timeout`);
  return { name, source: readSource(value, at, place), rules: readRules(value, at), timeoutMs };
}

/** The time of one call, written and limited as in the settings. */
function readTimeout(value: unknown, at: string): number | undefined {
  if (value === undefined) return undefined;
  const base = { folder: "", home: undefined, platform: process.platform };
  const parsed = parseValue(rowOf("gateway.call_timeout"), value, base);
  if (parsed.ok) return Number(parsed.value);
  throw refuse(at, parsed.fault, parsed.hint);
}

function readSource(value: JsonObject, at: string, { file, env }: Place): ServerSource {
  const { command, url } = value;
  if ((command === undefined) === (url === undefined))
    throw refuse(
      at,
      "needs either a command or a url",
      'Write {"command": "npx", "args": ["-y", "server"]} or {"url": "https://..."}.',
    );
  if (url !== undefined)
    return {
      url: readUrl(url, `${at}.url`),
      headers: readTexts(value.headers, `${at}.headers`, env),
      transport: readTransport(value.transport, `${at}.transport`),
    };
  if (typeof command !== "string" || command === "")
    throw refuse(`${at}.command`, "must be a text", "Name a program; arguments go into args.");
  const cwd = value.cwd;
  if (cwd !== undefined && typeof cwd !== "string") throw refuse(`${at}.cwd`, "must be a path", "Name a folder.");
  return {
    command,
    args: readList(value.args, `${at}.args`) ?? [],
    env: readTexts(value.env, `${at}.env`, env),
    passEnv: readList(value.pass_env, `${at}.pass_env`) ?? [],
    cwd: cwd === undefined || isAbsolute(cwd) ? cwd : resolve(dirname(file), cwd),
  };
}

/** One of the transports, or an error that lists them. */
export function readTransport(value: unknown, at: string): HttpTransport {
  const transport = httpTransports.find((each) => each === (value ?? "http"));
  if (transport !== undefined) return transport;
  throw refuse(at, "is not a transport", `Use ${httpTransports.join(" or ")}.`);
}

/** An HTTP address; plain HTTP only on this machine, because headers may hold keys. */
export function readUrl(value: unknown, at: string): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url.href;
  throw refuse(at, "must be an https address, or http on this machine", "For example https://example.com/mcp.");
}

function readRules(value: JsonObject, at: string): RulesOptions {
  const modes = value.modes === undefined ? {} : toObject(value.modes);
  return {
    mode: value.mode === undefined ? undefined : readMode(value.mode, `${at}.mode`),
    modes: Object.fromEntries(
      Object.entries(modes).map(([tool, mode]) => [tool, readMode(mode, `${at}.modes.${clip(tool)}`)]),
    ),
    allow: readList(value.allow, `${at}.allow`),
    deny: readList(value.deny, `${at}.deny`),
  };
}

/** One of the modes, or an error that lists them. */
export function readMode(value: unknown, at: string): RelayMode {
  const mode = relayModes.find((each) => each === value);
  if (mode !== undefined) return mode;
  throw refuse(at, "is not a mode", `Use ${relayModes.join(", ")}.`);
}

function readList(value: unknown, at: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw refuse(at, "must be a list of texts", 'For example ["one", "two"].');
}

/** Texts by name, with the variables of the environment in them replaced. */
export function readTexts(value: unknown, at: string, env: Place["env"]): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isObject(value)) throw refuse(at, "must be an object of texts", 'For example {"NAME": "$NAME"}.');
  const entries = Object.entries(value).map(([name, text]) => {
    if (typeof text !== "string") throw refuse(`${at}.${clip(name)}`, "must be a text", "Put it in quotes.");
    const expanded = expandVariables(text, env);
    if (expanded === undefined)
      throw refuse(
        `${at}.${clip(name)}`,
        "names a variable that is not set",
        "Set it in the environment of the gateway, or write $$ for a dollar sign.",
      );
    return [name, expanded];
  });
  return Object.fromEntries(entries);
}

const refuse = (thing: string, fault: string, hint: string): SpillwayError =>
  new SpillwayError("config_invalid", `${thing} ${fault}.`, { hint });
