/** JSON on one line, which is valid in YAML's flow style too. */
import type { ConfigValue } from "./config-format.ts";

/** A value with a space after each comma and colon. */
export function writeInline(value: ConfigValue): string {
  if (Array.isArray(value)) return `[${value.map(writeInline).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = writeFields(value);
  return fields === "" ? "{}" : `{ ${fields} }`;
}

/** The fields of a map without its braces, or the items of a list without its brackets. */
export function writeFields(value: ConfigValue): string {
  if (Array.isArray(value)) return value.map(writeInline).join(", ");
  return Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}: ${writeInline(field)}`)
    .join(", ");
}
