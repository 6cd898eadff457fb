/** Entries of servers that are reached by a URL: how clients write them, and how the gateway is started for one. */
import { isRecord } from "../../system/json-values.ts";
import type { EntryFields, ServerCommand } from "./client.ts";
import type { ConfigValue } from "./formats/config-format.ts";

/** A server that is reached by a URL. */
export type UrlServer = {
  readonly url: string;
  readonly transport: "http" | "sse";
  /** Headers with their values. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values name variables of the client's environment: `Bearer $TOKEN`. */
  readonly variableHeaders: Readonly<Record<string, string>>;
};

/** How a client writes such an entry. */
export type UrlShape = {
  /** The fields that may hold the address, with the transport that each means where the entry does not name one. */
  readonly addresses: Readonly<Record<string, UrlServer["transport"]>>;
  /** The values of `type`, by what they mean; the first of a list is the one that is written. Without it there is no such field. */
  readonly types?: {
    readonly http: readonly string[];
    readonly sse: readonly string[];
    readonly stdio: string;
    /** Whether entries do without it. */
    readonly isOptional?: true;
  };
  /** Where the headers are; by default in `headers`. */
  readonly headers?: readonly [string, ...string[]];
  /** The field with the environment of a server that is started. */
  readonly env: string;
  /** Codex: fields that name variables. */
  readonly hasVariables?: true;
};

/** Fields with which a client logs in to a server by itself, or makes its headers. */
const loginFields = ["oauth", "auth", "authProviderType", "headersHelper", "auth_provider", "oauth_resource"];

/** The server of an entry; `login` if its client logs in to it, undefined if it has no address or another form. */
export function readUrlServer(shape: UrlShape, fields: unknown): UrlServer | "login" | undefined {
  if (!isRecord(fields)) return undefined;
  const [field = ""] = Object.keys(shape.addresses).filter((name) => typeof fields[name] === "string");
  const url = fields[field];
  const transport = readTransport(shape, fields, field);
  const headers = readHeaders(shape, fields);
  if (typeof url !== "string" || transport === undefined || headers === undefined) return undefined;
  if (loginFields.some((name) => fields[name] !== undefined && fields[name] !== false)) return "login";
  return { url, transport, headers, variableHeaders: readVariableHeaders(shape, fields) };
}

type Fields = Readonly<Record<string, unknown>>;

function readTransport({ addresses, types }: UrlShape, { type }: Fields, field: string) {
  if (type === undefined) return addresses[field];
  if (types?.http.some((name) => name === type)) return "http";
  return types?.sse.some((name) => name === type) ? "sse" : undefined;
}

const headersPath = ({ headers = ["headers"] }: UrlShape): readonly [string, ...string[]] => headers;

function readHeaders(shape: UrlShape, fields: Fields): UrlServer["headers"] | undefined {
  const found = headersPath(shape).reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), fields);
  if (found === undefined) return {};
  const pairs = Object.entries(isRecord(found) ? found : { "": found });
  const isUnderstood = pairs.every(([name, value]) => /^[\w-]+$/.test(name) && typeof value === "string");
  return isUnderstood ? Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])) : undefined;
}

function readVariableHeaders({ hasVariables }: UrlShape, fields: Fields): UrlServer["variableHeaders"] {
  if (!hasVariables) return {};
  const { bearer_token_env_var: bearer, env_http_headers: named } = fields;
  const pairs = Object.entries(isRecord(named) ? named : {}).map(([header, name]) => [header, `$${String(name)}`]);
  return { ...Object.fromEntries(pairs), ...(typeof bearer === "string" && { Authorization: `Bearer $${bearer}` }) };
}

/** Whether a server has a key of its own, or is on this machine. Any other may ask the client to log in. */
export function needsNoLogin({ url, headers, variableHeaders }: UrlServer): boolean {
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(URL.parse(url)?.hostname ?? "");
  return isLocal || Object.keys({ ...headers, ...variableHeaders }).length > 0;
}

/** Variables that hold what would else be on a command line, where every program of the machine can read it. */
const HEADER_VARIABLE = "MCP_HEADER_";
const URL_VARIABLE = "MCP_URL";

/** How the gateway is started for a server. */
export function makeUrlCommand(name: string, server: UrlServer, gateway: ServerCommand): ServerCommand {
  const { url, transport, headers, variableHeaders } = server;
  const values = Object.entries(headers).map(([header, value], index) => ({
    option: `--header=${header}=$${HEADER_VARIABLE}${index + 1}`,
    variable: [`${HEADER_VARIABLE}${index + 1}`, value] as const,
  }));
  // A key may be in the query; a dollar sign would be taken for a variable.
  const isPlain = /^[^?@#$]*$/.test(url);
  const env = Object.fromEntries([
    ...(isPlain ? [] : [[URL_VARIABLE, url] as const]),
    ...values.map(({ variable }) => variable),
  ]);
  const args = [
    ...gateway.args,
    `--name=${name}`,
    `--url=${isPlain ? url : `$${URL_VARIABLE}`}`,
    ...(transport === "sse" ? ["--transport=sse"] : []),
    ...values.map(({ option }) => option),
    ...Object.entries(variableHeaders).map(([header, value]) => `--header=${header}=${value}`),
  ];
  const envNames = Object.values(variableHeaders).flatMap((value) => /\$(\w+)$/.exec(value)?.[1] ?? []);
  return { command: gateway.command, args, env, ...(envNames.length > 0 && { envNames }) };
}

/** The server that options of our gateway name; undefined for options that `makeUrlCommand` does not write. */
export function readUrlCommand(options: readonly string[], env: ServerCommand["env"] = {}): UrlServer | undefined {
  const [name = "", address = "", ...others] = options;
  if (!name.startsWith("--name=") || !address.startsWith("--url=")) return undefined;
  const isSse = others.includes("--transport=sse");
  const pairs = others
    .filter((option) => option !== "--transport=sse")
    .map((option) => /^--header=([\w-]+)=(.*)$/s.exec(option));
  if (pairs.includes(null)) return undefined;
  const all = pairs.map((match) => [match?.[1] ?? "", match?.[2] ?? ""] as const);
  const isOurs = ([, value]: readonly [string, string]) => value.startsWith(`$${HEADER_VARIABLE}`);
  const written = address.slice("--url=".length);
  return {
    url: written === `$${URL_VARIABLE}` ? (env[URL_VARIABLE] ?? "") : written,
    transport: isSse ? "sse" : "http",
    headers: Object.fromEntries(all.filter(isOurs).map(([header, value]) => [header, env[value.slice(1)] ?? ""])),
    variableHeaders: Object.fromEntries(all.filter((pair) => !isOurs(pair))),
  };
}

/** Whether a variable of an entry was added by us. */
export const isOwnVariable = (name: string): boolean => name === URL_VARIABLE || name.startsWith(HEADER_VARIABLE);

/** The fields of an entry that belong to a URL, or to a program that is started, at the top of the entry. */
export function listUrlFields(shape: UrlShape): readonly string[] {
  const variables = shape.hasVariables ? ["bearer_token_env_var", "env_http_headers"] : [];
  return [...Object.keys(shape.addresses), headersPath(shape)[0], ...variables];
}

/** The fields of an entry for a server, as its client writes them. */
export function writeUrlFields(shape: UrlShape, { url, transport, headers, variableHeaders }: UrlServer): EntryFields {
  const { addresses, types } = shape;
  const named =
    Object.keys(addresses).find((name) => addresses[name] === transport) ?? Object.keys(addresses)[0] ?? "url";
  const [first, ...rest] = headersPath(shape);
  const nested = rest.reduceRight<ConfigValue>((value, key) => ({ [key]: value }), headers);
  const bearer = /^Bearer \$(\w+)$/.exec(variableHeaders.Authorization ?? "")?.[1];
  const others = Object.entries(variableHeaders).filter(([name]) => bearer === undefined || name !== "Authorization");
  return {
    ...(types && !types.isOptional && { type: types[transport][0] ?? transport }),
    [named]: url,
    ...(Object.keys(headers).length > 0 && { [first]: nested }),
    ...(bearer !== undefined && { bearer_token_env_var: bearer }),
    ...(others.length > 0 && {
      env_http_headers: Object.fromEntries(others.map(([name, value]) => [name, value.slice(1)])),
    }),
  };
}
