/** The fields of a reply for a model that reads them in place of the text: what it can act on, and nothing twice. */

/** Facts for programs and their operators. */
const programFields = new Set([
  "artifact_path",
  "media_type",
  "content_type",
  "size_bytes",
  "status_code",
  "handler",
  "method",
  "decided_by",
  "kept_share",
  "selector",
  "cached",
  "limit_chars",
  "bound",
  "chunk_id",
  "similarity_score",
  "database_name",
  "latency_ms",
  "indexed_at",
  "estimated_chars",
  "actual_chars",
  "estimated_tokens",
  "limit_tokens",
  "end_offset",
  "score",
]);

/** The same fields without those that are empty, false or for programs. `notes` is required by every output schema. */
export function toLeanFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { url, source_url, responseId, artifact_ref, truncation_info, ...others } = fields;
  return {
    ...leanObject({
      artifact_ref,
      // A reply about one source is read on by its ref, and has its address twice.
      responseId: typeof artifact_ref === "string" ? null : responseId,
      source_url,
      url: source_url === undefined ? url : null,
      ...others,
      truncation_info: fields.truncated === true ? truncation_info : null,
    }),
    notes: fields.notes ?? [],
  };
}

function leanObject(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([name]) => !programFields.has(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, leanValue(value)]).filter(([, value]) => !isEmpty(value)),
  );
}

function leanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanValue);
  return typeof value === "object" && value !== null ? leanObject({ ...value }) : value;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === false || value === "";
}
