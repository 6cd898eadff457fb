/** The fields of a reply for a model that reads them in place of the text: what it can act on, and nothing twice. */

import { isRecord } from "../system/json-values.ts";

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
  // The header of each passage says where it is.
  "passages",
  "total_count",
]);

/** The same fields without those that are empty, false or for programs. `notes` is required by every output schema. */
export function toLeanFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { url, source_url, responseId, artifact_ref, truncation_info, repository_id, ...others } = fields;
  return {
    ...leanObject({
      artifact_ref,
      // A reply about one source is read on by its ref, and has its address twice.
      responseId: typeof artifact_ref === "string" ? null : responseId,
      source_url,
      url: source_url === undefined ? url : null,
      ...others,
      truncation_info: fields.truncated === true ? truncation_info : null,
      // A search names folders; a job of indexing is found by this id.
      repository_id: Array.isArray(fields.results) ? null : repository_id,
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
  if (!isRecord(value)) return value;
  return leanObject(isCodeResult(value) ? joinSpans(value) : value);
}

type Span = { readonly start_line: number; readonly end_line: number; readonly content: string };
type CodeFields = Span & {
  readonly repository_id?: string;
  readonly context_before: string;
  readonly context_after: string;
  readonly spans?: readonly Span[];
};

function isCodeResult(value: object): value is CodeFields {
  return "context_before" in value && "context_after" in value && "content" in value;
}

/** All lines of a file as one text, each span below its place: names of fields around single lines cost more than the lines. */
function joinSpans({ context_before, context_after, spans = [], ...result }: CodeFields): Record<string, unknown> {
  const { content, start_line, end_line, repository_id: _, ...others } = result;
  const countLines = (text: string): number => (text === "" ? 0 : text.split("\n").length);
  const first = {
    start_line: start_line - countLines(context_before),
    end_line: end_line + countLines(context_after),
    content: [context_before, content, context_after].filter((text) => text !== "").join("\n"),
  };
  return { ...others, content: [first, ...spans].map(writeSpan).join("\n") };
}

const writeSpan = ({ start_line, end_line, content }: Span): string =>
  `${start_line === end_line ? start_line : `${start_line}-${end_line}`}: ${content}`;

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === false || value === "";
}
