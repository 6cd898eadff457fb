/** The fields of replies as JSON schema, one row each; they hold for every reply, errors too. */
import type { FetchFields } from "../answer/fetch.ts";
import type { PassageFields, ReadFields } from "../answer/read.ts";
import type { JsonSchema } from "./fields.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

/** A schema in which nothing but the notes is required: a reply that had to be made small, or failed, leaves fields out. */
export function outputSchema(properties: Properties): JsonSchema {
  return { type: "object", properties: { ...properties, ...common }, required: ["notes"] };
}

const text = (description: string): JsonSchema => ({ type: "string", description });
const count = (description: string): JsonSchema => ({ type: "integer", description });
const flag = (description: string): JsonSchema => ({ type: "boolean", description });
const orNull = (row: JsonSchema): JsonSchema => ({ ...row, type: [row.type, "null"] });
const listOf = (items: JsonSchema, description: string): JsonSchema => ({ type: "array", items, description });
const object = (properties: Properties): JsonSchema => ({ type: "object", properties });

const common = {
  notes: listOf({ type: "string" }, "What to know about this call: ignored parameters, problems of the settings."),
  error: text("What went wrong, in a sentence."),
  code: text("The kind of error, of a call that failed."),
  hint: text("What to do about it."),
} satisfies Properties;

const ref = orNull(text("Handle of the complete source for read_artifact; null when it could not be kept."));
const responseId = orNull(text("Handle of this list of sources for get_search_content."));
const trust = text("Whose words the content is.");

const shared = {
  artifact_ref: ref,
  artifact_path: orNull(text("The complete bytes as a file on the machine of the server.")),
  content_kind: text("text, html, pdf, office_doc, image, archive or unknown_binary."),
  media_type: text("The media type that was found."),
  size_bytes: count("Bytes of the source."),
  source_url: text("Where it came from."),
  handler: text("What read it."),
  extraction_truncated: flag("More text can be extracted by reading on."),
  source_truncated: flag("The source is larger than what is kept."),
  page_range: orNull(text("The pages that the content lies on.")),
  page_count: orNull(count("Pages, sheets or slides of the document.")),
  truncated: flag("The content is not all there is."),
  limit_chars: count("Characters the content was allowed."),
  bound: text("What set that number: request, default, ceiling, client, turn or smallest."),
  next_offset: orNull(count("Where read_artifact reads on.")),
  has_more: flag("There is more than the content."),
  warnings: listOf({ type: "string" }, "What the reader does not see."),
  content: orNull(text("The source's own words.")),
} satisfies Properties;

const passageProperties: Readonly<Record<keyof PassageFields, JsonSchema>> = {
  offset: count("Where the passage begins."),
  end_offset: count("Where it ends."),
  start_line: count("Its first line."),
  end_line: count("Its last line."),
  heading: orNull(text("The heading it stands under.")),
  score: { type: "number", description: "How well it matches, up to 1." },
};

const selection = {
  selector: text("How the part was chosen: offset, lines, pages, section or query."),
  passages: listOf(object(passageProperties), "With a question: where the passages stand, best first."),
  matched_count: count("How many passages hold a word of the question."),
} satisfies Properties;

const fetchedProperties: Properties = {
  ...shared,
  ...selection,
  content_type: text("The same as media_type."),
  url: text("The same as source_url."),
  title: text("The page's own title, else its first heading, else where it came from."),
  status_code: orNull(count("HTTP status.")),
  extracted_chars: count("Characters of text extracted so far."),
  decided_by: text("The signal that decided the kind."),
  method: text("How the text was got."),
  cached: flag("The answer came from the cache."),
  content_trust: trust,
} satisfies Readonly<Record<Exclude<keyof FetchFields, "error">, JsonSchema>> & Properties;

/** What a fetch of one or of several sources answers. */
export const fetchOutput = outputSchema({
  ...fetchedProperties,
  responseId,
  results: listOf(object({ ...fetchedProperties, ...common }), "With several sources: one reply each, in order."),
});

const readProperties = {
  ...shared,
  ...selection,
  offset: orNull(count("Where the content begins.")),
  start_line: orNull(count("The line it begins in.")),
  end_line: orNull(count("The line it ends in.")),
  total_chars: count("Characters extracted so far."),
  total_lines: count("Lines extracted so far."),
  content_trust: trust,
} satisfies Readonly<Record<Exclude<keyof ReadFields, "error">, JsonSchema>> & Properties;

/** What a read of one artifact answers. */
export const readOutput = outputSchema(readProperties);

/** What get_search_content answers: a read, or the list of what is stored. */
export const storedOutput = outputSchema({
  ...readProperties,
  responseId,
  url: text("The address it was fetched from."),
  title: text("The title of the source."),
  stored: listOf(
    object({
      urlIndex: count("What to give as urlIndex."),
      url: text("Where it came from."),
      title: text("Its title."),
      artifact_ref: ref,
      query: orNull(text("The question it was stored for.")),
      error: orNull(text("Why there is nothing of it.")),
    }),
    "What is stored under this responseId.",
  ),
  stored_count: count("How many there are in all."),
});
