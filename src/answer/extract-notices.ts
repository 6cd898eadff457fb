/** What every answer says of an extract: why it has no text, and where it stops short. */

import type { ArtifactFacts } from "../artifacts/record.ts";
import type { DocumentFields } from "../contract/document-fields.ts";
import type { Removed } from "../extract/clean.ts";
import type { Extract } from "../extract/extract.ts";
import { type Failure, type Info, mayPass } from "../extract/handler.ts";
import type { PageTally } from "../extract/tally.ts";
import { clipped } from "../system/safe-names.ts";
import { counted, grouped, kindWords, sizeWords } from "./phrases.ts";

/** Plain sentences on what the reader does not see. */
export function extractWarnings(record: ArtifactFacts, extract: Extract): string[] {
  const { extent, ended, info, isPartial } = extract;
  const warnings: string[] = [];
  if (record.source_truncated) {
    warnings.push(`The source is larger than what is kept: these are its first ${sizeWords(record.size_bytes)}.`);
  }
  if (isPartial) warnings.push(stoppedWords(extract));
  // Of an encrypted document the sentence on its failure says all of it.
  if (ended?.failed && ended.failed.detail !== "" && ended.failed.reason !== "encrypted")
    warnings.push(`${sentenceCase(clipped(ended.failed.detail, 120))}.`);
  if (info.tally) warnings.push(...tallyWords(info.tally, ended?.failed ?? null));
  if (info.rescued)
    warnings.push("The file is damaged: a second reader, which does not notice hidden text, had to read it.");
  warnings.push(...pageWords(info));
  if (info.removed) warnings.push(...removedWords(info.removed));
  if (ended && !ended.failed && extent.segments === 0) {
    warnings.push("No text is read from this kind of file; its complete bytes are kept.");
  }
  return warnings;
}

export function documentFields(info: Info): DocumentFields {
  const { title, author, date, site, canonicalUrl, language, keptShare, needsJs } = info;
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
    ...(site !== undefined && { site }),
    ...(canonicalUrl !== undefined && { canonical_url: canonicalUrl }),
    ...(language !== undefined && { language }),
    ...(keptShare !== undefined && { kept_share: Number(keptShare.toFixed(3)) }),
    ...(needsJs !== undefined && { needs_js: needsJs }),
  };
}

/** A page whose main content was not found in the usual way says which way gave its text. */
function pageWords({ method, keptShare = 1, needsJs }: Info): string[] {
  if (needsJs) return ["The page shows its text only after running scripts; this is what it has without them."];
  const words = method === undefined ? "" : methodWords[method];
  if (words !== "") return [words];
  if (keptShare >= smallShare) return [];
  return [`The main content is ${Math.ceil(100 * keptShare)} % of the page's text; mode raw shows the whole source.`];
}

/** What is left of most pages is more than this. */
const smallShare = 0.1;

const methodWords: Record<NonNullable<Info["method"]>, string> = {
  main: "",
  raw: "",
  mild: "The main content could not be told apart for sure, so little was left out of the page.",
  hidden: "The text was taken from parts of the page that are hidden until scripts run.",
  noscript: "The text was taken from what the page shows to browsers without scripts.",
  "json-ld": "The text was taken from the structured data of the page (JSON-LD); its markup has hardly any.",
  payload: "The text was taken from the data that the page hands to its scripts; its markup has hardly any.",
  full: "The main content could not be told apart: this is all the text of the page.",
  linear: "The page was too large to be parsed, or its parser failed: this is all its text, without structure.",
};

/** What could have misled a reader or a terminal is gone from the text, and the reader is told. */
function removedWords({ escapes, bidi, tags, controls }: Removed): string[] {
  const counts = [
    { count: escapes, thing: "terminal escape" },
    { count: bidi, thing: "direction override" },
    { count: tags, thing: "invisible tag character" },
    { count: controls, thing: "control character" },
  ];
  const found = counts.filter(({ count }) => count > 0).map(({ count, thing }) => counted(count, thing));
  return found.length === 0 ? [] : [`Removed from the text: ${found.join(", ")}.`];
}

/** What of the pages is missing, doubtful, or not for the eyes of a person who views the document. */
function tallyWords({ pages, ...tally }: PageTally, failed: Failure | null): string[] {
  const ofPages = (count: number): string => `${grouped(count)} of ${counted(pages, "page")}`;
  return [
    ...(tally.images > 0 && failed?.reason !== "no_text" ? [`${ofPages(tally.images)} are images without text.`] : []),
    ...(tally.garbled > 0 ? [`The text of ${ofPages(tally.garbled)} is guesswork: the fonts do not name it.`] : []),
    ...(tally.damaged > 0 ? [`${ofPages(tally.damaged)} cannot be read.`] : []),
    ...(tally.unreadAnnotations > 0 ? [`${counted(tally.unreadAnnotations, "annotation")} were not read.`] : []),
    // Text without ink is how a document speaks to a machine behind its reader's back.
    ...(tally.hiddenChars > 0
      ? [`${counted(tally.hiddenChars, "character")} of the text cannot be seen by a person who views the document.`]
      : []),
  ];
}

function stoppedWords({ extent: { chars, segments }, info: { pageCount }, ended }: Extract): string {
  const sofar =
    pageCount === undefined ? counted(chars, "character") : `pages 1-${grouped(segments)} of ${grouped(pageCount)}`;
  if (ended === null) return `Text is extracted so far for ${sofar}; reading past that extracts more.`;
  const next = ended.failed && mayPass(ended.failed) ? "reading past that tries again" : "the rest cannot be read";
  return `Text is extracted for ${sofar}; ${next}.`;
}

const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The sentence for a document whose text cannot be read; the call itself succeeded. */
export function failureSentence(
  { content_kind, media_type }: Pick<ArtifactFacts, "content_kind" | "media_type">,
  { reason, detail }: Failure,
): string {
  const why = reason === "encrypted" && detail !== "" ? detail : failureReasons[reason];
  return `Failed to extract text from ${kindWords(content_kind, media_type)}: ${why}`;
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
