/** TOML 1.0: only the table of a server is written, changed or removed. */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import {
  type ConfigChange,
  type ConfigFormat,
  ConfigFormError,
  type ConfigPath,
  ConfigSyntaxError,
  type ConfigValue,
} from "./config-format.ts";
import { type ListText, spliceHead } from "./list-head.ts";
import { applySplices, endLine, findEol, indentAt, lineEnd, lineStart, nextLine, type Splice } from "./text-splices.ts";

export const tomlFormat: ConfigFormat = {
  parse: (text) => getStaticTOMLValue(parseProgram(text)),

  edit(text, changes) {
    const [program] = parseProgram(text).body;
    const splices = changes.flatMap((change) => planChange(text, program, change));
    return applySplices(text, splices);
  },
};

function planChange(text: string, program: AST.TOMLTopLevelTable, { path, value }: ConfigChange): Splice[] {
  const keys = toKeys(path);
  const existing = findValue(program, keys);
  if (value === undefined)
    return existing === undefined ? removeTables(text, program, keys) : removeKeyValue(text, existing);
  if (existing !== undefined) return replaceValue(text, existing.value, value);
  const line = `${writeKey(keys.at(-1) ?? "")} = ${writeTomlValue(value)}`;
  const parent = findTable(program, keys.slice(0, -1));
  if (parent !== undefined && !isMap(value)) return insertLine(text, parent, line);
  const inline = findValue(program, keys.slice(0, -1))?.value;
  if (inline?.type === "TOMLInlineTable") return insertField(inline, line);
  if (findTable(program, keys) !== undefined) throw new ConfigFormError("a table cannot be replaced as one");
  if (!isMap(value)) throw new ConfigFormError("there is no table for the value");
  return appendTable(text, keys, value);
}

function removeTables(text: string, program: AST.TOMLTopLevelTable, keys: readonly string[]): Splice[] {
  return program.body
    .filter((node) => node.type === "TOMLTable")
    .filter(({ resolvedKey }) => startsWith(resolvedKey, keys))
    .map((table) => rangeOfTable(text, table));
}

function parseProgram(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: "1.0.0" });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ConfigSyntaxError(`${error.message} at line ${error.lineNumber}, column ${error.column + 1}`, {
      cause: error,
    });
  }
}

function toKeys(path: ConfigPath): string[] {
  return path.map((step) => {
    if (typeof step === "string") return step;
    throw new ConfigFormError("a list of servers is not expected in TOML");
  });
}

const isMap = (value: ConfigValue): value is { readonly [key: string]: ConfigValue } =>
  typeof value === "object" && !Array.isArray(value);

const startsWith = (whole: readonly (string | number)[], start: readonly string[]): boolean =>
  start.every((key, index) => whole[index] === key);

const isSame = (one: readonly (string | number)[], other: readonly string[]): boolean =>
  one.length === other.length && startsWith(one, other);

function findTable(program: AST.TOMLTopLevelTable, keys: readonly string[]): AST.TOMLTable | undefined {
  return program.body.find(
    (node): node is AST.TOMLTable => node.type === "TOMLTable" && isSame(node.resolvedKey, keys),
  );
}

/** The key and value at a path: of the file, of a table, or inside an inline table. */
function findValue(program: AST.TOMLTopLevelTable, keys: readonly string[]): AST.TOMLKeyValue | undefined {
  const tables: [readonly (string | number)[], readonly AST.TOMLKeyValue[]][] = [
    [[], program.body.filter((node) => node.type === "TOMLKeyValue")],
    ...program.body
      .filter((node) => node.type === "TOMLTable")
      .map((table) => [table.resolvedKey, table.body] as [(string | number)[], AST.TOMLKeyValue[]]),
  ];
  for (const [prefix, pairs] of tables) {
    const found = findPair(prefix, pairs, keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findPair(
  prefix: readonly (string | number)[],
  pairs: readonly AST.TOMLKeyValue[],
  keys: readonly string[],
): AST.TOMLKeyValue | undefined {
  for (const pair of pairs) {
    const path = [...prefix, ...pair.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))];
    if (isSame(path, keys)) return pair;
    const { value } = pair;
    const found =
      value.type === "TOMLInlineTable" && path.every((key, index) => keys[index] === key)
        ? findPair(path, value.body, keys)
        : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function replaceValue(text: string, node: AST.TOMLContentNode, value: ConfigValue): Splice[] {
  const [start, end] = node.range;
  const style = node.type === "TOMLArray" ? node.elements[0] : node;
  const write = (word: string) => (isLiteral(style) && literal.test(word) ? `'${word}'` : writeString(word));
  const head = node.type === "TOMLArray" ? spliceHead(text, toListText(node), value, write) : undefined;
  return head ?? [{ start, end, text: typeof value === "string" ? write(value) : writeTomlValue(value) }];
}

const isLiteral = (node: AST.TOMLContentNode | undefined): boolean =>
  node?.type === "TOMLValue" && node.kind === "string" && node.style === "literal" && !node.multiline;

/** What can be between single quotes. */
const literal = /^[^'\x00-\x1f\x7f]*$/;

function toListText({ range, elements }: AST.TOMLArray): ListText {
  const items = elements.map((item) => ({
    value: item.type === "TOMLValue" ? item.value : undefined,
    range: item.range,
  }));
  return { range, items };
}

/** A line after the last one of a table. */
function insertLine(text: string, table: AST.TOMLTable, line: string): Splice[] {
  const [anchor] = (table.body.at(-1) ?? table.key).range;
  const place = lineEnd(text, (table.body.at(-1)?.range ?? table.range)[1]);
  const part = `${findEol(text)}${indentAt(text, anchor)}${line}`;
  return [{ start: place, end: place, text: part }];
}

function insertField({ body, range }: AST.TOMLInlineTable, field: string): Splice[] {
  const last = body.at(-1);
  if (last === undefined) return [{ start: range[0], end: range[1], text: `{ ${field} }` }];
  const [, place] = last.range;
  return [{ start: place, end: place, text: `, ${field}` }];
}

function appendTable(text: string, keys: readonly string[], fields: { readonly [key: string]: ConfigValue }): Splice[] {
  const eol = findEol(text);
  const lines = [
    `[${keys.map(writeKey).join(".")}]`,
    ...Object.entries(fields).map(([key, value]) => `${writeKey(key)} = ${writeTomlValue(value)}`),
  ];
  const gap = text.trim() === "" ? "" : eol;
  const ending = endLine(text).slice(text.length);
  return [{ start: text.length, end: text.length, text: `${ending}${gap}${lines.join(eol)}${eol}` }];
}

function removeKeyValue(text: string, pair: AST.TOMLKeyValue): Splice[] {
  const [start, end] = pair.range;
  if (pair.parent.type !== "TOMLInlineTable")
    return [{ start: lineStart(text, start), end: nextLine(text, end), text: "" }];
  const siblings = pair.parent.body;
  const index = siblings.indexOf(pair);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  if (previous) return [{ start: previous.range[1], end, text: "" }];
  return [{ start, end: next ? next.range[0] : end, text: "" }];
}

/** The lines of a table, and the empty line that sets it off from what is before it. */
function rangeOfTable(text: string, table: AST.TOMLTable): Splice {
  const end = nextLine(text, (table.body.at(-1)?.range ?? table.range)[1]);
  const start = lineStart(text, table.range[0]);
  const gap = /(?:^|\n)([ \t]*\r?\n)$/.exec(text.slice(0, start))?.[1]?.length ?? 0;
  const isFollowedByGap = end === text.length || /^[ \t]*\r?\n/.test(text.slice(end, end + 1_000));
  return { start: isFollowedByGap ? start - gap : start, end, text: "" };
}

const writeKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : writeString(key));

/** JSON's escapes are TOML's too. Only DEL is allowed in JSON and not in TOML. */
const writeString = (text: string): string => JSON.stringify(text).replaceAll("\x7f", "\\u007f");

function writeTomlValue(value: ConfigValue): string {
  if (typeof value === "string") return writeString(value);
  if (Array.isArray(value)) return `[${value.map(writeTomlValue).join(", ")}]`;
  if (!isMap(value)) return String(value);
  const fields = Object.entries(value).map(([key, field]) => `${writeKey(key)} = ${writeTomlValue(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
