/**
 * Decides the kind from the evidence. A signature beats every claim; a header counts where the bytes do not contradict
 * it, then an extension, then how the bytes read. No claim turns bytes that are not text into text.
 */

import { isRefinement } from "./container-claims.ts";
import type { Evidence } from "./evidence.ts";
import type { FormatMatch } from "./formats/format-match.ts";
import { isAlwaysSigned } from "./formats/magic.ts";
import type { AnnouncedKind, ContentKind, DecidedBy, Detection } from "./kind.ts";
import { findContentKind, isTextMediaType } from "./media-types.ts";
import type { Markup } from "./text/markup.ts";

type Decision = { readonly mediaType: string; readonly decidedBy: DecidedBy; readonly isText?: boolean };

/** The detection, with all signals and a note for each claim that was wrong. */
export function resolveKind(evidence: Evidence): Detection {
  const decision = decide(evidence);
  const { text } = evidence;
  const kind = kindOfDecision(decision);
  const announced = findWrongAnnouncement(evidence, kind);
  return {
    kind,
    mediaType: decision.mediaType,
    charset: decision.isText === true && text.isText ? text.charset : null,
    decidedBy: decision.decidedBy,
    signals: {
      mime: evidence.header.mediaType,
      magic: evidence.magic?.mediaType ?? null,
      extension: evidence.extension,
      content: text.isText ? text.charset : `not text: ${text.reason}`,
      notes: [...findContradictions(evidence, decision), ...evidence.notes],
      ...(announced && { announced }),
    },
  };
}

function decide(evidence: Evidence): Decision {
  if (evidence.magic !== null) return decideByMagic(evidence, evidence.magic);
  return evidence.text.isText ? decideText(evidence) : decideBinary(evidence);
}

/** Text with a media type that is in no table is still text. */
function kindOfDecision({ mediaType, isText: asText }: Decision): Detection["kind"] {
  const kind = findContentKind(mediaType);
  if (asText === true) return kind === "html" || kind === "image" ? kind : "text";
  return kind === "text" || kind === "html" ? "unknown_binary" : kind;
}

/** A signature is certain; a claim may only say which format a shared container is. */
function decideByMagic({ header, extension }: Evidence, magic: FormatMatch): Decision {
  const refined = [header.mediaType, extension].find(
    (claim) => claim !== null && magic.isGeneric && isRefinement(claim, magic.mediaType),
  );
  return { mediaType: refined ?? magic.mediaType, decidedBy: "magic" };
}

/** For bytes that are not text, a claim counts if its format may begin without a signature. */
function decideBinary({ header, extension }: Evidence): Decision {
  if (canBeBinary(header.mediaType)) return { mediaType: header.mediaType, decidedBy: "mime" };
  if (canBeBinary(extension)) return { mediaType: extension, decidedBy: "extension" };
  return { mediaType: "application/octet-stream", decidedBy: "fallback" };
}

/** A claim of an unknown binary always counts: it only names the binary more precisely. */
function canBeBinary(claim: string | null): claim is string {
  if (claim === null || isTextMediaType(claim)) return false;
  return findContentKind(claim) === "unknown_binary" || !isAlwaysSigned(claim);
}

function decideText({ header, extension, markup, hasTags }: Evidence): Decision {
  const headerType = acceptTextClaim(header.mediaType, markup, hasTags, extension);
  if (headerType !== null) {
    const mediaType = refineByMarkup(refineByExtension(headerType, extension), markup);
    return { mediaType, decidedBy: "mime", isText: true };
  }
  const nameType = acceptNameClaim(extension, markup);
  if (nameType !== null) return { mediaType: refineByMarkup(nameType, markup), decidedBy: "extension", isText: true };
  return { mediaType: markup?.mediaType ?? "text/plain", decidedBy: "content", isText: true };
}

/** The header's claim about this text, or null where the text is clearly something else. */
function acceptTextClaim(
  claim: string | null,
  markup: Markup | null,
  hasTags: boolean,
  extension: string | null,
): string | null {
  if (claim === null || isOtherMarkup(claim, markup)) return null;
  if (!isTextMediaType(claim)) return isPlausibleText(claim) ? claim : null;
  if (findContentKind(claim) === "html")
    return isPage(markup, hasTags) || findContentKind(extension ?? "") === "html" ? claim : null;
  if (claim === "text/plain") return claim; // Like browsers, we show markup with this label as source.
  return contradicts(claim, markup) ? null : claim;
}

/** An SVG is an image whatever text label it has, and a feed is not a page. */
function isOtherMarkup(claim: string, markup: Markup | null): boolean {
  if (markup === null || !markup.isXml || findContentKind(markup.mediaType) === "html") return false;
  return markup.mediaType === "image/svg+xml"
    ? claim === "text/plain" || findContentKind(claim) === "html"
    : markup.isCertain && findContentKind(claim) === "html";
}

/** The claim of a name. `.txt` does not count for markup that is certain. */
function acceptNameClaim(claim: string | null, markup: Markup | null): string | null {
  if (claim === null || !isTextMediaType(claim)) return null;
  if (claim === "text/plain") return markup === null || !markup.isCertain ? claim : null;
  if (findContentKind(claim) === "html") return claim;
  return contradicts(claim, markup) && !isSourceCode(claim) ? null : claim;
}

/** Unknown types without a signature may well be text. */
const isPlausibleText = (claim: string): boolean =>
  findContentKind(claim) === "unknown_binary" && /^application\//.test(claim) && !isAlwaysSigned(claim);

const isPage = (markup: Markup | null, hasTags: boolean): boolean =>
  hasTags && markup?.mediaType !== "application/json";

/** A page or an image where data was claimed, or text without markup where an SVG was claimed. */
function contradicts(claim: string, markup: Markup | null): boolean {
  const kind = markup === null ? "text" : findContentKind(markup.mediaType);
  if (claim === "image/svg+xml") return kind !== "image" && markup?.mediaType !== "application/xml";
  if (markup?.isXml === true && kind === "html" && /[/+]xml$/.test(claim)) return false;
  return markup?.isCertain === true && (kind === "html" || kind === "image");
}

/** Programs and templates may contain whole pages, so the extension of one is believed. */
const isSourceCode = (claim: string): boolean =>
  /^text\/(x-|jsx|markdown)|^application\/(x-php|javascript)/.test(claim);

/** A name may refine a header's `text/plain`, but not turn it into a page or an image. */
function refineByExtension(headerType: string, extension: string | null): string {
  if (headerType !== "text/plain" || extension === null) return headerType;
  return findContentKind(extension) === "text" ? extension : headerType;
}

/** The announced kind, if a reader who expected it must know that the content is another. */
function findWrongAnnouncement({ header, extension }: Evidence, found: ContentKind): AnnouncedKind | undefined {
  const mediaType = header.mediaType ?? extension;
  if (mediaType === null) return undefined;
  const kind = findContentKind(mediaType);
  const by = header.mediaType === null ? "name" : "header";
  const isPageForData = found === "html" && isData(mediaType);
  return isPageForData || isDisappointing(kind, found) ? { kind, mediaType, by } : undefined;
}

/** Text that turns out to be a document is read as such, and a ZIP file that is a document only says it less precisely. */
function isDisappointing(announced: ContentKind, found: ContentKind): boolean {
  if (announced === "text" || announced === "html" || announced === found) return false;
  if (announced === "unknown_binary") return found === "html";
  return !(announced === "archive" && found === "office_doc");
}

/** Text that programs read: whoever asks for it does not expect a page. */
const isData = (mediaType: string): boolean =>
  /^(?:application|text)\/(?:.*[+.-])?(?:json|xml|yaml|csv|ndjson|jsonl)$/.test(mediaType) &&
  !/xhtml|html/.test(mediaType);

function findContradictions(evidence: Evidence, decision: Decision): string[] {
  return [makeTypeNote(evidence, decision), makeCharsetNote(evidence, decision)].filter((note) => note !== null);
}

function makeTypeNote({ header, text, magic }: Evidence, decision: Decision): string | null {
  const claim = header.mediaType;
  if (claim === null || findContentKind(claim) === kindOfDecision(decision)) return null;
  if (claim === decision.mediaType && decision.isText === true) return null;
  if (text.isText || magic !== null) return `The header said ${claim}, but the bytes are ${decision.mediaType}.`;
  return `The header said ${claim}, but the bytes are not text: ${text.reason}.`;
}

function makeCharsetNote({ header, text }: Evidence, decision: Decision): string | null {
  if (header.charset === null || decision.isText !== true || !text.isText || text.charset === header.charset)
    return null;
  return `The header said charset ${header.charset}, but the bytes are ${text.charset}.`;
}

/** XML and JSON are the syntax; how the text begins may tell what is written in it. */
function refineByMarkup(mediaType: string, markup: Markup | null): string {
  const syntax = /^application\/(xml|json)$/.exec(mediaType)?.[1];
  const isMember = syntax !== undefined && markup?.mediaType.endsWith(`+${syntax}`) === true;
  return isMember && findContentKind(markup.mediaType) === "text" ? markup.mediaType : mediaType;
}
