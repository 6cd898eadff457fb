/** Words the answer of a read: which range of how much, content, fields. */

import type { ArtifactRecord } from "../artifacts/record.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { type Overview, shareWithOverview } from "../extract/data/long-data.ts";
import type { Extract } from "../extract/extract.ts";
import type { LinkStyle, Mode } from "../extract/handler.ts";
import type { PassageReading, RangeReading, Reading } from "../extract/select/readings.ts";
import type { Selector } from "../extract/select/selector.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import type { Place } from "../retrieval/split-passages.ts";
import { PASSAGE_HEADING_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Answer } from "./answer.ts";
import {
  describeFailure,
  isBlankText,
  listDataHints,
  listExtractWarnings,
  listLinkClaims,
  toDocumentFields,
} from "./extract-notices.ts";
import { formatCount, formatNumber, namePages } from "./phrases.ts";
import { findTotalChars, formatTotal, toTotalChars } from "./totals.ts";
import { findCut, type NextRead, type TotalChars } from "./truncation.ts";

/** The facts of one read, before they are worded. */
type ReadFacts = {
  readonly record: ArtifactRecord;
  readonly extract: Extract;
  readonly selector: Selector;
  readonly reading: Reading;
  readonly overview: Overview | null;
  /** Lines of the whole text; null where they are not known. */
  readonly totalLines: number | null;
  readonly linesSoFar: number;
  readonly budget: Pick<Budget, "chars" | "bound">;
  readonly mode: Mode;
  readonly links: LinkStyle;
  readonly hasPassword: boolean;
  /** The random word of the fence around the source's words. */
  readonly fenceWord: string;
};

/** The answer for the facts of a read. */
export function answerRead(facts: ReadFacts): Answer<ReadFields> {
  const { record, extract, selector, reading, budget } = facts;
  const place = findPlaceFields(reading, extract);
  const isBlank = reading.type === "range" && isBlankText(reading.fittedText, extract);
  const error = describeFailure(record, extract, isBlank);
  const ref = record.artifact_ref;
  const warnings = listExtractWarnings(record, extract, { ...facts, ref, isBlank });
  const dataHints = listDataHints(facts.overview, ref);
  const content = extract.hasText ? shownContent(reading) : null;
  const hasMore =
    reading.type === "range" ? reading.fittedText.hasMore : reading.passages.length < reading.matched.count;
  const nextRead = findNextRead(facts);
  return {
    summary: summaryLine(facts),
    failure: error ?? null,
    nextRead,
    required: warnings,
    notices: dataHints,
    fenceWord: facts.fenceWord,
    claims: listLinkClaims(extract),
    overview: facts.overview?.text ?? null,
    content,
    cut: reading.type === "range" ? findCut(reading.fittedText, findSelectionTotal(facts, reading)) : null,
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
      next_offset: nextRead?.offset ?? null,
      ...(nextRead?.rest?.selector === "pages" && { next_pages: nextRead.rest.range }),
      ...(nextRead?.rest?.selector === "lines" && { next_lines: nextRead.rest.range }),
      has_more: hasMore,
      extraction_truncated: extract.isPartial,
      source_truncated: record.source_truncated,
      truncated: hasMore || extract.isPartial || record.source_truncated,
      limit_chars: budget.chars,
      bound: reading.type === "range" && reading.fittedText.hasMore ? reading.fittedText.bound : budget.bound,
      ...(reading.type === "passages" ? passageFields(reading) : {}),
      ...(facts.overview === null ? {} : { overview: facts.overview.text }),
      warnings: [...warnings, ...dataHints],
      ...(error === undefined ? {} : { error }),
      content,
    },
    shorten: (chars, bound) => answerRead(shortenReading(facts, chars, bound)),
  };
}

function shortenReading(facts: ReadFacts, chars: number, bound: Bound): ReadFacts {
  const { length } = shownContent(facts.reading) ?? "";
  if (chars >= length + (facts.overview?.text.length ?? 0)) return facts;
  const { overview, textChars } = shareWithOverview(facts.overview, chars);
  const reading = textChars >= length ? facts.reading : facts.reading.shorten(textChars, bound);
  return { ...facts, overview, reading, budget: { chars, bound } };
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

/** After what is shown; at the next best passage; or, where reading failed for now, after what was extracted. */
function findNextRead({ record, extract, selector, reading, mode, links, hasPassword }: ReadFacts): NextRead | null {
  const { canContinue, hasText, size } = extract;
  const isAtEnd = selector.type === "offset" && hasText && canContinue;
  const next = reading.next ?? (isAtEnd ? { offset: size.chars, rest: null } : null);
  return next === null ? null : { ref: record.artifact_ref, ...next, mode, links, hasPassword };
}

/** The length of the whole text for a text from an offset on, else of what was chosen. */
function findSelectionTotal({ record, extract }: ReadFacts, { selection }: RangeReading): TotalChars {
  const { chars, soFar, isWholeText } = selection;
  const isUnknown = record.source_truncated && isWholeText;
  return toTotalChars(record, extract, { chars: isUnknown ? null : chars, soFar });
}

function summaryLine(facts: ReadFacts): string {
  const { record, extract, reading } = facts;
  const ref = record.artifact_ref;
  if (!extract.hasText) return `[Read ${ref}: there is no text to read.]`;
  if (reading.type === "passages") return passageSummary(ref, reading, extract);
  return extract.onlyPages === null ? rangeSummary(facts, reading) : pagesSummary(ref, reading, extract);
}

/** Where a range is: `page 3 of 40`, `slides 3-7 of 12`, `sheet "Budget", rows 5001-9000`, or a heading. */
function namePlace({ label, pages, pageLabel }: RangeReading, { info, pageName }: Extract): string {
  if (pages === null) return quoteLabel(label);
  const isNumbered = pageLabel === null || pageLabel === `${pageName} ${pages}`;
  if (!isNumbered) return clip(pageLabel);
  const total = info.pageCount === undefined ? "" : ` of ${formatNumber(info.pageCount)}`;
  return `${namePages(pages, pageName)}${total}`;
}

/** For pages that were extracted alone: their place in the whole text is not known. */
function pagesSummary(ref: string, reading: RangeReading, extract: Extract): string {
  const place = namePlace(reading, extract);
  return reading.fittedText.text === "" && !reading.fittedText.hasMore
    ? `[Read ${ref}: no text on ${place}.]`
    : `[Read ${ref}: ${place}.]`;
}

function rangeSummary(facts: ReadFacts, reading: RangeReading): string {
  const { record, extract, totalLines, linesSoFar } = facts;
  const ref = record.artifact_ref;
  const { start, endLine, fittedText } = reading;
  // Rows have numbers of their own; every other name is text of the document.
  const label = facts.selector.type === "rows" ? reading.label : namePlace(reading, extract);
  const total = formatTotal(findTotalChars(record, extract), extract.size.chars);
  const startPlace = `character ${formatNumber(start.offset)} of ${total}`;
  if (fittedText.text === "" && !fittedText.hasMore) return `[Read ${ref}: no text after ${startPlace}.]`;
  const ofLines = formatTotal(record.source_truncated ? null : totalLines, linesSoFar);
  const lines = `lines ${formatNumber(start.line)}-${formatNumber(endLine)} of ${ofLines}`;
  const name = label === "" ? "" : `${label}, `;
  return `[Read ${ref}: ${name}${lines}, from ${startPlace}.]`;
}

/** A heading is text of the document. */
const quoteLabel = (label: string): string => (label === "" ? "" : JSON.stringify(clip(label)));

/** A question about a text that is not extracted to its end is answered from a part of it, and says so. */
function passageSummary(ref: string, { passages, matched }: PassageReading, extract: Extract): string {
  const where = extract.isPartial ? `${ref}, as far as it was read,` : ref;
  if (matched.count === 0)
    return `[No passage of ${where} contains a word of the query. Try other words, or read by lines.]`;
  const all = `${matched.isEstimated ? "about " : ""}${formatCount(matched.count, "passage")}`;
  return `[Selected the best ${formatNumber(passages.length)} of ${all} of ${where} that match the query.]`;
}

function passageFields({ passages, matched }: PassageReading): Pick<ReadFields, "passages" | "matched_count"> {
  return {
    passages: passages.map(({ start, end, startLine, endLine, label, heading, score }) => ({
      offset: start,
      end_offset: end,
      start_line: startLine,
      end_line: endLine,
      page: label,
      heading,
      score: Number(score.toFixed(4)),
    })),
    matched_count: matched.count,
  };
}

/** The line above a passage that says where it is. */
export function formatPassageHeader({ start, startLine, endLine, label, heading }: Place): string {
  const underHeading =
    heading === null ? "" : `, under ${JSON.stringify(cutBetweenCodePoints(heading, PASSAGE_HEADING_CHARS))}`;
  const page = label === null ? "" : `${clip(label)}, `;
  return `[${page}lines ${startLine}-${endLine}, offset ${start}${underHeading}]`;
}
