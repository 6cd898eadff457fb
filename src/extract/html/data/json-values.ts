/** Reading JSON that pages carry, whatever it turns out to be. */

/** The parsed value; undefined if the text is not JSON. Pages carry broken data, which is treated as absent. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
