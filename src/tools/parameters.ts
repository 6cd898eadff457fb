/** The parameters of a tool as one table, from which JSON schema and docs are made and input is parsed. */
import { SpillwayError } from "../errors.ts";
import { NAME_CHARS, SHORT_NAME_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

export type FieldType = "text" | "integer" | "choice" | "flag" | "list";

/** One parameter. */
export type Field = {
  readonly type: FieldType;
  readonly about: string;
  readonly required?: true;
  /** Set where the tool has its own error for missing text: it then gets an empty string. */
  readonly blank?: true;
  readonly choices?: readonly string[];
  /** A number that works, for the hint after one that does not. */
  readonly example?: number;
  /** Set where a fraction is refused; elsewhere it is cut. */
  readonly whole?: true;
  /** The smallest number that is accepted. */
  readonly min?: number;
  /** Other names that models use for it. Other spellings of the same name (max_chars, maxChars) are always accepted. */
  readonly aliases?: readonly string[];
  /** Set where it is accepted, but no model needs to know it. */
  readonly isUnlisted?: true;
  /** Set where the value is never stored or logged. */
  readonly secret?: true;
  /** The value may be the path of a file or folder on this machine. */
  readonly path?: true;
};

export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F["type"] extends "integer"
  ? number
  : F["type"] extends "flag"
    ? boolean
    : F["type"] extends "list"
      ? readonly string[]
      : F extends { readonly choices: readonly (infer C)[] }
        ? C
        : string;

/** The parsed parameters of a table. */
export type Input<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends { readonly required: true } ? ValueOf<F[K]> : ValueOf<F[K]> | undefined;
};

export type JsonSchema = { readonly [key: string]: unknown };

/** The table as the JSON schema that clients see. */
export function inputSchema(fields: Fields): JsonSchema {
  const listed = Object.entries(fields).filter(([, field]) => !field.isUnlisted);
  const properties = listed.map(([name, field]) => [name, fieldSchema(field)]);
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

const schemaTypes = { text: "string", integer: "integer", choice: "string", flag: "boolean", list: "array" } as const;

function fieldSchema({ type, about, choices, min }: Field): JsonSchema {
  return {
    type: schemaTypes[type],
    description: about,
    ...(min === undefined ? {} : { minimum: min }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(type === "list" ? { items: { type: "string" } } : {}),
  };
}

/** The parsed input, and notes about it for the model. */
type ReadInput<F extends Fields> = { readonly values: Input<F>; readonly notes: readonly string[] };

/** Parses lenient input: empty values are missing, numbers and lists may be strings, a note names unknown parameters. */
export function readInput<F extends Fields>(fields: F, raw: unknown): ReadInput<F> {
  const values: Record<string, unknown> = Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]));
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(parseObject(raw))) {
    const name = findFieldName(fields, key);
    const field = name === undefined ? undefined : fields[name];
    if (name === undefined || field === undefined) unknown.push(key);
    else if (!isAbsent(value) && (values[name] === undefined || name === key)) {
      values[name] = readers[field.type](value, name, field);
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!field.required || values[name] !== undefined) continue;
    if (!field.blank) throw missingError(name, field, unknown);
    values[name] = "";
  }
  // Each name of the table now has a value of the type its row describes, or undefined.
  return { values: values as Input<F>, notes: unknownNote(unknown, listedNames(fields)) };
}

/** The paths and addresses in the input; none where it cannot be parsed, which the call will report. */
export function findPaths(fields: Fields, raw: unknown): string[] {
  try {
    const { values } = readInput(fields, raw);
    const pathFields = Object.keys(fields).filter((name) => fields[name]?.path);
    return pathFields.flatMap((name) => values[name] ?? []).map((value) => trimAddress(String(value)));
  } catch {
    return [];
  }
}

/** An address without the angle brackets that models put around it. */
export const trimAddress = (given: string): string => given.trim().replace(/^<(.*)>$/, "$1");

function parseObject(raw: unknown): object {
  const value = typeof raw === "string" && raw.trim() !== "" ? parseJsonOrText(raw) : raw;
  if (isAbsent(value)) return {};
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw usageError(
    `The input must be an object, not ${describeValue(raw)}.`,
    'Send the parameters by name: {"url": "..."}.',
  );
}

/** The field that a key means; `maxChars`, `max_chars` and `max-chars` are one name. */
export function findFieldName(fields: Fields, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const plain = normalizeName(key);
  return Object.keys(fields).find((name) =>
    [name, ...(fields[name]?.aliases ?? [])].map(normalizeName).includes(plain),
  );
}

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

function isAbsent(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isBlank) : isBlank(value);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

const readers: Readonly<Record<FieldType, (value: unknown, name: string, field: Field) => unknown>> = {
  text: readText,
  integer: readInteger,
  choice: readChoice,
  flag: readFlag,
  list: (value, name) => readList(value, name),
};

/** Pages may arrive as 3 or as [1, 4]; of several addresses no single one can be guessed. */
function readText(value: unknown, name: string): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number") return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "number")) return value.join(",");
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) return readText(value[0], name);
  throw usageError(`${name} must be text, not ${describeValue(value)}.`, "Send it as one string.");
}

function readInteger(value: unknown, name: string, { example = 5_000, min = -Infinity, whole }: Field): number {
  const number = typeof value === "string" ? Number(value.trim().replaceAll(/(?<=\d)[_,](?=\d)/g, "")) : value;
  if (typeof number === "number" && Number.isInteger(whole ? number : Math.trunc(number)) && number >= min) {
    return Math.trunc(number);
  }
  throw usageError(
    `${name} must be a whole number${min === -Infinity ? "" : ` from ${min}`}, not ${describeValue(value)}.`,
    `For example "${name}": ${example}, or leave it out.`,
  );
}

function readChoice(value: unknown, name: string, { choices = [] }: Field): string {
  const match = choices.find((choice) => typeof value === "string" && choice === value.trim().toLowerCase());
  if (match !== undefined) return match;
  throw usageError(
    `${name} must be one of ${choices.join(", ")}, not ${describeValue(value)}.`,
    "Use one of these, or leave it out.",
  );
}

function readFlag(value: unknown, name: string): boolean {
  const word = String(value).trim().toLowerCase();
  if (["true", "yes", "on", "1"].includes(word)) return true;
  if (["false", "no", "off", "0"].includes(word)) return false;
  throw usageError(`${name} must be true or false, not ${describeValue(value)}.`, "Send true, or leave it out.");
}

/** A list, a list as a JSON string, or a single item. */
function readList(value: unknown, name: string): string[] {
  const parsedValue = typeof value === "string" && value.trim().startsWith("[") ? parseJsonOrText(value) : value;
  const items = (Array.isArray(parsedValue) ? parsedValue : [parsedValue]).filter((item) => !isAbsent(item));
  return items.map((item) => {
    if (typeof item === "string") return item.trim();
    throw usageError(
      `${name} must be a list of texts, but contains ${describeValue(item)}.`,
      `For example "${name}": ["one", "two"].`,
    );
  });
}

/** Text that is not JSON stays as it is; the caller then reports what is wrong with it. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function missingError(name: string, { about }: Field, unknown: readonly string[]): SpillwayError {
  const instead = unknown.length === 0 ? "" : ` ${quoteNames(unknown)} is not known.`;
  return usageError(`${name} is missing.${instead}`, `Send ${name}: ${about}`);
}

const listedNames = (fields: Fields): string[] => Object.keys(fields).filter((name) => !fields[name]?.isUnlisted);

function unknownNote(unknown: readonly string[], names: readonly string[]): string[] {
  if (unknown.length === 0) return [];
  return [`Unknown parameters were ignored: ${quoteNames(unknown)}. Known parameters: ${names.join(", ")}.`];
}

function quoteNames(names: readonly string[]): string {
  const quoted = names.slice(0, 5).map((name) => JSON.stringify(clip(name, SHORT_NAME_CHARS)));
  return names.length > quoted.length
    ? `${quoted.join(", ")} and ${names.length - quoted.length} more`
    : quoted.join(", ");
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null
    ? "an object"
    : clip(JSON.stringify(value) ?? String(value), NAME_CHARS);
}

function usageError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("usage", sentence, { hint });
}
