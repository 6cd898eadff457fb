/** Words the answer of a read: which range of how much, content, fields. */

import type { ArtifactRecord } from "../artifacts/record.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import type { Extract } from "../extract/extract.ts";
import type { NextPlace, PassageReading, RangeReading, Reading } from "../extract/select/readings.ts";
import type { Selector } from "../extract/select/selector.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { makeTruncationSuffix } from "../fit/fit-text.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import type { Place } from "../retrieval/split-passages.ts";
import { PASSAGE_HEADING_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import { describeFailure, listExtractWarnings, toDocumentFields } from "./extract-notices.ts";
import { formatCount, formatNumber, namePages } from "./phrases.ts";
import { findTotalChars, formatTotal, toTotalChars } from "./totals.ts";

/** The facts of one read, before they are worded. */
type ReadFacts = {
  readonly record: ArtifactRecord;
  readonly extract: Extract;
  readonly selector: Selector;
  readonly reading: Reading;
  /** Lines of the whole text; null where they are not known. */
  readonly totalLines: number | null;
  readonly linesSoFar: number;
  readonly budget: Pick<Budget, "chars" | "bound">;
};

/** The answer for the facts of a read. */
export function answerRead(facts: ReadFacts): Answer<ReadFields> {
  const { record, extract, selector, reading, budget } = facts;
  const place = findPlaceFields(reading, extract);
  const error = describeFailure(record, extract);
  const warnings = listExtractWarnings(record, extract);
  const content = extract.hasText ? shownContent(reading) : null;
  const hasMore =
    reading.type === "range" ? reading.fittedText.hasMore : reading.passages.length < reading.matchedCount;
  return {
    summary: summaryLine(facts),
    notices: [...(error === undefined ? [] : [error]), ...warnings],
    content,
    suffix: truncationNotice(facts),
    pages: reading.type === "range" ? reading.pageStarts : [],
    fields: {
      // First, so that a handler cannot replace a field of the contract.
      ...toDocumentFields(extract),
      artifact_ref: record.artifact_ref,
      artifact_path: record.path,
      content_kind: record.content_kind,
      media_type: record.media_type,
      size_bytes: record.size_bytes,
      source_url: record.source_url,
      handler: extract.handler,
      method: extract.info.method ?? extract.handler,
      selector: selector.type,
      offset: place?.offset ?? null,
      start_line: place?.line ?? null,
      end_line: place?.endLine ?? null,
      total_chars: findTotalChars(record, extract),
      total_lines: record.source_truncated ? null : facts.totalLines,
      page_range: reading.type === "range" ? reading.pages : null,
      page_count: extract.info.pageCount ?? null,
      ...nextFields(reading),
      has_more: hasMore,
      extraction_truncated: extract.isPartial,
      source_truncated: record.source_truncated,
      truncated: hasMore || extract.isPartial || record.source_truncated,
      limit_chars: budget.chars,
      bound: reading.type === "range" && reading.fittedText.hasMore ? reading.fittedText.bound : budget.bound,
      ...(reading.type === "passages" ? passageFields(reading) : {}),
      warnings,
      ...(error === undefined ? {} : { error }),
      content,
    },
    shorten: (chars, bound) => answerRead(shortenReading(facts, chars, bound)),
  };
}

function shortenReading(facts: ReadFacts, chars: number, bound: Bound): ReadFacts {
  const { length } = shownContent(facts.reading) ?? "";
  return chars >= length ? facts : { ...facts, reading: facts.reading.shorten(chars, bound), budget: { chars, bound } };
}

function shownContent(reading: Reading): string | null {
  if (reading.type === "passages") return reading.passages.length === 0 ? null : reading.text;
  return reading.fittedText.hasMore && reading.fittedText.text === "" ? null : reading.fittedText.text;
}

/** Where the shown text is in the whole one; null where that is not known. */
function findPlaceFields(reading: Reading, { onlyPages }: Extract) {
  if (reading.type === "passages" || onlyPages !== null) return null;
  return { ...reading.start, endLine: reading.endLine };
}

function nextFields(reading: Reading): Pick<ReadFields, "next_offset" | "next_pages"> {
  const next = reading.type === "range" ? reading.next : null;
  if (next === null) return { next_offset: null };
  return "offset" in next ? { next_offset: next.offset } : { next_offset: null, next_pages: next.pages };
}

function truncationNotice({ record, extract, reading }: ReadFacts): string {
  if (reading.type === "passages" || !reading.fittedText.hasMore) return "";
  const { chars, soFar } = reading.selection;
  const isToEnd = chars === null || reading.selection.isWholeText;
  const known = record.source_truncated && isToEnd ? null : chars;
  return makeTruncationSuffix(reading.fittedText.limitChars, toTotalChars(record, extract, { chars: known, soFar }));
}

function summaryLine(facts: ReadFacts): string {
  const { record, extract, reading } = facts;
  const ref = record.artifact_ref;
  if (!extract.hasText) return `[Read ${ref}: there is no text to read.]`;
  if (reading.type === "passages") return passageSummary(ref, reading, extract);
  return extract.onlyPages === null ? rangeSummary(facts, reading) : pagesSummary(ref, reading, extract);
}

function ofPages({ pageCount }: Extract["info"]): string {
  return pageCount === undefined ? "" : ` of ${formatNumber(pageCount)}`;
}

/** For pages that were extracted alone: their place in the whole text is not known. */
function pagesSummary(ref: string, { pages, fittedText, next }: RangeReading, { info }: Extract): string {
  const read = `${namePages(pages ?? "")}${ofPages(info)}`;
  if (fittedText.text === "" && !fittedText.hasMore) return `[Read ${ref}: no text on ${read}.]`;
  return `[Read ${ref}: ${read}.${formatNext(next)}]`;
}

function rangeSummary(facts: ReadFacts, reading: RangeReading): string {
  const { record, extract, totalLines, linesSoFar } = facts;
  const ref = record.artifact_ref;
  const { start, endLine, next, fittedText, pages } = reading;
  const label = pages === null ? reading.label : `${namePages(pages)}${ofPages(extract.info)}`;
  const total = formatTotal(findTotalChars(record, extract), extract.size.chars);
  const startPlace = `character ${formatNumber(start.offset)} of ${total}`;
  if (fittedText.text === "" && !fittedText.hasMore) return `[Read ${ref}: no text after ${startPlace}.]`;
  const ofLines = formatTotal(record.source_truncated ? null : totalLines, linesSoFar);
  const lines = `lines ${formatNumber(start.line)}-${formatNumber(endLine)} of ${ofLines}`;
  const name = label === "" ? "" : `${clip(label)}, `;
  return `[Read ${ref}: ${name}${lines}, from ${startPlace}.${formatNext(next)}]`;
}

function formatNext(next: NextPlace | null): string {
  if (next === null) return "";
  return ` Read on with ${"offset" in next ? `offset=${next.offset}` : `pages=${next.pages}`}.`;
}

/** A question about a text that is not extracted to its end is answered from a part of it, and says so. */
function passageSummary(ref: string, { passages, matchedCount }: PassageReading, extract: Extract): string {
  const where = extract.isPartial ? `${ref}, as far as it was read,` : ref;
  if (matchedCount === 0)
    return `[No passage of ${where} contains a word of the query. Try other words, or read by lines.]`;
  const all = formatCount(matchedCount, "passage");
  return `[Selected the best ${formatNumber(passages.length)} of ${all} of ${where} that match the query.]`;
}

function passageFields({ passages, matchedCount }: PassageReading): Pick<ReadFields, "passages" | "matched_count"> {
  return {
    passages: passages.map(({ start, end, startLine, endLine, heading, score }) => ({
      offset: start,
      end_offset: end,
      start_line: startLine,
      end_line: endLine,
      heading,
      score: Number(score.toFixed(4)),
    })),
    matched_count: matchedCount,
  };
}

/** The line above a passage that says where it is. */
export function formatPassageHeader({ start, startLine, endLine, heading }: Place): string {
  const underHeading =
    heading === null ? "" : `, under ${JSON.stringify(cutBetweenCodePoints(heading, PASSAGE_HEADING_CHARS))}`;
  return `[lines ${startLine}-${endLine}, offset ${start}${underHeading}]`;
}
