/** Words how a content was cut, and the call that shows what follows. */
import type { LinkStyle, Mode } from "../extract/handler.ts";
import type { NextPlace } from "../extract/select/readings.ts";
import type { Bound } from "../fit/budget.ts";
import type { FittedText } from "../fit/fit-text.ts";
import { MAX_GET_CONTENT_CHARS } from "../fit/limits.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import { SHORT_NAME_CHARS } from "../system/clip-lengths.ts";

/** Where a content was cut. */
export type Cut = {
  /** The number that the notice names. */
  readonly limitChars: number;
  readonly totalChars: TotalChars;
  readonly bound: Bound;
};

/** The length of a text, or what is known of it while not all of it is counted. */
export type TotalChars = number | { readonly atLeast: number; readonly known: string };

/** How a text was cut of which this much is shown. */
export function findCut(shown: FittedText, totalChars: TotalChars): Cut | null {
  if (!shown.hasMore) return null;
  const { limitChars, bound } = shown;
  return { limitChars, totalChars, bound };
}

/** Where reading continues. */
export type NextRead = NextPlace & {
  readonly ref: string;
  readonly mode: Mode;
  readonly links?: LinkStyle;
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
export function formatNextRead(next: NextRead, { calls }: Audience): string {
  const { ref, mode, links = "inline", hasPassword } = next;
  const isTool = calls === "tools";
  const [name, place] = findPlace(next);
  const modePart = mode === "markdown" ? "" : isTool ? ` mode=${mode}` : ` --mode ${mode}`;
  const linksPart = links === "inline" ? "" : isTool ? ` links=${links}` : ` --links ${links}`;
  const passwordPart = hasPassword ? ", with the same password" : "";
  return isTool
    ? `Read on: read_artifact artifact_ref=${ref} ${name}=${place}${modePart}${linksPart}${passwordPart}`
    : `Read on: spillway read ${ref} --${name} ${place}${modePart}${linksPart}${passwordPart}`;
}

function findPlace({ offset, rest }: NextRead): readonly [name: string, place: string | number] {
  return rest === null ? ["offset", offset ?? 0] : [rest.selector, rest.range];
}

/** The notice of a cut content, which is the last thing in a reply. */
export function makeCutNotice(cut: Cut, hasNextRead: boolean, { canRaise }: Audience): string {
  const { limitChars, totalChars, bound } = cut;
  if (canRaise && raisableBounds.includes(bound) && limitChars < MAX_GET_CONTENT_CHARS) {
    return makeTruncationSuffix(limitChars, totalChars);
  }
  const next = hasNextRead ? "Read on as said above." : "The rest was not kept.";
  return `\n\n[Content truncated at ${limitChars} chars. Total: ${formatTotal(totalChars)}. ${reasons[bound]}${next}]`;
}

/** Never a number that is not the whole length. */
function formatTotal(total: TotalChars): string {
  return typeof total === "number" ? `${total} chars` : `at least ${total.atLeast}; ${total.known}`;
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
export function makeTruncationSuffix(limitChars: number, totalChars: TotalChars): string {
  return `\n\n[Content truncated at ${limitChars} chars. Total: ${formatTotal(totalChars)}. Use a higher maxChars to retrieve more.]`;
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

/** No notice says more about the length. */
const LONGEST_TOTAL = { atLeast: 9_999_999_999, known: `pages ${"9".repeat(SHORT_NAME_CHARS)} of 999,999 read so far` };

/** The longest notice. */
export const CUT_NOTICE_CHARS = Math.max(
  makeTruncationSuffix(MAX_GET_CONTENT_CHARS, LONGEST_TOTAL).length,
  ...(Object.keys(reasons) as Bound[]).map(
    (bound) =>
      makeCutNotice({ limitChars: MAX_GET_CONTENT_CHARS, totalChars: LONGEST_TOTAL, bound }, true, fixedAudience)
        .length,
  ),
);
