/**
 * Decides from the evidence. What the bytes prove beats every claim; a header counts where the bytes do not contradict
 * it, then an extension, then how the bytes read. No claim turns bytes that are not text into text.
 */

import { refines } from "./container-claims.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding } from "./formats/format-match.ts";
import { isAlwaysSigned } from "./formats/magic.ts";
import type { DecidedBy, Detection } from "./kind.ts";
import { isTextMediaType, kindOf } from "./media-types.ts";
import type { Markup } from "./text/markup.ts";

type Decision = { readonly mediaType: string; readonly decidedBy: DecidedBy; readonly asText?: boolean };

/** The answer, with every signal that was seen and a note on each that lied. */
export function resolve(evidence: Evidence): Detection {
  const decision = decide(evidence);
  const { text } = evidence;
  return {
    kind: kindOfDecision(decision),
    mediaType: decision.mediaType,
    charset: decision.asText === true && text.isText ? text.charset : null,
    decidedBy: decision.decidedBy,
    signals: {
      mime: evidence.header.mediaType,
      magic: evidence.magic?.mediaType ?? null,
      extension: evidence.extension,
      content: text.isText ? text.charset : `not text: ${text.reason}`,
      notes: [...contradictions(evidence, decision), ...evidence.notes],
    },
  };
}

function decide(evidence: Evidence): Decision {
  if (evidence.magic !== null) return decideByMagic(evidence, evidence.magic);
  return evidence.text.isText ? decideText(evidence) : decideBinary(evidence);
}

/** Text of a type that is in no table is text all the same. */
function kindOfDecision({ mediaType, asText }: Decision): Detection["kind"] {
  const kind = kindOf(mediaType);
  if (asText === true) return kind === "html" || kind === "image" ? kind : "text";
  return kind === "text" || kind === "html" ? "unknown_binary" : kind;
}

/** A signature is certain; only what a shared container holds may be told by a claim. */
function decideByMagic({ header, extension }: Evidence, magic: Finding): Decision {
  const refined = [header.mediaType, extension].find(
    (claim) => claim !== null && magic.generic && refines(claim, magic.mediaType),
  );
  return { mediaType: refined ?? magic.mediaType, decidedBy: "magic" };
}

/** Bytes that are not text: a claim counts if it is of a format that can begin like this. */
function decideBinary({ header, extension }: Evidence): Decision {
  if (canBeBinary(header.mediaType)) return { mediaType: header.mediaType, decidedBy: "mime" };
  if (canBeBinary(extension)) return { mediaType: extension, decidedBy: "extension" };
  return { mediaType: "application/octet-stream", decidedBy: "fallback" };
}

/** A type of no readable kind may always stand: it only names the binary more precisely. */
function canBeBinary(claim: string | null): claim is string {
  if (claim === null || isTextMediaType(claim)) return false;
  return kindOf(claim) === "unknown_binary" || !isAlwaysSigned(claim);
}

function decideText({ header, extension, markup, hasTags }: Evidence): Decision {
  const claimed = textClaim(header.mediaType, markup, hasTags, extension);
  if (claimed !== null) return { mediaType: moreSpecific(claimed, extension), decidedBy: "mime", asText: true };
  const named = namedClaim(extension, markup);
  if (named !== null) return { mediaType: named, decidedBy: "extension", asText: true };
  return { mediaType: markup?.mediaType ?? "text/plain", decidedBy: "content", asText: true };
}

/** What a header may claim about this text, or null where the text is plainly something else. */
function textClaim(
  claim: string | null,
  markup: Markup | null,
  hasTags: boolean,
  extension: string | null,
): string | null {
  if (claim === null || isOtherMarkup(claim, markup)) return null;
  if (!isTextMediaType(claim)) return isPlausibleText(claim) ? claim : null;
  if (kindOf(claim) === "html") return isPage(markup, hasTags) || kindOf(extension ?? "") === "html" ? claim : null;
  if (claim === "text/plain") return claim; // Browsers show markup labelled so as its source; so do we.
  return contradicts(claim, markup) ? null : claim;
}

/** A drawing is one whatever text it is labelled, and a feed is no page. */
function isOtherMarkup(claim: string, markup: Markup | null): boolean {
  if (markup === null || !markup.isXml || kindOf(markup.mediaType) === "html") return false;
  return markup.mediaType === "image/svg+xml"
    ? claim === "text/plain" || kindOf(claim) === "html"
    : markup.certain && kindOf(claim) === "html";
}

/** What a name may claim. `.txt` is no opinion on markup that is certain. */
function namedClaim(claim: string | null, markup: Markup | null): string | null {
  if (claim === null || !isTextMediaType(claim)) return null;
  if (claim === "text/plain") return markup === null || !markup.certain ? claim : null;
  if (kindOf(claim) === "html") return claim;
  return contradicts(claim, markup) && !isSourceCode(claim) ? null : claim;
}

/** Types unknown to us and without a signature: nothing speaks against them being text. */
const isPlausibleText = (claim: string): boolean =>
  kindOf(claim) === "unknown_binary" && /^application\//.test(claim) && !isAlwaysSigned(claim);

const isPage = (markup: Markup | null, hasTags: boolean): boolean =>
  hasTags && markup?.mediaType !== "application/json";

/** A page or a drawing where data was promised, or data without markup where a drawing was. */
function contradicts(claim: string, markup: Markup | null): boolean {
  const kind = markup === null ? "text" : kindOf(markup.mediaType);
  if (claim === "image/svg+xml") return kind !== "image" && markup?.mediaType !== "application/xml";
  if (markup?.isXml === true && kind === "html" && /[/+]xml$/.test(claim)) return false;
  return markup?.certain === true && (kind === "html" || kind === "image");
}

/** Programs and templates hold whole pages; a name that ends like one is to be believed. */
const isSourceCode = (claim: string): boolean =>
  /^text\/(x-|jsx|markdown)|^application\/(x-php|javascript)/.test(claim);

/** A name may say which text a header's `text/plain` is, but not make a page or a drawing of it. */
function moreSpecific(claimed: string, extension: string | null): string {
  if (claimed !== "text/plain" || extension === null) return claimed;
  return kindOf(extension) === "text" ? extension : claimed;
}

function contradictions(evidence: Evidence, decision: Decision): string[] {
  return [typeNote(evidence, decision), charsetNote(evidence, decision)].filter((note) => note !== null);
}

function typeNote({ header, text, magic }: Evidence, decision: Decision): string | null {
  const claim = header.mediaType;
  if (claim === null || kindOf(claim) === kindOfDecision(decision)) return null;
  if (claim === decision.mediaType && decision.asText === true) return null;
  if (text.isText || magic !== null) return `The header said ${claim}, but the bytes are ${decision.mediaType}.`;
  return `The header said ${claim}, but the bytes are not text: ${text.reason}.`;
}

function charsetNote({ header, text }: Evidence, decision: Decision): string | null {
  if (header.charset === null || decision.asText !== true || !text.isText || text.charset === header.charset)
    return null;
  return `The header said charset ${header.charset}, but the bytes are ${text.charset}.`;
}
