/**
 * Structured content with fewer items, still of the shape that its tool declares. Which shapes allow that is decided when
 * tools are listed: clients reject a result that breaks the schema they were shown.
 */
import { isObject, type JsonObject, toList, toObject } from "../json-rpc.ts";

/** Whether results of this shape can lose whole items: some list or map in it may be shorter. */
export function canTrim(schema: unknown): boolean {
  return isObject(schema) && hasCollection(schema, schema, 0);
}

/** The largest number of whole items that fits; undefined if even empty lists do not. */
export function trimItems(value: unknown, schema: JsonObject, fits: (json: string) => boolean): unknown {
  const whole = JSON.stringify(value) ?? "";
  let passing: { readonly trimmed: unknown } | undefined;
  let low = 0;
  let high = whole.length;
  for (let tries = 0; tries < MAX_TRIES && low <= high; tries++) {
    const maxChars = tries === 0 ? 0 : Math.floor((low + high) / 2);
    const trimmed = trim(value, schema, schema, maxChars, 0);
    const isFitting = fits(JSON.stringify(trimmed) ?? "");
    if (isFitting) passing = { trimmed };
    else if (tries === 0) return undefined;
    if (isFitting) low = maxChars + 1;
    else high = maxChars - 1;
  }
  return passing?.trimmed;
}

/** Halvings of the longest text that is relayed. */
const MAX_TRIES = 28;

/** Schemas may refer to themselves. */
const MAX_DEPTH = 12;

/** Schemas that a change could break in ways that are not looked into. */
const OPAQUE = ["anyOf", "oneOf", "allOf", "not", "if", "const", "enum", "$dynamicRef", "dependentSchemas"];
const OPAQUE_LIST = ["contains", "prefixItems", "unevaluatedItems"];

function hasCollection(schema: JsonObject, root: JsonObject, depth: number): boolean {
  const own = resolve(schema, root);
  if (own === undefined || depth > MAX_DEPTH) return false;
  if (isShortenableList(own) || isShortenableMap(own)) return true;
  return Object.values(toObject(own.properties)).some((inner) => hasCollection(toObject(inner), root, depth + 1));
}

/** The schema itself, behind its reference; undefined if a value of it must not be changed. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  if (OPAQUE.some((name) => name in schema)) return undefined;
  if (typeof schema.$ref !== "string") return schema;
  const [start, ...steps] = schema.$ref.split("/");
  if (start !== "#") return undefined;
  const target = steps.reduce<JsonObject>((place, step) => toObject(place[decodeStep(step)]), root);
  return OPAQUE.some((name) => name in target) || "$ref" in target ? undefined : target;
}

const decodeStep = (step: string): string => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");

const isType = ({ type }: JsonObject, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name));

function isShortenableList(schema: JsonObject): boolean {
  return isType(schema, "array") && !schema.minItems && !OPAQUE_LIST.some((name) => name in schema);
}

/** An object whose keys are data. */
function isShortenableMap(schema: JsonObject): boolean {
  const hasFreeKeys = isObject(schema.additionalProperties) || isObject(schema.patternProperties);
  return isType(schema, "object") && hasFreeKeys && !schema.minProperties && schema.dependentRequired === undefined;
}

/** The value with at most `maxChars` characters in each list and map, in whole items. */
function trim(value: unknown, schema: unknown, root: JsonObject, maxChars: number, depth: number): unknown {
  const own = isObject(schema) && depth <= MAX_DEPTH ? resolve(schema, root) : undefined;
  if (own === undefined) return value;
  const inner = (item: unknown, itemSchema: unknown) => trim(item, itemSchema, root, maxChars, depth + 1);
  if (Array.isArray(value))
    return isShortenableList(own) ? takeItems(value, maxChars).map((item) => inner(item, own.items)) : value;
  if (!isObject(value)) return value;
  const properties = toObject(own.properties);
  const entries = isShortenableMap(own) ? takeEntries(value, own, maxChars) : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, inner(item, properties[key])]));
}

function takeItems(items: readonly unknown[], maxChars: number): unknown[] {
  let chars = 0;
  return takeWhile(items, (item) => {
    chars += (JSON.stringify(item)?.length ?? 0) + 1;
    return chars <= maxChars;
  });
}

/** Declared and required keys stay. */
function takeEntries(value: JsonObject, schema: JsonObject, maxChars: number): [string, unknown][] {
  const declared = new Set([...Object.keys(toObject(schema.properties)), ...toList(schema.required)]);
  let chars = 0;
  return Object.entries(value).filter(([key, item]) => {
    if (declared.has(key)) return true;
    if (chars <= maxChars) chars += key.length + (JSON.stringify(item)?.length ?? 0) + 4;
    return chars <= maxChars;
  });
}

function takeWhile<T>(items: readonly T[], passes: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !passes(item));
  return items.slice(0, end === -1 ? items.length : end);
}
