/** The order in which parts are replaced: the least useful first, and the oldest first among equals. */
import type { Verdict } from "../classify/verdict.ts";
import type { Part } from "../dialects/dialect.ts";
import { countPartChars } from "../estimate-tokens.ts";
import { isAtPath } from "./one-part.ts";
import { countStubChars, MIN_GAIN_CHARS, type SentPart, STUB_CHARS } from "./sent-part.ts";
import type { ToolRules } from "./tool-rules.ts";

/** Parts in the order in which they are replaced. The newest exchange comes last. */
export type RankedParts = { readonly older: readonly SentPart[]; readonly newest: readonly SentPart[] };

/**
 * Older parts are replaced from the oldest on. The order does not depend on their sizes, so it stays the same while the
 * conversation grows, and what was sent before the first replaced part stays in the provider's cache. Of the newest
 * exchange the largest come first, so that the fewest are cut.
 */
export function rankParts(parts: readonly SentPart[], verdict: Verdict, rules: ToolRules): RankedParts {
  const ranked = parts
    .filter((part) => rules.ruleFor(part) !== "keep")
    .map((part) => ({ part, rank: rankOf(part, verdict, rules), chars: countPartChars(part.sentContent) }))
    .filter(({ part, chars }) => countStubChars(part) !== undefined || chars > STUB_CHARS + MIN_GAIN_CHARS);
  const older = ranked
    .filter(({ rank }) => rank < ranks.newestResult)
    .sort((one, other) => one.rank - other.rank || one.part.index - other.part.index);
  const newest = ranked
    .filter(({ rank }) => rank >= ranks.newestResult)
    .sort((one, other) => one.rank - other.rank || other.chars - one.chars);
  return { older: older.map(({ part }) => part), newest: newest.map(({ part }) => part) };
}

function rankOf(part: Part, verdict: Verdict, rules: ToolRules): number {
  if (verdict.path !== undefined && isAtPath(part.path, verdict.path)) return ranks.namedInError;
  if (part.isCurrent || (part.role === "attachment" && part.isNewest)) return ranks.currentAttachment;
  if (part.role === "attachment") return ranks.olderAttachment;
  if (part.role === "call") return ranks.olderCall;
  if (part.role === "paste") return ranks.olderPaste;
  if (part.isNewest) return ranks.newestResult;
  return rules.ruleFor(part) === "first" || isDocumentOrBinary(part) ? ranks.olderDocument : ranks.olderResult;
}

/** The lower, the earlier a part is replaced. */
const ranks = {
  namedInError: 1,
  olderAttachment: 2,
  olderDocument: 3,
  olderResult: 4,
  olderCall: 5,
  olderPaste: 6,
  newestResult: 7,
  currentAttachment: 8,
} as const;

/** Text from a document or of binary data is the least useful in a conversation. */
function isDocumentOrBinary({ content }: Part): boolean {
  if (!("text" in content)) return true;
  const start = content.text.slice(0, 400);
  return /artifact_ref=af_[0-9a-f]{32}/.test(start) || start.includes("%PDF-") || looksBinary(start);
}

function looksBinary(start: string): boolean {
  const controlChars = [...start].filter((unit) => /[\p{Cc}\uFFFD]/u.test(unit) && !/[\t\n\r]/.test(unit)).length;
  return controlChars > start.length / 20 || /^[A-Za-z0-9+/_-]{200,}/.test(start);
}
