/** What every answer says about an extract: why it has no text, and where it ends before the document. */

import type { ArtifactFacts } from "../artifacts/record.ts";
import type { DocumentFields } from "../contract/document-fields.ts";
import type { RemovedCounts } from "../extract/clean.ts";
import type { Extract } from "../extract/extract.ts";
import { type Failure, isRetryableFailure } from "../extract/handler.ts";
import { DETAIL_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { formatCount, formatNumber, formatSize, nameKind } from "./phrases.ts";

/** Sentences about what the reader does not see. */
export function listExtractWarnings(record: ArtifactFacts, extract: Extract): string[] {
  const { size, ended, info, isPartial, description } = extract;
  const warnings: string[] = [];
  if (record.source_truncated) {
    warnings.push(`Only the first ${formatSize(record.size_bytes)} of the source were kept.`);
  }
  if (isPartial) warnings.push(partialWarning(extract));
  // For an encrypted document the failure's sentence says everything.
  if (ended?.failed && ended.failed.detail !== "" && ended.failed.reason !== "encrypted")
    warnings.push(`${sentenceCase(clip(ended.failed.detail, DETAIL_CHARS))}.`);
  warnings.push(...(description.warnings ?? []));
  if (info.removed) warnings.push(...removedWarnings(info.removed));
  if (ended && !ended.failed && size.segments === 0) {
    warnings.push("No text is read from this kind of file; its complete bytes are kept.");
  }
  return warnings;
}

export function toDocumentFields({ info, description }: Extract): DocumentFields {
  const { title, author, date, site, canonicalUrl, language } = info;
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
    ...(site !== undefined && { site }),
    ...(canonicalUrl !== undefined && { canonical_url: canonicalUrl }),
    ...(language !== undefined && { language }),
    ...description.fields,
  };
}

/** Says which characters were removed because they could mislead a reader or a terminal. */
function removedWarnings({ escapes, bidi, tags, controls }: RemovedCounts): string[] {
  const counts = [
    { count: escapes, thing: "terminal escape" },
    { count: bidi, thing: "direction override" },
    { count: tags, thing: "invisible tag character" },
    { count: controls, thing: "control character" },
  ];
  const removals = counts.filter(({ count }) => count > 0).map(({ count, thing }) => formatCount(count, thing));
  return removals.length === 0 ? [] : [`Removed from the text: ${removals.join(", ")}.`];
}

function partialWarning({ size: { chars, pages }, info: { pageCount }, ended, pageName }: Extract): string {
  const soFar =
    pageCount === undefined || pages === 0
      ? formatCount(chars, "character")
      : `${pageName}s 1-${formatNumber(pages)} of ${formatNumber(pageCount)}`;
  if (ended === null) return `So far, text was extracted from ${soFar}; reading past that extracts more.`;
  const next =
    ended.failed && isRetryableFailure(ended.failed) ? "reading past that tries again" : "the rest cannot be read";
  return `Text was extracted from ${soFar}; ${next}.`;
}

const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The sentence for a document whose text cannot be read, although the call succeeded. */
export function makeFailureSentence(
  { content_kind, media_type }: Pick<ArtifactFacts, "content_kind" | "media_type">,
  { reason, detail }: Failure,
): string {
  const reasonText = reason === "encrypted" && detail !== "" ? detail : failureReasons[reason];
  return `Failed to extract text from ${nameKind(content_kind, media_type)}: ${reasonText}`;
}

const failureReasons: Record<Failure["reason"], string> = {
  corrupt: "corrupt",
  encrypted: "password required",
  no_text: "no readable text found",
  too_slow: "too slow",
  too_large: "too large",
  unavailable: "the engine for this kind is not installed",
  interrupted: "interrupted",
};
