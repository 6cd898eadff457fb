/** How the structured side of a reply is measured. */

/** What the fields of a reply may add to its content; the text's own allowance is OVERHEAD_CHARS. */
export const FIELDS_CHARS = 3_600;

/** Characters of a value as JSON, with each text counted as it reads and not as it is escaped. */
export function plainSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + plainSize(item) + 1, 2);
  if (typeof value !== "object" || value === null) return String(value).length;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 4 + plainSize(item), 2);
}
