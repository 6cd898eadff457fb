/** Words how a content was cut, and the call that shows what follows. */
import type { Mode } from "../extract/handler.ts";
import type { Bound } from "../fit/budget.ts";
import type { FittedText } from "../fit/fit-text.ts";
import { MAX_GET_CONTENT_CHARS } from "../fit/limits.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";

/** Where a content was cut. */
export type Cut = {
  /** The number that the notice names. */
  readonly limitChars: number;
  readonly totalChars: number;
  readonly bound: Bound;
};

/** How a text was cut of which this much is shown. */
export function findCut(shown: FittedText, totalChars: number): Cut | null {
  if (!shown.hasMore) return null;
  const { limitChars, bound } = shown;
  return { limitChars, totalChars, bound };
}

/** Where reading continues. */
export type NextRead = {
  readonly ref: string;
  readonly offset: number;
  readonly mode: Mode;
  readonly hasPassword: boolean;
};

/** Who reads an answer: a model that calls tools, or a user of the command line. */
export type Audience = {
  readonly calls: "tools" | "commands";
  /** Whether the call that was made takes a higher number of characters. */
  readonly canRaise: boolean;
};

export const toolAudience: Audience = { calls: "tools", canRaise: true };
export const commandAudience: Audience = { calls: "commands", canRaise: true };
/** For the tools that have no maxChars. */
export const fixedAudience: Audience = { calls: "tools", canRaise: false };

/** The exact call that reads on. */
export function formatNextRead({ ref, offset, mode, hasPassword }: NextRead, { calls }: Audience): string {
  const isTool = calls === "tools";
  const modePart = mode === "markdown" ? "" : isTool ? ` mode=${mode}` : ` --mode ${mode}`;
  const passwordPart = hasPassword ? ", with the same password" : "";
  return isTool
    ? `Read on: read_artifact artifact_ref=${ref} offset=${offset}${modePart}${passwordPart}`
    : `Read on: spillway read ${ref} --offset ${offset}${modePart}${passwordPart}`;
}

/** The notice of a cut content, which is the last thing in a reply. */
export function makeCutNotice(cut: Cut, hasNextRead: boolean, { canRaise }: Audience): string {
  const { limitChars, totalChars, bound } = cut;
  if (canRaise && raisableBounds.includes(bound) && limitChars < MAX_GET_CONTENT_CHARS) {
    return makeTruncationSuffix(limitChars, totalChars);
  }
  const next = hasNextRead ? "Read on as said above." : "The rest was not kept.";
  return `\n\n[Content truncated at ${limitChars} chars. Total: ${totalChars} chars. ${reasons[bound]}${next}]`;
}

/** The limits that a higher maxChars lifts. */
const raisableBounds: readonly Bound[] = ["request", "default"];

const reasons: Readonly<Record<Bound, string>> = {
  request: "",
  default: "",
  ceiling: "No reply shows more. ",
  client: "The client takes no more in one reply. ",
  turn: "This reply shares its room with others. ",
  smallest: "This reply has hardly any room. ",
};

/** The contract's notice, for a content of which a higher maxChars shows more. */
export function makeTruncationSuffix(limitChars: number, totalChars: number): string {
  return `\n\n[Content truncated at ${limitChars} chars. Total: ${totalChars} chars. Use a higher maxChars to retrieve more.]`;
}

/**
 * The text unchanged when all of it is within the limit, else its start and the notice. `totalChars` is given when
 * `text` is itself the start of something longer.
 */
export function truncateContent(text: string, limitChars: number, totalChars: number = text.length): string {
  if (text.length <= limitChars && text.length >= totalChars) return text;
  const shownChars = Math.min(limitChars, text.length);
  return cutBetweenCodePoints(text, shownChars) + makeTruncationSuffix(shownChars, totalChars);
}

/** No extract is longer. */
const MAX_EXTRACT_CHARS = 9_999_999_999;

/** The longest notice. */
export const CUT_NOTICE_CHARS = Math.max(
  makeTruncationSuffix(MAX_GET_CONTENT_CHARS, MAX_EXTRACT_CHARS).length,
  ...(Object.keys(reasons) as Bound[]).map(
    (bound) =>
      makeCutNotice({ limitChars: MAX_GET_CONTENT_CHARS, totalChars: MAX_EXTRACT_CHARS, bound }, true, fixedAudience)
        .length,
  ),
);
