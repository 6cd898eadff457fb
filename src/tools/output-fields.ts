/** The JSON schemas of replies, one row per field; they hold for every reply, errors included. */
import type { DocumentFields } from "../contract/document-fields.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import type { PassageFields, ReadFields } from "../contract/read-fields.ts";
import type { CodeResult, SearchReply } from "../contract/search-fields.ts";
import { handlers } from "../extract/handlers.ts";
import type { ReturnedResult, TruncationInfo } from "../fit/draft-reply.ts";
import type { JsonSchema } from "./parameters.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

/** A schema in which only the notes are required: small replies and errors leave fields out. */
export function outputSchema(properties: Properties): JsonSchema {
  return { type: "object", properties: { ...properties, ...common }, required: ["notes"] };
}

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer" };
const flag: JsonSchema = { type: "boolean" };
const texts: JsonSchema = { type: "array", items: text };
/** A list of types would be shorter, but some clients accept only one type per schema. */
const orNull = (row: JsonSchema): JsonSchema => ({ anyOf: [row, { type: "null" }] });
const object = (properties: Properties): JsonSchema => ({ type: "object", properties });
/** Most names explain themselves; handles say what they are for, because some clients show the schema to the model. */
const describe = (row: JsonSchema, description: string): JsonSchema => ({ ...row, description });

const common = { notes: texts, error: text, code: text, hint: text } satisfies Properties;

const ref = describe(orNull(text), "For read_artifact.");
const responseId = describe(orNull(text), "For read_artifact.");

/** What a document reports about itself. */
const documentProperties: Readonly<Record<keyof DocumentFields, JsonSchema>> = {
  title: text,
  author: text,
  date: text,
  site: text,
  canonical_url: text,
  language: text,
};

/** The fields that single formats add, as their handlers declare them. */
const formatProperties: object = Object.fromEntries(
  handlers.flatMap(({ fields = {} }) => Object.entries(fields).map(([name, type]) => [name, { type }])),
);

const shared = {
  ...documentProperties,
  ...formatProperties,
  method: text,
  artifact_ref: ref,
  artifact_path: orNull(text),
  content_kind: text,
  media_type: text,
  size_bytes: count,
  source_url: text,
  handler: text,
  extraction_truncated: flag,
  source_truncated: flag,
  page_range: orNull(text),
  page_count: orNull(count),
  truncated: flag,
  limit_chars: count,
  bound: text,
  next_offset: describe(orNull(count), "To read on."),
  next_pages: text,
  next_lines: text,
  has_more: flag,
  overview: text,
  warnings: texts,
  content: orNull(text),
} satisfies Properties;

const passage: Readonly<Record<keyof PassageFields, JsonSchema>> = {
  offset: count,
  end_offset: count,
  start_line: count,
  end_line: count,
  page: orNull(text),
  heading: orNull(text),
  score: { type: "number" },
};

const selection = {
  selector: text,
  passages: { type: "array", items: object(passage) },
  matched_count: count,
  content_trust: text,
} satisfies Properties;

const fetchedProperties = {
  ...shared,
  ...selection,
  content_type: text,
  url: text,
  status_code: orNull(count),
  extracted_chars: orNull(count),
  decided_by: text,
  cached: flag,
} satisfies Readonly<Record<Exclude<keyof FetchFields, "error">, JsonSchema>> & Properties;

/** The reply to a fetch of one source, raw or as text. */
export const pageOutput = outputSchema(fetchedProperties);

const { url, title, artifact_ref, has_more, content } = fetchedProperties;

/** The reply to a fetch of one or several sources; several have the same fields each. */
export const fetchOutput = outputSchema({
  ...fetchedProperties,
  answer: text,
  answer_model: text,
  responseId,
  results: {
    type: "array",
    items: {
      ...object({ url, title, artifact_ref, next_offset: orNull(count), has_more, content, error: text }),
      additionalProperties: true,
    },
  },
});

const readProperties = {
  ...shared,
  ...selection,
  offset: orNull(count),
  start_line: orNull(count),
  end_line: orNull(count),
  total_chars: orNull(count),
  total_lines: orNull(count),
} satisfies Readonly<Record<Exclude<keyof ReadFields, "error">, JsonSchema>> & Properties;

/** One page that a web search found. */
const webResult = object({
  urlIndex: count,
  query: text,
  title: text,
  url: text,
  summary: text,
  artifact_ref,
  published_at: text,
});

/** The reply to a web search. */
export const webSearchOutput = outputSchema({
  responseId,
  total_count: count,
  returned_count: count,
  results: { type: "array", items: webResult },
  warnings: texts,
});

/** The reply to a read: a part of one artifact, or the list of what is stored under a responseId. */
export const storedOutput = outputSchema({
  ...readProperties,
  responseId,
  url: text,
  title: text,
  stored: {
    type: "array",
    items: object({
      urlIndex: count,
      url: text,
      title: text,
      artifact_ref: orNull(text),
      query: orNull(text),
      error: orNull(text),
    }),
  },
  stored_count: count,
});

const number: JsonSchema = { type: "number" };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

const span = { start_line: count, end_line: count, content: text };

const codeResult: Readonly<Record<Exclude<keyof ReturnedResult<CodeResult>, "explain">, JsonSchema>> = {
  chunk_id: text,
  repository: text,
  repository_id: text,
  file_path: text,
  encoded_path: describe(text, "The path percent-encoded, where file_path has hidden characters."),
  ...span,
  similarity_score: number,
  context_before: text,
  context_after: text,
  spans: list(object(span)),
  stale: flag,
  definitions_only: flag,
  artifact_ref: ref,
  cut: texts,
};

const truncationInfo: Readonly<Record<keyof TruncationInfo, JsonSchema>> = {
  reason: orNull(text),
  original_count: count,
  returned_count: count,
  estimated_chars: count,
  actual_chars: count,
  limit_chars: count,
  estimated_tokens: count,
  limit_tokens: count,
};

/** Facts that few replies have: their fields are in docs/search.md, because every client pays for what is listed. */
const someFacts: JsonSchema = { type: "object" };

const searchProperties: Readonly<Record<Exclude<keyof SearchReply, "question">, JsonSchema>> = {
  results: list(object(codeResult)),
  total_count: count,
  returned_count: count,
  truncated: flag,
  truncation_info: object(truncationInfo),
  project_id: text,
  database_name: text,
  repository_id: orNull(text),
  latency_ms: number,
  next_cursor: describe(orNull(text), "For cursor."),
  indexed_at: orNull(text),
  stale_files: texts,
  indexing: someFacts,
  repositories: object({ searched: count, skipped: count, problem: text }),
  filtered_files: count,
  literal: someFacts,
  skipped_files: someFacts,
  ranked_limit: count,
  project_problem: text,
  storage_problem: text,
  embedding: someFacts,
};

/** The reply of search_code. */
export const searchOutput = outputSchema(searchProperties);

const jobProperties: Readonly<Record<keyof JobRecord, JsonSchema>> = {
  job_id: text,
  project_id: text,
  repository_id: text,
  repository_path: text,
  status: text,
  files_total: count,
  files_done: count,
  files_indexed: count,
  files_removed: count,
  files_skipped: count,
  skipped: list(object({ path: text, reason: text })),
  progress: number,
  message: text,
  project_problem: text,
  storage_problem: orNull(text),
  error: orNull(text),
  started_at: text,
  finished_at: orNull(text),
};

/** The reply of the indexing tools. The `error` of a job is null while nothing is wrong. */
export const jobOutput: JsonSchema = {
  type: "object",
  properties: { ...common, ...jobProperties },
  required: ["notes"],
};
