/** The fields of replies as JSON schema, one row each; they hold for every reply, errors too. */
import type { DocumentFields } from "../answer/extract.ts";
import type { FetchFields } from "../answer/fetch.ts";
import type { PassageFields, ReadFields } from "../answer/read.ts";
import type { JsonSchema } from "./fields.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

/** A schema in which nothing but the notes is required: a reply that had to be made small, or failed, leaves fields out. */
export function outputSchema(properties: Properties): JsonSchema {
  return { type: "object", properties: { ...properties, ...common }, required: ["notes"] };
}

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer" };
const flag: JsonSchema = { type: "boolean" };
const texts: JsonSchema = { type: "array", items: text };
/** A list of types would be shorter, and some clients know only one type at a time. */
const orNull = (row: JsonSchema): JsonSchema => ({ anyOf: [row, { type: "null" }] });
const object = (properties: Properties): JsonSchema => ({ type: "object", properties });
/** Names say what most fields are; those that lead on say how, because some clients show the schema to the model. */
const described = (row: JsonSchema, description: string): JsonSchema => ({ ...row, description });

const common = { notes: texts, error: text, code: text, hint: text } satisfies Properties;

const ref = described(orNull(text), "For read_artifact; null when the source could not be kept.");
const responseId = described(orNull(text), "For get_search_content.");

/** What a document says of itself, where it does. */
const documentProperties: Readonly<Record<keyof DocumentFields, JsonSchema>> = {
  title: text,
  author: text,
  date: text,
  site: text,
  canonical_url: text,
  language: text,
  kept_share: { type: "number" },
  needs_js: flag,
};

const shared = {
  ...documentProperties,
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
  bound: described(text, "What set limit_chars."),
  next_offset: described(orNull(count), "Where read_artifact reads on."),
  has_more: flag,
  warnings: texts,
  content: orNull(text),
} satisfies Properties;

const passage: Readonly<Record<keyof PassageFields, JsonSchema>> = {
  offset: count,
  end_offset: count,
  start_line: count,
  end_line: count,
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
  extracted_chars: count,
  decided_by: text,
  cached: flag,
} satisfies Readonly<Record<Exclude<keyof FetchFields, "error">, JsonSchema>> & Properties;

/** What a fetch of one source answers, raw or as text. */
export const pageOutput = outputSchema(fetchedProperties);

const { url, title, artifact_ref, next_offset, has_more, content } = fetchedProperties;

/** What a fetch of one or of several sources answers; several have the same fields each. */
export const fetchOutput = outputSchema({
  ...fetchedProperties,
  responseId,
  results: {
    type: "array",
    items: {
      ...object({ url, title, artifact_ref, next_offset, has_more, content, error: text }),
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
  total_chars: count,
  total_lines: count,
} satisfies Readonly<Record<Exclude<keyof ReadFields, "error">, JsonSchema>> & Properties;

/** What a read of one artifact answers. */
export const readOutput = outputSchema(readProperties);

/** What get_search_content answers: a read, or the list of what is stored. */
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
