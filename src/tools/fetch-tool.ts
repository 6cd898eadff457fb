/** What the fetch tools share: the address, the selected range, and the form of the reply. */
import { type Answer, formatBody, requiredNotices } from "../answer/answer.ts";
import { type Audience, fixedAudience } from "../answer/truncation.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { SpillwayError } from "../errors.ts";
import type { SelectorInput } from "../extract/select/selector.ts";
import type { Bound, SourceBudget } from "../fit/budget.ts";
import { LISTED_TEXT_CHARS, LISTED_URL_CHARS } from "../system/clip-lengths.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { type FetchOptions, fetchSource } from "../verbs/fetch.ts";
import { readArtifact } from "../verbs/read.ts";
import { clipFields } from "./clip-fields.ts";
import { trimAddress } from "./parameters.ts";
import type { ArtifactLink, RenderedReply, ToolSession } from "./tool.ts";

/** The fields of a fetch, with those of the range that was selected. */
export type SelectedFields = FetchFields &
  Partial<Pick<ReadFields, "selector" | "passages" | "matched_count" | "next_pages">> & {
    /** What the user's own model has written from the passages, and which model it is. */
    readonly answer?: string;
    readonly answer_model?: string;
  };

/** A fetch with the budget that the tool made for its reply. */
type SelectedOptions = Omit<FetchOptions, "maxChars"> & { readonly budget: SourceBudget };

/** Fetches a source and, where a range of it was selected, answers with that range. */
export async function fetchSelected(
  given: string,
  options: SelectedOptions,
  part: SelectorInput,
  session: ToolSession,
): Promise<Answer<SelectedFields>> {
  const fetchAnswer = await fetchAddress(given, options, session);
  const { artifact_ref: ref, content } = fetchAnswer.fields;
  // Without text nothing can be selected; the answer says why.
  if (content === null || Object.values(part).every((value) => value === undefined)) return fetchAnswer;
  if (ref === null) return addNotice(fetchAnswer, "Nothing was selected, because the source could not be kept.");
  const { mode = "markdown", links, budget } = options;
  const readAnswer = await readArtifact(ref, { ...part, mode, links, budget: budget.read }, session);
  if (readAnswer.fields.matched_count === 0) {
    const soFar = readAnswer.fields.extraction_truncated ? " of what was read so far" : "";
    return addNotice(fetchAnswer, `No passage${soFar} contains a word of the question; this is the beginning.`);
  }
  return isWholeShorter(fetchAnswer, readAnswer) ? fetchAnswer : mergeAnswers(fetchAnswer, readAnswer);
}

/** A short text is shown as a whole where its passages, with the lines that say where they are, would be longer. */
function isWholeShorter({ fields, content }: Answer<FetchFields>, readAnswer: Answer<ReadFields>): boolean {
  const hasPassages = readAnswer.fields.passages !== undefined;
  return hasPassages && !fields.truncated && content !== null && content.length <= (readAnswer.content?.length ?? 0);
}

/** The same answer with a sentence that its reader must not miss. */
export function addNotice(answer: Answer<SelectedFields>, notice: string): Answer<SelectedFields> {
  return {
    ...answer,
    required: [notice, ...answer.required],
    fields: { ...answer.fields, warnings: [notice, ...answer.fields.warnings] },
    shorten: (chars, bound) => addNotice(answer.shorten(chars, bound), notice),
  };
}

/** The facts of the fetch with the content of the read; the read's summary says what was selected. */
function mergeAnswers(fetchAnswer: Answer<FetchFields>, readAnswer: Answer<ReadFields>): Answer<SelectedFields> {
  const { selector, passages, matched_count, next_offset, has_more, truncated, limit_chars, bound } = readAnswer.fields;
  const { page_range, next_pages, overview, warnings, content } = readAnswer.fields;
  const { overview: _, ...fetchFields } = fetchAnswer.fields;
  return {
    summary: fetchAnswer.summary,
    failure: readAnswer.failure,
    nextRead: readAnswer.nextRead,
    // The summary of the fetch names the ref.
    required: [readAnswer.summary.replace(readAnswer.fields.artifact_ref, "it"), ...readAnswer.required],
    notices: readAnswer.notices,
    fenceWord: fetchAnswer.fenceWord,
    claims: fetchAnswer.claims,
    overview: readAnswer.overview,
    content: readAnswer.content,
    cut: readAnswer.cut,
    pages: readAnswer.pages,
    fields: {
      ...fetchFields,
      ...{ selector, next_offset, has_more, truncated, limit_chars, bound, page_range, warnings },
      ...(next_pages === undefined ? {} : { next_pages }),
      ...(overview === undefined ? {} : { overview }),
      ...(passages === undefined ? {} : { passages }),
      ...(matched_count === undefined ? {} : { matched_count }),
      content,
    },
    shorten: (chars, bound) => mergeAnswers(fetchAnswer, readAnswer.shorten(chars, bound)),
  };
}

async function fetchAddress(given: string, options: FetchOptions, session: ToolSession) {
  const address = requireAddress(given);
  try {
    return await fetchSource(address, options, session);
  } catch (error) {
    // Whatever is not a URL counts as a path; where no such file exists, a URL was probably meant.
    const isMissing = error instanceof SpillwayError && error.code === "source_not_found";
    if (isMissing && findScheme(address) === undefined) throw invalidUrl(address, error);
    throw error;
  }
}

function requireAddress(given: string): string {
  const address = trimAddress(given);
  const scheme = findScheme(address);
  if (scheme === undefined ? address !== "-" : knownSchemes.includes(scheme) && URL.canParse(address)) return address;
  throw invalidUrl(address);
}

/** A single letter before the colon is a Windows drive. */
const findScheme = (address: string): string | undefined => /^([a-z][a-z0-9+.-]+):/i.exec(address)?.[1]?.toLowerCase();

const knownSchemes = ["http", "https", "data", "file"];

function invalidUrl(address: string, cause?: unknown): SpillwayError {
  const name = JSON.stringify(clip(redactUrl(address), LISTED_URL_CHARS));
  const hint = /^(af|rs)_/.test(address)
    ? `${name} is a handle: send it to read_artifact.`
    : `${name} is neither a web address nor a file here. Give a full address such as https://example.org/page.`;
  return new SpillwayError("url_invalid", "Invalid URL", { hint, cause });
}

/** One fetched source as a reply. */
export function renderFetched(
  answer: Answer<SelectedFields>,
  options: {
    readonly chars: number;
    readonly bound: Bound;
    readonly responseId?: string | null;
    readonly audience?: Audience;
  },
): RenderedReply {
  const { responseId, audience = fixedAudience } = options;
  const shortened = answer.shorten(options.chars, options.bound);
  const { summary, notices, fields } = shortened;
  return {
    summary,
    required: requiredNotices(shortened, audience),
    notices,
    ...formatBody(shortened, audience),
    structured: { ...(responseId === undefined ? {} : { responseId }), ...clipFields(fields) },
    links: makeLinks(fields),
  };
}

/** The artifact as a link that a client can open. */
export function makeLinks(fields: SelectedFields): ArtifactLink[] {
  const { artifact_ref, title, media_type: mediaType, size_bytes: sizeBytes } = fields;
  return artifact_ref === null ? [] : [{ artifact_ref, name: clip(title, LISTED_TEXT_CHARS), mediaType, sizeBytes }];
}
