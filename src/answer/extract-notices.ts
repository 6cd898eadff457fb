/** What every answer says about an extract: why it has no text, and where it ends before the document. */

import type { ArtifactFacts } from "../artifacts/record.ts";
import type { DocumentFields } from "../contract/document-fields.ts";
import { isPage } from "../detect/kind.ts";
import type { RemovedCounts } from "../extract/clean.ts";
import type { Overview } from "../extract/data/long-data.ts";
import type { Extract } from "../extract/extract.ts";
import { type Failure, isRetryableFailure, type Mode } from "../extract/handler.ts";
import type { FittedText } from "../fit/fit-text.ts";
import { DETAIL_CHARS } from "../system/clip-lengths.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { formatCount, nameKind } from "./phrases.ts";
import { describeCut, hintForCut, reasonForCut } from "./source-cut.ts";
import { formatAtLeast } from "./totals.ts";
import { describeWrongAnnouncement, makeAnnouncedFailure } from "./wrong-announcement.ts";

type WarningOptions = {
  readonly mode: Mode;
  /** Set where a handler could read what this reply did not. */
  readonly isReadable?: boolean;
  /** The ref of the source, where it was kept. */
  readonly ref: string | null;
  /** Set where the whole text has nothing but spaces and line breaks. */
  readonly isBlank?: boolean;
};

/** Sentences about what the reader does not see. */
export function listExtractWarnings(record: ArtifactFacts, extract: Extract, options: WarningOptions): string[] {
  const { size, ended, info, isPartial, description } = extract;
  const { mode, ref, isReadable, isBlank } = options;
  const warnings: string[] = [];
  const wrongAnnouncement = describeWrongAnnouncement(isBlank ? { ...record, isBlank } : record);
  if (wrongAnnouncement !== undefined) warnings.push(wrongAnnouncement);
  if (record.source_truncated) warnings.push(`${describeCut(record)} ${hintForCut(record)}`);
  if (isPartial && size.chars > 0) warnings.push(partialWarning(record, extract));
  else if (record.source_truncated) warnings.push(`Total characters: ${formatAtLeast(record, extract)}.`);
  const notRaw = describeRawText(record, mode);
  if (notRaw !== undefined && extract.hasText) warnings.push(notRaw);
  if (extract.paused !== undefined) warnings.push(extract.paused);
  if (ended?.failed) warnings.push(...failureWarnings(ended.failed));
  if (description.entryName && ref !== null) warnings.push(makeEntryHint(ref, description.entryName));
  warnings.push(...(description.warnings ?? []));
  if (info.removed) warnings.push(...removedWarnings(info.removed));
  warnings.push(...damageWarnings(info));
  if (ended && !ended.failed && size.segments === 0 && !isReadable && !description.explainsMissingText) {
    warnings.push("No text is read from this kind of file; its complete bytes are kept.");
  }
  return warnings;
}

/** Says that a document in mode raw is its text; undefined where raw is the source itself. */
export function describeRawText({ content_kind, media_type }: ArtifactFacts, mode: Mode): string | undefined {
  if (mode !== "raw" || isPage(content_kind) || media_type === "image/svg+xml") return undefined;
  return `Mode raw shows the source of text and web pages. This is the text of the ${nameKind(content_kind, media_type)}, not its bytes.`;
}

/** What the failure's own sentence does not say. */
function failureWarnings({ reason, detail }: Failure): string[] {
  if (reason !== "encrypted") return detail === "" ? [] : [`${sentenceCase(clip(detail, DETAIL_CHARS))}.`];
  return canBeOpened(detail) ? [PASSWORD_HINT] : [];
}

/** Whether a password opens an encrypted document; other encryption is named by its detail. */
const canBeOpened = (detail: string): boolean => detail === "" || /password/.test(detail);

const PASSWORD_HINT =
  "To read it, call read_artifact with its artifact_ref and the parameter password; on the command line use --password.";

function makeEntryHint(ref: string, entryName: "member" | "attachment"): string {
  const article = entryName === "member" ? "a" : "an";
  return `Read ${article} ${entryName} with read_artifact artifact_ref=${ref} entry=<path as listed>; on the command line with --entry. It gets a ref of its own.`;
}

/** How a part of the data in an overview is read. */
export function listDataHints(overview: Overview | null, ref: string | null): string[] {
  if (!overview?.selector || ref === null) return [];
  const [name, form] = dataSelectors[overview.selector];
  return [`Read a part with read_artifact artifact_ref=${ref} ${name}=${form}; on the command line with --${name}.`];
}

/** Forms, not examples: a model sends an example as it is, and the data may have no such row or path. */
const dataSelectors = {
  rows: ["rows", "<first>-<last>"],
  path: ["path", "<path, a number in []>"],
} as const;

/** Whether a later read can show text: there is some, it needs a password, or another attempt may succeed. */
export function hasFollowUp({ hasText, size, ended }: Extract): boolean {
  // An empty file has a text of no characters.
  if (ended === null || (hasText && size.chars > 0)) return true;
  if (ended.failed === null) return false;
  const { reason, detail } = ended.failed;
  if (reason === "encrypted") return canBeOpened(detail);
  return isRetryableFailure(ended.failed) && reason !== "unsupported" && reason !== "failed";
}

export function toDocumentFields({ info, description }: Extract): DocumentFields {
  const { title, author, date, site, canonicalUrl, language } = info;
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
    ...(site !== undefined && { site }),
    ...(canonicalUrl !== undefined && { canonical_url: redactUrl(canonicalUrl) }),
    ...(language !== undefined && { language }),
    ...description.fields,
  };
}

/** What the addresses of links in the text are relative to, if any is. */
export function listLinkClaims({ description, hasText }: Extract): string[] {
  const base = description.fields !== undefined && "link_base" in description.fields && description.fields.link_base;
  return hasText && typeof base === "string" ? [`Links are relative to ${base}`] : [];
}

/** Says which characters were removed because they could mislead a reader or a terminal. */
function removedWarnings({ escapes, bidi, tags, invisible, controls }: RemovedCounts): string[] {
  const counts = [
    { count: escapes, thing: "terminal escape" },
    { count: bidi, thing: "direction override" },
    { count: tags, thing: "invisible tag character" },
    { count: invisible, thing: tags > 0 ? "other invisible character" : "invisible character" },
    { count: controls, thing: "control character" },
  ];
  const removals = counts.filter(({ count }) => count > 0).map(({ count, thing }) => formatCount(count, thing));
  return removals.length === 0 ? [] : [`Removed from the text: ${removals.join(", ")}.`];
}

/** Says how much of the source U+FFFD replaces. */
function damageWarnings({ removed, undecoded = 0 }: Extract["info"]): string[] {
  const counts = [
    { count: removed?.shownControls ?? 0, thing: "control character" },
    { count: undecoded, thing: "undecodable place" },
  ];
  const damage = counts.filter(({ count }) => count > 0).map(({ count, thing }) => formatCount(count, thing));
  return damage.length === 0 ? [] : [`Shown as U+FFFD: ${damage.join(", ")}.`];
}

function partialWarning(record: ArtifactFacts, extract: Extract): string {
  const { size, totalChars, canContinue, ended } = extract;
  if (totalChars !== null)
    return `So far, the first ${formatCount(size.chars, "character")} are stored; reading past that extracts more.`;
  if (extract.onlyPages !== null && !ended?.failed)
    return `Total characters: ${formatAtLeast(record, extract)}. Offsets and lines count the pages before too, which were not read.`;
  const more = ended?.failed ? "Reading past that tries again." : "Reading past that extracts more.";
  const next = canContinue ? more : "The rest cannot be read.";
  return `Total characters: ${formatAtLeast(record, extract)}. ${next}`;
}

const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The sentence for a document whose text cannot be read, although the call succeeded. */
export function describeFailure(
  record: ArtifactFacts,
  { ended, hasText, size }: Extract,
  isBlank = false,
): string | undefined {
  if (ended?.failed) return makeFailureSentence(record, ended.failed);
  return hasText && size.chars > 0 && !isBlank ? undefined : makeAnnouncedFailure({ ...record, isBlank });
}

/** Whether a text that is shown to its end has nothing but spaces and line breaks. */
export function isBlankText({ text, hasMore }: FittedText, { hasText, size }: Extract): boolean {
  return hasText && !hasMore && text.length === size.chars && text.trim() === "";
}

function makeFailureSentence(facts: ArtifactFacts, failure: Failure): string {
  return `Failed to extract text from ${nameKind(facts.content_kind, facts.media_type)}: ${findReason(facts, failure)}`;
}

function findReason(facts: ArtifactFacts, { reason, detail }: Failure): string {
  if (reason === "encrypted" && detail !== "") return detail;
  // What looks corrupt is only incomplete.
  return reason === "corrupt" && facts.source_truncated ? reasonForCut(facts) : failureReasons[reason];
}

const failureReasons: Record<Failure["reason"], string> = {
  corrupt: "corrupt",
  encrypted: "password required",
  no_text: "no readable text found",
  too_slow: "too slow",
  too_large: "too large",
  unavailable: "the engine for this kind is not installed",
  unsupported: "it is in a form that is not read",
  failed: "reading it failed",
  interrupted: "interrupted",
};
