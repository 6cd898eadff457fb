/** Words the answer of a fetch: summary line, warnings, content, fields. */

import type { ArtifactFacts } from "../artifacts/record.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import type { Extract } from "../extract/extract.ts";
import { formatPageRange, type PlacedPage } from "../extract/select.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { type FittedText, fitChars, makeTruncationSuffix } from "../fit/fit-text.ts";
import type { Delivery, Kept, Rendering } from "../load/loaded-source.ts";
import { ADVICE_CHARS, REASON_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import { listExtractWarnings, makeFailureSentence, toDocumentFields } from "./extract-notices.ts";
import { formatSize, nameKind } from "./phrases.ts";

/** The facts of one fetch, before they are worded. */
export type FetchFacts = Kept & {
  readonly facts: ArtifactFacts;
  readonly delivery: Delivery;
  readonly extract: Extract;
  readonly title: string;
  readonly shown: FittedText;
  /** The pages that the shown text covers. */
  readonly pages: readonly PlacedPage[];
  readonly budget: Pick<Budget, "chars" | "bound">;
};

/** The answer for the facts of a fetch. */
export function answerFetch(fetched: FetchFacts): Answer<FetchFields> {
  const { facts, delivery, extract, title, shown, pages, budget } = fetched;
  const { hasText, isPartial } = extract;
  const truncated = shown.hasMore || isPartial || facts.source_truncated;
  const error = extract.ended?.failed ? makeFailureSentence(facts, extract.ended.failed) : undefined;
  const warnings = listWarnings(fetched);
  const content = hasText && !(shown.hasMore && shown.text === "") ? shown.text : null;
  return {
    summary: summaryLine(fetched, truncated),
    notices: [...(error === undefined ? [] : [error]), ...warnings],
    content,
    suffix: shown.hasMore ? makeTruncationSuffix(shown.limitChars, extract.size.chars) : "",
    pages: pages.map(({ page, start }) => ({ page, at: start })),
    fields: {
      artifact_ref: fetched.artifact_ref,
      artifact_path: fetched.artifact_ref === null ? null : fetched.record.path,
      content_kind: facts.content_kind,
      media_type: facts.media_type,
      content_type: facts.media_type,
      size_bytes: facts.size_bytes,
      source_url: facts.source_url,
      url: facts.source_url,
      ...toDocumentFields(extract),
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
      bound: shown.hasMore ? shown.bound : budget.bound,
      next_offset: shown.hasMore ? shown.nextOffset : null,
      has_more: shown.hasMore,
      warnings,
      ...(error === undefined ? {} : { error }),
      content,
    },
    shorten: (chars, bound) => answerFetch(shortenFetch(fetched, chars, bound)),
  };
}

function shortenFetch(fetched: FetchFacts, chars: number, bound: Bound): FetchFacts {
  const window = { text: fetched.shown.text, offset: 0, totalChars: fetched.extract.size.chars };
  if (chars >= window.text.length) return fetched;
  return { ...fetched, shown: fitChars(window, chars, bound), budget: { chars, bound } };
}

function summaryLine({ facts, artifact_ref, extract }: FetchFacts, truncated: boolean): string {
  const what = nameKind(facts.content_kind, facts.media_type);
  const name = `${clip(facts.name.replace(/[[\]]/g, " "))}, ${formatSize(facts.size_bytes)}`;
  const nextStep = artifact_ref === null ? "Not kept." : `Use artifact_ref=${artifact_ref} for targeted follow-up.`;
  const { pageCount } = extract.info;
  const pages = pageCount === undefined ? "" : `, pages ${pageCount}`;
  return `[Fetched ${what} artifact: ${name}${pages}. Extracted ${extract.size.chars} chars (truncated=${truncated}). ${nextStep}]`;
}

/** That there is no ref to return to is the most important warning, so it is first. */
function listWarnings(fetched: FetchFacts): string[] {
  const { facts, delivery, extract } = fetched;
  const warnings = [...listExtractWarnings(facts, extract), ...deliveryWarnings(delivery)];
  return fetched.artifact_ref === null ? [clip(fetched.notKept, ADVICE_CHARS), ...warnings] : warnings;
}

function deliveryWarnings({ shortfall, notes, rendering, cachedAt }: Delivery): string[] {
  return [
    ...(shortfall === null ? [] : [`The body is not complete: ${shortfall}. Fetch it again for the rest.`]),
    ...notes,
    ...(rendering === null ? [] : [renderingNote(rendering)]),
    ...(cachedAt === null
      ? []
      : [`Fetched before, checked at ${new Date(cachedAt).toISOString()}; noCache fetches it again.`]),
  ];
}

function renderingNote(rendering: Rendering): string {
  if ("problem" in rendering) return `Its scripts could not be run: ${clip(rendering.problem, REASON_CHARS)}`;
  const { parentRef } = rendering;
  const source = parentRef === null ? "" : ` The page as it was sent is artifact_ref=${parentRef}.`;
  return `The page's scripts were run in a browser to get its text.${source}`;
}
