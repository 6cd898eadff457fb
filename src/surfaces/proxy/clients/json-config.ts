/** A client's config in JSON. */

/** The fields of a config. One that is missing or damaged has none: the client would not accept it either. */
export function parseJsonObject(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
