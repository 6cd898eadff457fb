/** Checks the shape of JSON values that come from outside. */

/** Whether a value is an object with keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's fields, whatever the value is. */
export function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text on one line; empty if there is none. */
export const toLine = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
