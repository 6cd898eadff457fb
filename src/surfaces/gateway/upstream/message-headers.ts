/** The HTTP headers that repeat parts of a message, from revision 2026-07-28 on. */
import { isObject, type JsonObject, toList, toObject, toText } from "../json-rpc.ts";

/** Which parameter is repeated as `Mcp-Name`. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** The arguments of a tool that its schema wants as headers, by the name of the header. */
export type ParameterHeaders = ReadonlyMap<string, readonly string[]>;

/** The headers for a request that names its revision. */
export function makeMessageHeaders(
  json: JsonObject,
  revision: string,
  declared: ParameterHeaders | undefined,
): Record<string, string> {
  const [method, params] = [toText(json.method) ?? "", toObject(json.params)];
  const name = Object.hasOwn(NAMED, method) ? toText(params[NAMED[method] ?? ""]) : undefined;
  const headers: Record<string, string> = { "mcp-protocol-version": revision, "mcp-method": method };
  if (name !== undefined) headers["mcp-name"] = encodeValue(name);
  if (method !== "tools/call") return headers;
  for (const [header, path] of declared ?? []) {
    const value = path.reduce<unknown>((place, step) => toObject(place)[step], params.arguments);
    if (["string", "number", "boolean"].includes(typeof value))
      headers[`mcp-param-${header}`] = encodeValue(`${value}`);
  }
  return headers;
}

/** Text that cannot be a header as it is, is sent as base64. */
function encodeValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/s.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

const MAX_DEPTH = 8;

/** The arguments that the tools of a listing want as headers. */
export function readParameterHeaders(listing: JsonObject): ReadonlyMap<string, ParameterHeaders> {
  const tools = toList(listing.tools).filter(isObject);
  return new Map(tools.map(({ name, inputSchema }) => [toText(name) ?? "", new Map(findDeclared(inputSchema, []))]));
}

function* findDeclared(schema: unknown, path: readonly string[]): Generator<[string, readonly string[]]> {
  if (!isObject(schema) || path.length > MAX_DEPTH) return;
  const header = schema["x-mcp-header"];
  if (typeof header === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(header)) yield [header.toLowerCase(), path];
  for (const [key, inner] of Object.entries(toObject(schema.properties))) yield* findDeclared(inner, [...path, key]);
}
