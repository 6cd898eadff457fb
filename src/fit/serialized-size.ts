/** Measures the structured content of a reply. */

/** What the fields may add to the content; the allowance of the text is OVERHEAD_CHARS. */
export const FIELDS_CHARS = 3_600;

/** Characters of a value as JSON, with strings counted unescaped. */
export function measurePlainSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + measurePlainSize(item) + 1, 2);
  if (typeof value !== "object" || value === null) return String(value).length;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 4 + measurePlainSize(item), 2);
}
