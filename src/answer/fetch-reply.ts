/** Words the answer of a fetch: summary line, warnings, content, fields. */

import { quotesServer } from "../acquire/http/response-notes.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import { type Overview, shareWithOverview } from "../extract/data/long-data.ts";
import type { Extract } from "../extract/extract.ts";
import type { LinkStyle, Mode } from "../extract/handler.ts";
import { formatPageRange, type PlacedPage } from "../extract/select/select-range.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { type FittedText, fitChars } from "../fit/fit-text.ts";
import type { Delivery, KeepResult, Rendering } from "../load/loaded-source.ts";
import { ERROR_CHARS, LISTED_TEXT_CHARS, REASON_CHARS, TITLE_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import {
  describeFailure,
  hasFollowUp,
  isBlankText,
  listDataHints,
  listExtractWarnings,
  listLinkClaims,
  toDocumentFields,
} from "./extract-notices.ts";
import { formatName, formatSize, nameKind } from "./phrases.ts";
import { findTotalChars, toTotalChars } from "./totals.ts";
import { findCut, type NextRead } from "./truncation.ts";

/** The facts of one fetch, before they are worded. */
type FetchFacts = KeepResult & {
  readonly facts: ArtifactFacts;
  readonly delivery: Delivery;
  readonly extract: Extract;
  readonly title: string;
  readonly overview: Overview | null;
  readonly fittedText: FittedText;
  /** The pages that the shown text covers. */
  readonly pages: readonly PlacedPage[];
  readonly budget: Pick<Budget, "chars" | "bound">;
  readonly mode: Mode;
  readonly links: LinkStyle;
  /** Set where the ingest flag kept this document from being read. */
  readonly skipped: SkippedReading | null;
  readonly hasPassword: boolean;
  /** The random word of the fence around the source's words. */
  readonly fenceWord: string;
};

/** The value of the ingest flag, and whether a handler could read the document. */
export type SkippedReading = { readonly flag: "off" | "shadow"; readonly isReadable: boolean };

/** The answer for the facts of a fetch. */
export function answerFetch(fetchFacts: FetchFacts): Answer<FetchFields> {
  const { facts, delivery, extract, title, fittedText, pages, budget } = fetchFacts;
  const { hasText, isPartial } = extract;
  const truncated = fittedText.hasMore || isPartial || facts.source_truncated;
  const totalChars = findTotalChars(facts, extract);
  const total = toTotalChars(facts, extract, { chars: totalChars, soFar: extract.size.chars });
  const error = describeFailure(facts, extract, isBlankText(fittedText, extract));
  const warnings = listWarnings(fetchFacts);
  const content = hasText && !(fittedText.hasMore && fittedText.text === "") ? fittedText.text : null;
  return {
    summary: summaryLine(fetchFacts, truncated),
    failure: error ?? null,
    nextRead: findNextRead(fetchFacts),
    required: warnings.required,
    notices: warnings.notices.filter((warning) => !quotesServer(warning)),
    fenceWord: fetchFacts.fenceWord,
    claims: listClaims(fetchFacts),
    overview: fetchFacts.overview?.text ?? null,
    content,
    cut: findCut(fittedText, total),
    pages: pages.map(({ page, start }) => ({ page, offset: start })),
    fields: {
      // First, so that a handler cannot replace a field of the contract.
      ...toDocumentFields(extract),
      artifact_ref: fetchFacts.artifact_ref,
      artifact_path: fetchFacts.artifact_ref === null ? null : fetchFacts.record.path,
      content_kind: facts.content_kind,
      media_type: facts.media_type,
      content_type: facts.media_type,
      size_bytes: facts.size_bytes,
      source_url: facts.source_url,
      url: facts.source_url,
      title,
      status_code: delivery.statusCode,
      extracted_chars: totalChars,
      extraction_truncated: isPartial,
      source_truncated: facts.source_truncated,
      page_range: content === null ? null : formatPageRange(pages, content.length),
      page_count: extract.info.pageCount ?? null,
      truncated,
      handler: extract.handler,
      decided_by: facts.decided_by,
      method: extract.info.method ?? extract.handler,
      cached: delivery.cachedAt !== null,
      limit_chars: budget.chars,
      bound: fittedText.hasMore ? fittedText.bound : budget.bound,
      next_offset: fittedText.hasMore ? fittedText.nextOffset : null,
      has_more: fittedText.hasMore,
      ...(fetchFacts.overview === null ? {} : { overview: fetchFacts.overview.text }),
      warnings: [...warnings.required, ...warnings.notices],
      ...(error === undefined ? {} : { error }),
      content,
    },
    shorten: (chars, bound) => answerFetch(shortenFetch(fetchFacts, chars, bound)),
  };
}

/** Where reading continues: after what is shown, or after what was extracted, if more can be. */
function findNextRead({
  artifact_ref: ref,
  fittedText,
  extract,
  mode,
  links,
  hasPassword,
}: FetchFacts): NextRead | null {
  if (ref === null || !(fittedText.hasMore || (extract.hasText && extract.canContinue))) return null;
  const offset = fittedText.hasMore ? fittedText.nextOffset : extract.size.chars;
  return { ref, offset, rest: null, mode, links, hasPassword };
}

/** Where the server sent us, and the title, unless the summary or the first lines show it. */
function listClaims({ title, facts, delivery, fittedText, extract }: FetchFacts): string[] {
  const start = fittedText.text.slice(0, 2 * TITLE_CHARS);
  const isObvious = facts.source_url.endsWith(title) || title === facts.name || start.includes(title);
  const titleClaim = isObvious ? [] : [`Title: ${JSON.stringify(clip(title, LISTED_TEXT_CHARS))}`];
  return [...delivery.notes.filter(quotesServer), ...titleClaim, ...listLinkClaims(extract)];
}

function shortenFetch(fetchFacts: FetchFacts, chars: number, bound: Bound): FetchFacts {
  // Only called for less than what is shown, so any larger total says that more follows.
  const window = { text: fetchFacts.fittedText.text, offset: 0, totalChars: Number.POSITIVE_INFINITY };
  if (chars >= window.text.length + (fetchFacts.overview?.text.length ?? 0)) return fetchFacts;
  const { overview, textChars } = shareWithOverview(fetchFacts.overview, chars);
  const fittedText = fitChars(window, Math.min(textChars, window.text.length), bound);
  return { ...fetchFacts, overview, fittedText, budget: { chars, bound } };
}

function summaryLine(fetchFacts: FetchFacts, truncated: boolean): string {
  const { facts, extract } = fetchFacts;
  const kindName = nameKind(facts.content_kind, facts.media_type);
  const name = `${nameSource(facts)}, ${formatSize(facts.size_bytes)}`;
  const { extent } = extract;
  const extracted = findTotalChars(facts, extract) ?? `at least ${extract.size.chars}`;
  return `[Fetched ${kindName} artifact: ${name}${extent === "" ? "" : `, ${extent}`}. Extracted ${extracted} chars (truncated=${truncated}). ${nameNextStep(fetchFacts)}]`;
}

function nameNextStep({ artifact_ref: ref, extract, skipped }: FetchFacts): string {
  if (ref === null) return "Not kept.";
  return skipped?.isReadable || hasFollowUp(extract)
    ? `Use artifact_ref=${ref} for targeted follow-up.`
    : `Kept as artifact_ref=${ref}; it has no text to read.`;
}

/** The name of a `data:` URL is ours. */
function nameSource({ name, source_url }: ArtifactFacts): string {
  return source_url.startsWith("data:") ? name : formatName(name);
}

/** What a reader needs to understand the content, and how it came here. */
type Warnings = Pick<Answer<FetchFields>, "required" | "notices">;

/** That there is no ref to return to is the most important warning, so it is first. */
function listWarnings(fetchFacts: FetchFacts): Warnings {
  const { facts, delivery, extract, mode, skipped } = fetchFacts;
  const extractWarnings = listExtractWarnings(facts, extract, {
    mode,
    isReadable: skipped?.isReadable ?? false,
    ref: fetchFacts.artifact_ref,
    isBlank: isBlankText(fetchFacts.fittedText, extract),
  });
  return {
    required: [
      ...(fetchFacts.artifact_ref === null ? [clip(fetchFacts.notKept, ERROR_CHARS)] : []),
      ...(skipped === null ? [] : [skippedWarning(skipped)]),
      ...extractWarnings,
    ],
    notices: [...listDataHints(fetchFacts.overview, fetchFacts.artifact_ref), ...deliveryWarnings(delivery)],
  };
}

/** Reading by the ref ignores the flag: it is an explicit request. */
function skippedWarning({ flag, isReadable }: SkippedReading): string {
  const next = isReadable ? " Read its artifact_ref to get its text; an encrypted one needs its password." : "";
  return `runner.enable_filetype_ingest_router is ${flag}: a fetch keeps and describes a document, but does not read it.${next}`;
}

function deliveryWarnings({ notes, rendering, cachedAt }: Delivery): string[] {
  return [
    ...notes,
    ...(rendering === null ? [] : [renderingNote(rendering)]),
    ...(cachedAt === null
      ? []
      : [`Served from the cache, last checked at ${new Date(cachedAt).toISOString()}. ${FETCH_AGAIN}`]),
  ];
}

const FETCH_AGAIN = "fetch_content with noCache fetches it again; on the command line use --no-cache.";

function renderingNote(rendering: Rendering): string {
  if ("problem" in rendering) return `Its scripts could not be run: ${clip(rendering.problem, REASON_CHARS)}`;
  const { parentRef } = rendering;
  const source = parentRef === null ? "" : ` The page as it was sent is artifact_ref=${parentRef}.`;
  return `The page's scripts were run in a browser to get its text.${source}`;
}
