/** Words the answer of a fetch: summary line, warnings, content, fields. */

import type { ArtifactFacts } from "../artifacts/record.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import type { Extract } from "../extract/extract.ts";
import { formatPageRange, type PlacedPage } from "../extract/select/select-range.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { type FittedText, fitChars, makeTruncationSuffix } from "../fit/fit-text.ts";
import type { Delivery, KeepResult, Rendering } from "../load/loaded-source.ts";
import { ADVICE_CHARS, REASON_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import { describeFailure, hasFollowUp, listExtractWarnings, toDocumentFields } from "./extract-notices.ts";
import { formatSize, nameKind } from "./phrases.ts";

/** The facts of one fetch, before they are worded. */
type FetchFacts = KeepResult & {
  readonly facts: ArtifactFacts;
  readonly delivery: Delivery;
  readonly extract: Extract;
  readonly title: string;
  readonly fittedText: FittedText;
  /** The pages that the shown text covers. */
  readonly pages: readonly PlacedPage[];
  readonly budget: Pick<Budget, "chars" | "bound">;
};

/** The answer for the facts of a fetch. */
export function answerFetch(fetchFacts: FetchFacts): Answer<FetchFields> {
  const { facts, delivery, extract, title, fittedText, pages, budget } = fetchFacts;
  const { hasText, isPartial } = extract;
  const truncated = fittedText.hasMore || isPartial || facts.source_truncated;
  const error = describeFailure(facts, extract);
  const warnings = listWarnings(fetchFacts);
  const content = hasText && !(fittedText.hasMore && fittedText.text === "") ? fittedText.text : null;
  return {
    summary: summaryLine(fetchFacts, truncated),
    notices: [...(error === undefined ? [] : [error]), ...warnings],
    content,
    suffix: fittedText.hasMore ? makeTruncationSuffix(fittedText.limitChars, extract.size.chars) : "",
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
      extracted_chars: extract.size.chars,
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
      warnings,
      ...(error === undefined ? {} : { error }),
      content,
    },
    shorten: (chars, bound) => answerFetch(shortenFetch(fetchFacts, chars, bound)),
  };
}

function shortenFetch(fetchFacts: FetchFacts, chars: number, bound: Bound): FetchFacts {
  const window = { text: fetchFacts.fittedText.text, offset: 0, totalChars: fetchFacts.extract.size.chars };
  if (chars >= window.text.length) return fetchFacts;
  return { ...fetchFacts, fittedText: fitChars(window, chars, bound), budget: { chars, bound } };
}

function summaryLine({ facts, artifact_ref, extract }: FetchFacts, truncated: boolean): string {
  const kindName = nameKind(facts.content_kind, facts.media_type);
  const name = `${clip(facts.name.replace(/[[\]]/g, " "))}, ${formatSize(facts.size_bytes)}`;
  const { extent } = extract;
  return `[Fetched ${kindName} artifact: ${name}${extent === "" ? "" : `, ${extent}`}. Extracted ${extract.size.chars} chars (truncated=${truncated}). ${nameNextStep(artifact_ref, extract)}]`;
}

function nameNextStep(ref: string | null, extract: Extract): string {
  if (ref === null) return "Not kept.";
  return hasFollowUp(extract)
    ? `Use artifact_ref=${ref} for targeted follow-up.`
    : `Kept as artifact_ref=${ref}; it has no text to read.`;
}

/** That there is no ref to return to is the most important warning, so it is first. */
function listWarnings(fetchFacts: FetchFacts): string[] {
  const { facts, delivery, extract } = fetchFacts;
  const warnings = [...listExtractWarnings(facts, extract, fetchFacts.artifact_ref), ...deliveryWarnings(delivery)];
  return fetchFacts.artifact_ref === null ? [clip(fetchFacts.notKept, ADVICE_CHARS), ...warnings] : warnings;
}

function deliveryWarnings({ notes, rendering, cachedAt }: Delivery): string[] {
  return [
    ...notes,
    ...(rendering === null ? [] : [renderingNote(rendering)]),
    ...(cachedAt === null
      ? []
      : [`Served from the cache, last checked at ${new Date(cachedAt).toISOString()}; noCache fetches it again.`]),
  ];
}

function renderingNote(rendering: Rendering): string {
  if ("problem" in rendering) return `Its scripts could not be run: ${clip(rendering.problem, REASON_CHARS)}`;
  const { parentRef } = rendering;
  const source = parentRef === null ? "" : ` The page as it was sent is artifact_ref=${parentRef}.`;
  return `The page's scripts were run in a browser to get its text.${source}`;
}
