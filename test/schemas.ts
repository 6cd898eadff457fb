/** Schemas as tests hold replies to them. */
import type { JsonSchema } from "../src/tools/parameters.ts";

/** The schema with nothing else allowed, so that a field that is not declared is noticed. */
export function closedSchema(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    typeof value === "object" && value !== null && !Array.isArray(value) ? closedSchema(value as JsonSchema) : value,
  ]);
  return { ...(schema.properties ? { additionalProperties: false } : {}), ...Object.fromEntries(entries) };
}
