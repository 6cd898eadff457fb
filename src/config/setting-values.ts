/** Parses a setting's value as people write it, and formats it the same way for help and docs. */

import { quote } from "./config-problem.ts";
import { isHeaderHost, parseNetworkPlace } from "./network-values.ts";
import { pathsOf } from "./paths.ts";
import type { HostHeaders, SettingType, ValueRow } from "./rows/setting-row.ts";

export type SettingValue = string | number | readonly string[] | HostHeaders | null;

/** The base of relative paths and the meaning of `~`; `home` is undefined for a user without one. */
export type PathBase = {
  readonly folder: string;
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
};

/** The value, or what is wrong with it: `fault` continues a sentence that begins with the setting's name ("must be ..., not ..."). */
type ParseResult =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly fault: string; readonly hint: string };

/** Parses a value from a JSON file. Rejects what it does not understand; never throws, never clamps. */
export function parseValue(row: ValueRow, input: unknown, base: PathBase): ParseResult {
  if (input === null && row.default === null) return accept(null);
  const result = readers[row.type](typeof input === "string" ? input.trim() : input, row, base);
  return result.ok || !row.isSecret ? result : refuse("is not a text that can be used.", "Write it in quotes.");
}

/**
 * Converts the text of a variable or a flag to its JSON form: a list is separated by commas, or written in JSON for
 * items that contain a comma and for an empty list; headers are written in JSON.
 */
export function valueFromText(row: ValueRow, text: string): unknown {
  if (row.type === "headers") return jsonOrText(text);
  if (row.type !== "list") return text;
  return text.trim().startsWith("[") ? jsonOrText(text) : splitList(text);
}

/** Formats a value so that `valueFromText` and `parseValue` return it: `64 MiB`, `14d`, `30,000`. */
export function formatValue(type: SettingType, value: Exclude<SettingValue, null>): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return isList(value) ? formatList(value) : JSON.stringify(value);
  if (type === "bytes") return formatBytes(value);
  if (type === "duration") return formatDuration(value);
  return value.toLocaleString("en-US");
}

/** Whether a value is a list. `Array.isArray` does not narrow read-only arrays. */
const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

type Reader = (input: unknown, row: ValueRow, base: PathBase) => ParseResult;

const readers: Readonly<Record<SettingType, Reader>> = {
  text: readRowText,
  path: readPath,
  integer: readInteger,
  bytes: readBytes,
  duration: readDuration,
  choice: readChoice,
  list: readList,
  headers: readHeaders,
};

/** The units of sizes, largest first, as `formatValue` prefers them: KiB counts in 1024s, KB in 1000s. */
const byteUnits = [
  ["TiB", 1024 ** 4],
  ["TB", 1000 ** 4],
  ["GiB", 1024 ** 3],
  ["GB", 1000 ** 3],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["KiB", 1024],
  ["KB", 1000],
  ["B", 1],
] as const;

/** The units of durations, largest first. Months and years have no fixed length. */
export const durationUnits = [
  ["w", 7 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

const wholeDigits = String.raw`(?:\d+(?:_\d+)*|\d{1,3}(?:,\d{3})+)`;
const decimal = String.raw`${wholeDigits}(?:\.\d+)?`;
const durationPart = String.raw`(${decimal})\s*(ms|[smhdw])\s*`;

/** The accepted forms as regular expressions, used by the parser and the JSON Schema. */
export const writtenForms = {
  integer: `^-?${wholeDigits}$`,
  bytes: String.raw`^(?:(${wholeDigits})(?:\s*[bB])?|(${decimal})\s*([kKmMgGtT][iI]?[bB]))$`,
  duration: `^(?:0|(?:${durationPart})+)$`,
  webAddress: "^[hH][tT][tT][pP][sS]?://",
} as const;

function readRowText(input: unknown, { isWebAddress }: ValueRow): ParseResult {
  const text = readText(input);
  if (!text.ok || !isWebAddress || isWebAddressText(String(text.value))) return text;
  // The text is not quoted: an address may hold a password.
  return refuse(
    "must be an address of http or https.",
    "Write it in full, with its scheme, such as http://127.0.0.1:4318.",
  );
}

const isWebAddressText = (text: string): boolean =>
  new RegExp(writtenForms.webAddress).test(text) && URL.canParse(text);

function readText(input: unknown): ParseResult {
  if (typeof input !== "string") return refuse(`must be text, not ${quoteValue(input)}.`, "Write it in quotes.");
  if (input === "") return refuse("must not be empty.", "Give a value, or leave the setting out.");
  if (/\p{Cc}/u.test(input)) {
    return refuse(`must not hold control characters, as ${quoteValue(input)} does.`, "Remove them.");
  }
  return accept(input);
}

function readPath(input: unknown, _row: ValueRow, base: PathBase): ParseResult {
  const text = readText(input);
  return text.ok ? resolvePath(String(text.value), base) : text;
}

function resolvePath(input: string, { folder, home, platform }: PathBase): ParseResult {
  const paths = pathsOf(platform);
  const [first = "", ...rest] = input.split(platform === "win32" ? /[\\/]/ : "/");
  if (!first.startsWith("~")) return accept(paths.resolve(folder, input));
  if (first !== "~") {
    return refuse(
      `names another user's home, ${quoteValue(first)}, which is not looked up.`,
      `Write the path in full, or as ${quoteValue(`./${input}`)} for a folder of that name.`,
    );
  }
  if (home === undefined) return refuse("begins with ~, but this user has no home folder.", "Write the path in full.");
  return accept(paths.resolve(home, ...rest.filter((part) => part !== "")));
}

function readInteger(input: unknown, row: ValueRow): ParseResult {
  const number = typeof input === "string" ? wholeNumber(input) : input;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    return refuse(`must be a whole number, not ${quoteValue(input)}.`, 'Write it as 30000 or "30_000".');
  }
  return withinRange(number, row, input);
}

function wholeNumber(text: string): number | undefined {
  return new RegExp(writtenForms.integer).test(text) ? plainNumber(text) : undefined;
}

function plainNumber(digits: string): number {
  return Number(digits.replaceAll(/[_,]/g, ""));
}

function readBytes(input: unknown, row: ValueRow): ParseResult {
  const number = typeof input === "string" ? bytesOf(input) : input;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    return refuse(
      `must be a size, not ${quoteValue(input)}.`,
      'Write it as "64 MiB", "2 GB" or a whole number of bytes (KiB counts in 1024s, KB in 1000s).',
    );
  }
  return withinRange(number, row, input);
}

/** A fraction of a unit is rounded to the byte ("1.3 GiB"); a fraction of a byte is not a size. */
function bytesOf(text: string): number | undefined {
  const match = new RegExp(writtenForms.bytes).exec(text);
  if (match === null) return undefined;
  const [, bytes, amount = "", unit = ""] = match;
  return bytes === undefined ? Math.round(plainNumber(amount) * unitSize(byteUnits, unit)) : plainNumber(bytes);
}

function unitSize(units: readonly (readonly [name: string, size: number])[], unit: string): number {
  return units.find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1] ?? Number.NaN;
}

function readDuration(input: unknown, row: ValueRow): ParseResult {
  const number = typeof input === "string" ? millisecondsOf(input) : input === 0 ? 0 : undefined;
  if (number === undefined) {
    const bare = typeof input === "number" || (typeof input === "string" && wholeNumber(input) !== undefined);
    return refuse(
      bare ? `needs a unit of time after ${quoteValue(input)}.` : `must be a duration, not ${quoteValue(input)}.`,
      'Write it as "14d", "1h30m", "30s" or "500ms" (units: w, d, h, m, s, ms).',
    );
  }
  return withinRange(number, row, input);
}

function millisecondsOf(text: string): number | undefined {
  if (!new RegExp(writtenForms.duration).test(text)) return undefined;
  let total = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(new RegExp(durationPart, "g"))) {
    total += plainNumber(amount) * unitSize(durationUnits, unit);
  }
  return Math.round(total);
}

/** An out-of-range number is rejected, not clamped: a silent change would break the user's expectation. */
function withinRange(number: number, row: ValueRow, input: unknown): ParseResult {
  const { type, min = Number.MIN_SAFE_INTEGER, ceiling = Number.MAX_SAFE_INTEGER } = row;
  const hint = `Accepted: ${formatRange(row)}.`;
  if (number < min) return refuse(`must be at least ${formatValue(type, min)}, not ${quoteValue(input)}.`, hint);
  if (number > ceiling) return refuse(`must be at most ${formatValue(type, ceiling)}, not ${quoteValue(input)}.`, hint);
  return accept(number);
}

/** `from 1 B to 64 GiB`, `at least 1`, `at most 10`, or the choices; empty if any value is accepted. */
export function formatRange({ type, min, ceiling, choices = [] }: ValueRow): string {
  const [minText, maxText] = [min, ceiling].map((bound) =>
    bound === undefined ? undefined : formatValue(type, bound),
  );
  if (minText !== undefined && maxText !== undefined) return `from ${minText} to ${maxText}`;
  if (minText !== undefined) return `at least ${minText}`;
  return maxText !== undefined ? `at most ${maxText}` : choices.join(", ");
}

function readChoice(input: unknown, { choices = [] }: ValueRow): ParseResult {
  const word = typeof input === "string" || typeof input === "boolean" ? String(input).toLowerCase() : "";
  const choice = word === "true" ? "on" : word === "false" ? "off" : word;
  if (choices.includes(choice)) return accept(choice);
  return refuse(
    `must be one of ${choices.join(", ")}, not ${quoteValue(input)}.`,
    `Write "${choices[0]}", for example.`,
  );
}

function readList(input: unknown, row: ValueRow, base: PathBase): ParseResult {
  if (!Array.isArray(input)) return refuse(`must be a list, not ${quoteValue(input)}.`, 'Write it as ["one", "two"].');
  const items: string[] = [];
  for (const [index, item] of input.entries()) {
    const parsed = readItem(row, typeof item === "string" ? item.trim() : item, base);
    if (!parsed.ok) return refuse(`has a wrong item ${index + 1}, which ${parsed.fault}`, parsed.hint);
    items.push(String(parsed.value));
  }
  return accept(items);
}

function readItem(row: ValueRow, input: unknown, base: PathBase): ParseResult {
  if (row.items === "path") return readPath(input, row, base);
  const text = readText(input);
  if (!text.ok || row.items === undefined || parseNetworkPlace(String(text.value))) return text;
  return refuse(
    `must be a host, an address or a range, not ${quoteValue(input)}.`,
    "Write it as wiki.example.com, *.corp.example, 127.0.0.1:8080, 10.0.0.0/8 or [fd00::1]:8080.",
  );
}

/** Values may be secrets, so no message repeats one. */
function readHeaders(input: unknown): ParseResult {
  if (!isObject(input)) {
    return refuse(`must be headers by host, not ${quoteValue(input)}.`, headersHint);
  }
  for (const [host, headers] of Object.entries(input)) {
    if (!isHeaderHost(host)) return refuse(`has a key that is not a host: ${quoteValue(host)}.`, headersHint);
    if (!isObject(headers)) return refuse(`must have an object of headers for ${quoteValue(host)}.`, headersHint);
    for (const [name, value] of Object.entries(headers)) {
      const sound = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && typeof value === "string" && !/\p{Cc}/u.test(value);
      if (!sound) return refuse(`has a malformed header ${quoteValue(name)} for ${quoteValue(host)}.`, headersHint);
    }
  }
  return accept(input as HostHeaders);
}

const headersHint = 'Write it as {"wiki.example.com": {"Authorization": "Bearer $WIKI_TOKEN"}}.';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function splitList(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // Not JSON after all, and the reader of the type says so.
  }
}

function formatList(items: readonly string[]): string {
  const plain = items.length > 0 && !items.some((item) => item.includes(",")) && !items[0]?.startsWith("[");
  return plain ? items.join(", ") : JSON.stringify(items);
}

function formatBytes(bytes: number): string {
  const [name, size] = byteUnits.find(([, unit]) => unit <= bytes && bytes % unit === 0) ?? ["B", 1];
  return `${bytes / size} ${name}`;
}

/** Days are the largest unit written back: `14d` is clearer than `2w` beside `90d`. */
function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = "";
  for (const [name, size] of durationUnits.slice(1)) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${name}`;
    rest -= count * size;
  }
  return text === "" ? "0s" : text;
}

function quoteValue(input: unknown): string {
  if (typeof input === "string") return quote(input);
  if (Array.isArray(input)) return "a list";
  return typeof input === "object" && input !== null ? "an object" : String(input);
}

function accept(value: SettingValue): ParseResult {
  return { ok: true, value };
}

function refuse(fault: string, hint: string): ParseResult {
  return { ok: false, fault, hint };
}
