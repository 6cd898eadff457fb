/** What a fetch answers: the summary line, warnings, the content, and the fields of the contract. */
import type { ArtifactFacts, ArtifactRecord } from "../artifacts/record.ts";
import type { ContentKind, DecidedBy } from "../detect/kind.ts";
import type { Extract } from "../extract/extract.ts";
import { type PagePlace, pageRange } from "../extract/select.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { type FittedText, fitChars, truncationSuffix } from "../fit/fit-text.ts";
import { clipped } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import { type DocumentFields, documentFields, extractWarnings, failureSentence } from "./extract-notices.ts";
import { kindWords, sizeWords } from "./phrases.ts";

/** The structured side of a fetch, by the names the contract fixes. */
export type FetchFields = DocumentFields & {
  readonly artifact_ref: string | null;
  readonly artifact_path: string | null;
  readonly content_kind: ContentKind;
  readonly media_type: string;
  readonly content_type: string;
  readonly size_bytes: number;
  readonly source_url: string;
  readonly url: string;
  /** The page's own title, else its first heading, else where it came from. */
  readonly title: string;
  readonly status_code: number | null;
  readonly extracted_chars: number;
  readonly extraction_truncated: boolean;
  readonly source_truncated: boolean;
  readonly page_range: string | null;
  readonly page_count: number | null;
  readonly truncated: boolean;
  readonly handler: string;
  readonly decided_by: DecidedBy;
  readonly method: string;
  readonly cached: boolean;
  readonly limit_chars: number;
  readonly bound: Bound;
  readonly next_offset: number | null;
  readonly has_more: boolean;
  readonly warnings: readonly string[];
  readonly error?: string;
  readonly content: string | null;
};

/** The record of an artifact that was kept, or why it could not be. */
export type Kept = { readonly record: ArtifactRecord } | { readonly notKept: string };

/** How the bytes came: from a server with its status, or from what was fetched before. */
export type Delivery = {
  readonly statusCode: number | null;
  /** Sentences for the reader about the way it came. */
  readonly notes: readonly string[];
  /** When the server was last asked, for what was fetched before; null for what is new. */
  readonly cachedAt: number | null;
};

/** The facts of one fetch, before they are put into words. */
export type Fetched = {
  readonly facts: ArtifactFacts;
  readonly kept: Kept;
  readonly delivery: Delivery;
  readonly extract: Extract;
  readonly title: string;
  readonly shown: FittedText;
  /** The pages the shown text lies on. */
  readonly pages: readonly PagePlace[];
  readonly budget: Pick<Budget, "chars" | "bound">;
};

/** Puts a fetch into words and fields. */
export function answerFetch(fetched: Fetched): Answer<FetchFields> {
  const { facts, kept, delivery, extract, title, shown, pages, budget } = fetched;
  const { hasText, isPartial } = extract;
  const truncated = shown.hasMore || isPartial || facts.source_truncated;
  const error = extract.ended?.failed ? failureSentence(facts, extract.ended.failed) : undefined;
  const warnings = warningsOf(fetched);
  const content = hasText && !(shown.hasMore && shown.text === "") ? shown.text : null;
  return {
    summary: summaryLine(fetched, truncated),
    notices: [...(error === undefined ? [] : [error]), ...warnings],
    content,
    suffix: shown.hasMore ? truncationSuffix(shown.limitChars, extract.extent.chars) : "",
    pages: pages.map(({ page, start }) => ({ page, at: start })),
    fields: {
      artifact_ref: "record" in kept ? kept.record.artifact_ref : null,
      artifact_path: "record" in kept ? kept.record.path : null,
      content_kind: facts.content_kind,
      media_type: facts.media_type,
      content_type: facts.media_type,
      size_bytes: facts.size_bytes,
      source_url: facts.source_url,
      url: facts.source_url,
      ...documentFields(extract.info),
      title,
      status_code: delivery.statusCode,
      extracted_chars: extract.extent.chars,
      extraction_truncated: isPartial,
      source_truncated: facts.source_truncated,
      page_range: content === null ? null : pageRange(pages, content.length),
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
    shorter: (chars, bound) => answerFetch(shortened(fetched, chars, bound)),
  };
}

function shortened(fetched: Fetched, chars: number, bound: Bound): Fetched {
  const window = { text: fetched.shown.text, offset: 0, totalChars: fetched.extract.extent.chars };
  if (chars >= window.text.length) return fetched;
  return { ...fetched, shown: fitChars(window, chars, bound), budget: { chars, bound } };
}

function summaryLine({ facts, kept, extract }: Fetched, truncated: boolean): string {
  const what = kindWords(facts.content_kind, facts.media_type);
  const name = `${clipped(facts.name.replace(/[[\]]/g, " "))}, ${sizeWords(facts.size_bytes)}`;
  const next = "record" in kept ? `Use artifact_ref=${kept.record.artifact_ref} for targeted follow-up.` : "Not kept.";
  const { pageCount } = extract.info;
  const pages = pageCount === undefined ? "" : `, pages ${pageCount}`;
  return `[Fetched ${what} artifact: ${name}${pages}. Extracted ${extract.extent.chars} chars (truncated=${truncated}). ${next}]`;
}

/** The first warning tells what matters most: that there is no ref to come back to. */
function warningsOf({ facts, kept, delivery, extract }: Fetched): string[] {
  const warnings = [...extractWarnings(facts, extract), ...delivery.notes, ...cachedWords(delivery)];
  return "record" in kept ? warnings : [clipped(kept.notKept, 200), ...warnings];
}

function cachedWords({ cachedAt }: Delivery): string[] {
  return cachedAt === null
    ? []
    : [`Fetched before, checked at ${new Date(cachedAt).toISOString()}; noCache fetches anew.`];
}

/** For a page whose text comes from a browser. */
export function renderedNote(parentRef: string | null): string {
  const source = parentRef === null ? "" : ` The page as it was sent is artifact_ref=${parentRef}.`;
  return `The page's scripts were run in a browser to get its text.${source}`;
}

/** For a page that should have been rendered. */
export function unrenderedNote(why: string): string {
  return `Its scripts could not be run: ${clipped(why, 240)}`;
}

/** For a body that ended too early: what is here is only its beginning. */
export function brokenOff(why: string): string {
  return `The body is not complete: ${why}. Fetch it again for the rest.`;
}
