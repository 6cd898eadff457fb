/** Schemas against which tests validate replies. */
import type { JsonSchema } from "../src/tools/parameters.ts";

/** The schema without additional properties, so that an undeclared field fails the test. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    typeof value === "object" && value !== null && !Array.isArray(value) ? closeSchema(value as JsonSchema) : value,
  ]);
  return { ...(schema.properties ? { additionalProperties: false } : {}), ...Object.fromEntries(entries) };
}
