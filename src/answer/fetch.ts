/** What a fetch answers: the summary line, warnings, the content, and the fields of the contract. */
import type { ArtifactFacts } from "../artifacts/record.ts";
import type { Extract } from "../extract/extract.ts";
import type { Budget } from "../fit/budget.ts";
import { type FittedText, truncationSuffix } from "../fit/text.ts";
import type { Answer } from "./answer.ts";
import { extractWarnings, failureSentence } from "./extract.ts";
import { clipped, kindWords, sizeWords } from "./words.ts";

/** The structured side of a fetch, by the names the contract fixes. */
export type FetchFields = {
  readonly artifact_ref: string | null;
  readonly artifact_path: string | null;
  readonly content_kind: string;
  readonly media_type: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly source_url: string;
  readonly url: string;
  readonly status_code: number | null;
  readonly extracted_chars: number;
  readonly extraction_truncated: boolean;
  readonly source_truncated: boolean;
  readonly page_range: string | null;
  readonly page_count: number | null;
  readonly truncated: boolean;
  readonly handler: string;
  readonly decided_by: string;
  readonly method: string;
  readonly cached: boolean;
  readonly limit_chars: number;
  readonly bound: string;
  readonly next_offset: number | null;
  readonly has_more: boolean;
  readonly warnings: readonly string[];
  readonly error?: string;
  readonly content: string | null;
};

/** What is known of a fetched artifact; ref and path are null when the store would not take it. */
export type AnsweredFacts = ArtifactFacts & { readonly artifact_ref: string | null; readonly path: string | null };

/** The facts of one fetch, before they are put into words. */
export type Fetched = {
  readonly facts: AnsweredFacts;
  readonly extract: Extract;
  readonly shown: FittedText;
  readonly budget: Budget;
  /** Why the artifact could not be kept. */
  readonly notKept?: string;
};

export function answerFetch(fetched: Fetched): Answer<FetchFields> {
  const { facts, extract, shown, budget } = fetched;
  const hasText = extract.extent.segments > 0;
  const extractionTruncated = extract.ended === null;
  const truncated = shown.hasMore || extractionTruncated || facts.source_truncated;
  const error = extract.ended?.failed ? failureSentence(facts, extract.ended.failed) : undefined;
  const warnings = warningsOf(fetched);
  const content = hasText ? shown.text : null;
  return {
    summary: summaryLine(fetched, truncated),
    notices: [...(error === undefined ? [] : [error]), ...warnings],
    content,
    suffix: shown.hasMore ? truncationSuffix(shown.limitChars, extract.extent.chars) : "",
    fields: {
      artifact_ref: facts.artifact_ref,
      artifact_path: facts.path,
      content_kind: facts.content_kind,
      media_type: facts.media_type,
      content_type: facts.media_type,
      size_bytes: facts.size_bytes,
      source_url: facts.source_url,
      url: facts.source_url,
      status_code: null,
      extracted_chars: extract.extent.chars,
      extraction_truncated: extractionTruncated,
      source_truncated: facts.source_truncated,
      page_range: null,
      page_count: null,
      truncated,
      handler: extract.handler,
      decided_by: facts.decided_by,
      method: extract.handler,
      cached: false,
      limit_chars: budget.chars,
      bound: shown.hasMore ? shown.bound : budget.bound,
      next_offset: shown.hasMore ? shown.nextOffset : null,
      has_more: shown.hasMore,
      warnings,
      ...(error === undefined ? {} : { error }),
      content,
    },
  };
}

function summaryLine({ facts, extract, notKept }: Fetched, truncated: boolean): string {
  const what = kindWords(facts.content_kind, facts.media_type);
  const name = `${clipped(facts.name)}, ${sizeWords(facts.size_bytes)}`;
  const next = notKept === undefined ? `Use artifact_ref=${facts.artifact_ref} for targeted follow-up.` : "Not kept.";
  return `[Fetched ${what} artifact: ${name}. Extracted ${extract.extent.chars} chars (truncated=${truncated}). ${next}]`;
}

/** The first warning tells what matters most: that there is no ref to come back to. */
function warningsOf({ facts, extract, notKept }: Fetched): string[] {
  const warnings = extractWarnings(facts, extract);
  return notKept === undefined ? warnings : [clipped(notKept, 200), ...warnings];
}
