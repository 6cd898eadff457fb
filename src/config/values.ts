/** Reads one setting's value the way people write it, and writes it back the same way for help and docs. */
import { isHeaderHost, parseNetworkPlace } from "./network-values.ts";
import { pathsOf } from "./paths.ts";
import { quoted } from "./problem.ts";
import type { HostHeaders, SettingRow, SettingType } from "./settings.ts";

export type SettingValue = string | number | readonly string[] | HostHeaders | null;

/** Where relative paths start and what `~` stands for; `home` is undefined for a user without one. */
export type PathBase = {
  readonly folder: string;
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
};

/** The value, or what is wrong with it: `fault` goes on where the setting's name ends ("must be ..., not ..."). */
export type Parsed =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly fault: string; readonly hint: string };

/** Reads a value as it stands in a JSON file. Refuses what it does not understand; never throws, never clamps. */
export function parseValue(row: SettingRow, written: unknown, base: PathBase): Parsed {
  if (written === null && row.default === null) return accept(null);
  return readers[row.type](typeof written === "string" ? written.trim() : written, row, base);
}

/**
 * What a variable's or a flag's text would be in a JSON file: a list is separated by commas, or written in JSON, for
 * items that hold a comma and for no items at all; headers are written in JSON.
 */
export function valueFromText(row: SettingRow, text: string): unknown {
  if (row.type === "headers") return jsonOrText(text);
  if (row.type !== "list") return text;
  return text.trim().startsWith("[") ? jsonOrText(text) : splitList(text);
}

/** Writes a value so that `valueFromText` and `parseValue` give it back: `64 MiB`, `14d`, `30,000`. */
export function formatValue(type: SettingType, value: Exclude<SettingValue, null>): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return isList(value) ? formatList(value) : JSON.stringify(value);
  if (type === "bytes") return formatBytes(value);
  if (type === "duration") return formatDuration(value);
  return value.toLocaleString("en-US");
}

/** Whether a value is a list: `Array.isArray` does not tell a read-only one. */
export const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

type Reader = (written: unknown, row: SettingRow, base: PathBase) => Parsed;

const readers: Readonly<Record<SettingType, Reader>> = {
  text: readText,
  path: readPath,
  integer: readInteger,
  bytes: readBytes,
  duration: readDuration,
  choice: readChoice,
  list: readList,
  headers: readHeaders,
};

/** The units of sizes, largest first, as `formatValue` prefers them: KiB counts in 1024s, KB in 1000s. */
export const byteUnits = [
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

/** The units of durations, largest first. A month or a year has no fixed length, so there is none. */
export const durationUnits = [
  ["w", 7 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

const whole = String.raw`(?:\d+(?:_\d+)*|\d{1,3}(?:,\d{3})+)`;
const decimal = String.raw`${whole}(?:\.\d+)?`;
const durationPart = String.raw`(${decimal})\s*(ms|[smhdw])\s*`;

/** The written forms as regular expressions; the parser and the JSON Schema both use these. */
export const writtenForms = {
  integer: `^-?${whole}$`,
  bytes: String.raw`^(?:(${whole})(?:\s*[bB])?|(${decimal})\s*([kKmMgGtT][iI]?[bB]))$`,
  duration: `^(?:0|(?:${durationPart})+)$`,
} as const;

function readText(written: unknown): Parsed {
  if (typeof written !== "string") return refuse(`must be text, not ${shown(written)}.`, "Write it in quotes.");
  if (written === "") return refuse("must not be empty.", "Give a value, or leave the setting out.");
  if (/\p{Cc}/u.test(written)) {
    return refuse(`must not hold control characters, as ${shown(written)} does.`, "Remove them.");
  }
  return accept(written);
}

function readPath(written: unknown, _row: SettingRow, base: PathBase): Parsed {
  const text = readText(written);
  return text.ok ? resolvePath(String(text.value), base) : text;
}

function resolvePath(written: string, { folder, home, platform }: PathBase): Parsed {
  const paths = pathsOf(platform);
  const [first = "", ...rest] = written.split(platform === "win32" ? /[\\/]/ : "/");
  if (!first.startsWith("~")) return accept(paths.resolve(folder, written));
  if (first !== "~") {
    return refuse(
      `names another user's home, ${shown(first)}, which is not looked up.`,
      `Write the path in full, or as ${shown(`./${written}`)} for a folder of that name.`,
    );
  }
  if (home === undefined) return refuse("begins with ~, but this user has no home folder.", "Write the path in full.");
  return accept(paths.resolve(home, ...rest.filter((part) => part !== "")));
}

function readInteger(written: unknown, row: SettingRow): Parsed {
  const number = typeof written === "string" ? wholeNumber(written) : written;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    return refuse(`must be a whole number, not ${shown(written)}.`, 'Write it as 30000 or "30_000".');
  }
  return withinRange(number, row, written);
}

function wholeNumber(text: string): number | undefined {
  return new RegExp(writtenForms.integer).test(text) ? plainNumber(text) : undefined;
}

function plainNumber(digits: string): number {
  return Number(digits.replaceAll(/[_,]/g, ""));
}

function readBytes(written: unknown, row: SettingRow): Parsed {
  const number = typeof written === "string" ? bytesOf(written) : written;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    return refuse(
      `must be a size, not ${shown(written)}.`,
      'Write it as "64 MiB", "2 GB" or a whole number of bytes (KiB counts in 1024s, KB in 1000s).',
    );
  }
  return withinRange(number, row, written);
}

/** A fraction of a unit is rounded to the byte ("1.3 GiB"); a fraction of a byte is not a size. */
function bytesOf(text: string): number | undefined {
  const match = new RegExp(writtenForms.bytes).exec(text);
  if (match === null) return undefined;
  const [, bytes, amount = "", unit = ""] = match;
  return bytes === undefined ? Math.round(plainNumber(amount) * unitSize(byteUnits, unit)) : plainNumber(bytes);
}

function unitSize(units: readonly (readonly [name: string, size: number])[], written: string): number {
  return units.find(([name]) => name.toLowerCase() === written.toLowerCase())?.[1] ?? Number.NaN;
}

function readDuration(written: unknown, row: SettingRow): Parsed {
  const number = typeof written === "string" ? millisecondsOf(written) : written === 0 ? 0 : undefined;
  if (number === undefined) {
    const bare = typeof written === "number" || (typeof written === "string" && wholeNumber(written) !== undefined);
    return refuse(
      bare ? `needs a unit of time after ${shown(written)}.` : `must be a duration, not ${shown(written)}.`,
      'Write it as "14d", "1h30m", "30s" or "500ms" (units: w, d, h, m, s, ms).',
    );
  }
  return withinRange(number, row, written);
}

function millisecondsOf(text: string): number | undefined {
  if (!new RegExp(writtenForms.duration).test(text)) return undefined;
  let total = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(new RegExp(durationPart, "g"))) {
    total += plainNumber(amount) * unitSize(durationUnits, unit);
  }
  return Math.round(total);
}

/** Outside the range is a fault, not a clamp: a number that was quietly changed is a promise broken in silence. */
function withinRange(number: number, row: SettingRow, written: unknown): Parsed {
  const { type, min = Number.MIN_SAFE_INTEGER, ceiling = Number.MAX_SAFE_INTEGER } = row;
  const hint = `Accepted: ${formatRange(row)}.`;
  if (number < min) return refuse(`must be at least ${formatValue(type, min)}, not ${shown(written)}.`, hint);
  if (number > ceiling) return refuse(`must be at most ${formatValue(type, ceiling)}, not ${shown(written)}.`, hint);
  return accept(number);
}

/** `from 1 B to 64 GiB`, `at least 1`, `at most 10`, or the choices; empty where any value goes. */
export function formatRange({ type, min, ceiling, choices = [] }: SettingRow): string {
  const [least, most] = [min, ceiling].map((bound) => (bound === undefined ? undefined : formatValue(type, bound)));
  if (least !== undefined && most !== undefined) return `from ${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most !== undefined ? `at most ${most}` : choices.join(", ");
}

function readChoice(written: unknown, { choices = [] }: SettingRow): Parsed {
  const word = typeof written === "string" || typeof written === "boolean" ? String(written).toLowerCase() : "";
  const chosen = word === "true" ? "on" : word === "false" ? "off" : word;
  if (choices.includes(chosen)) return accept(chosen);
  return refuse(`must be one of ${choices.join(", ")}, not ${shown(written)}.`, `Write "${choices[0]}", for example.`);
}

function readList(written: unknown, row: SettingRow, base: PathBase): Parsed {
  if (!Array.isArray(written)) return refuse(`must be a list, not ${shown(written)}.`, 'Write it as ["one", "two"].');
  const items: string[] = [];
  for (const [index, item] of written.entries()) {
    const parsed = readItem(row, typeof item === "string" ? item.trim() : item, base);
    if (!parsed.ok) return refuse(`has a wrong item ${index + 1}, which ${parsed.fault}`, parsed.hint);
    items.push(String(parsed.value));
  }
  return accept(items);
}

function readItem(row: SettingRow, written: unknown, base: PathBase): Parsed {
  if (row.items === "path") return readPath(written, row, base);
  const text = readText(written);
  if (!text.ok || row.items === undefined || parseNetworkPlace(String(text.value))) return text;
  return refuse(
    `must be a host, an address or a range, not ${shown(written)}.`,
    "Write it as wiki.example.com, *.corp.example, 127.0.0.1:8080, 10.0.0.0/8 or [fd00::1]:8080.",
  );
}

/** Values may be secrets, so no message repeats one. */
function readHeaders(written: unknown): Parsed {
  if (!isObject(written)) {
    return refuse(`must be headers by host, not ${shown(written)}.`, headersHint);
  }
  for (const [host, headers] of Object.entries(written)) {
    if (!isHeaderHost(host)) return refuse(`has a key that is no host: ${shown(host)}.`, headersHint);
    if (!isObject(headers)) return refuse(`must have an object of headers for ${shown(host)}.`, headersHint);
    for (const [name, value] of Object.entries(headers)) {
      const sound = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && typeof value === "string" && !/\p{Cc}/u.test(value);
      if (!sound) return refuse(`has a malformed header ${shown(name)} for ${shown(host)}.`, headersHint);
    }
  }
  return accept(written as HostHeaders);
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

function shown(written: unknown): string {
  if (typeof written === "string") return quoted(written);
  if (Array.isArray(written)) return "a list";
  return typeof written === "object" && written !== null ? "an object" : String(written);
}

function accept(value: SettingValue): Parsed {
  return { ok: true, value };
}

function refuse(fault: string, hint: string): Parsed {
  return { ok: false, fault, hint };
}
