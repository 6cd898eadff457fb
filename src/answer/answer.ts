/** The shape of every answer: summary, notices, the source's words apart from them, and the same facts as fields. */
import type { PageStart } from "../extract/select/readings.ts";
import type { Bound } from "../fit/budget.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { findLargestPassing } from "../fit/measure.ts";
import { formatCount } from "./phrases.ts";
import {
  type Audience,
  CUT_NOTICE_CHARS,
  type Cut,
  formatNextRead,
  makeCutNotice,
  type NextRead,
  toolAudience,
} from "./truncation.ts";
import { closingFence, fenceUntrusted, openingFence } from "./untrusted-fence.ts";

/** An answer as text, in the order in which it is shown. */
export type AnswerText = {
  /** One line with the facts and the handle. */
  readonly summary: string;
  /** The sentence about a document whose text cannot be read; it follows the summary. */
  readonly failure: string | null;
  /** Where reading continues; null where nothing follows or nothing was kept. */
  readonly nextRead: NextRead | null;
  /** What a reader must know to understand the content, one sentence each. They take room from the content. */
  readonly required: readonly string[];
  /** Other warnings and notes; where they do not fit, whole ones are left out. */
  readonly notices: readonly string[];
  /** The random word of the fence around what follows. */
  readonly fenceWord: string;
  /** What the source says about itself, such as its title: short, in quotes, and shown as untrusted. */
  readonly claims: readonly string[];
  /** What the source holds, where it is a long data file, or the header of the rows that follow. */
  readonly overview: string | null;
  /** The source's own text, as much as the budget allows; null where there is none to show. */
  readonly content: string | null;
  /** How the content was cut; null where it is complete. Its notice is shown last. */
  readonly cut: Cut | null;
  /** The pages that the content shows, in order; none where the source has no pages. */
  readonly pages: readonly PageStart[];
};

/** An answer as text for a reader and as fields for a program; each is complete alone. */
export type Answer<Fields> = AnswerText & {
  readonly fields: Fields;
  /** The same answer with at most `chars` characters of content; `bound` names the limit. */
  shorten(chars: number, bound: Bound): Answer<Fields>;
};

/** Characters of the source that an answer shows. */
export function countShownChars({ overview, content }: Pick<AnswerText, "overview" | "content">): number {
  return (overview?.length ?? 0) + (content?.length ?? 0);
}

/** The answer as one text, within the limit of its content and the allowance for everything else. */
export function answerText(
  answer: Answer<{ readonly limit_chars: number; readonly bound: Bound }>,
  audience: Audience = toolAudience,
): string {
  const { limit_chars: limitChars, bound } = answer.fields;
  const write = (each: AnswerText, chars: number): string => {
    const required = requiredNotices(each, audience);
    return joinReply({ ...each, required }, formatBody(each, audience).body, { chars, limitChars });
  };
  const fits = (text: string): boolean => text.length <= limitChars + OVERHEAD_CHARS;
  const text = write(answer, limitChars);
  if (fits(text)) return text;
  const shownChars = countShownChars(answer);
  const chars = findLargestPassing(0, shownChars, (count) => fits(write(answer.shorten(count, bound), count)));
  return write(answer.shorten(chars, bound), chars);
}

/** What a reader must not miss, the most important first. */
export function requiredNotices({ failure, nextRead, required }: AnswerText, audience: Audience): string[] {
  return [
    ...(failure === null ? [] : [failure]),
    ...(nextRead === null ? [] : [formatNextRead(nextRead, audience)]),
    ...required,
  ];
}

/** The source's words inside their fence, and the notice of a cut. */
export type AnswerBody = {
  readonly body: string;
  /** Where its pages begin in the body, and where the last one ends. */
  readonly pages: readonly PageStart[];
  readonly contentEnd: number;
};

/** The body of an answer; empty where the source has no words to show. */
export function formatBody(answer: AnswerText, audience: Audience): AnswerBody {
  const { fenceWord, cut, nextRead, pages } = answer;
  const content = answer.content ?? "";
  const notice = cut === null || content === "" ? "" : makeCutNotice(cut, nextRead !== null, audience);
  const claims = clipClaims(answer, audience, notice.length);
  const lead = [claims, answer.overview ?? ""].filter((text) => text !== "").join("\n\n");
  if (content === "" && lead === "") return { body: "", pages: [], contentEnd: 0 };
  const leadBreak = lead === "" || content === "" ? "" : "\n\n";
  const start = openingFence(fenceWord).length + lead.length + leadBreak.length;
  return {
    body: fenceUntrusted(`${lead}${leadBreak}${content}`, fenceWord) + notice,
    pages: pages
      .filter(({ offset }) => offset < content.length)
      .map(({ page, offset }) => ({ page, offset: offset + start })),
    contentEnd: start + content.length,
  };
}

/** Claims take at most this much of the allowance. What the head needs, and this much of the notices, goes before. */
const MAX_CLAIMS_CHARS = 280;
const RESERVED_NOTICE_CHARS = 150;

/** Whole claims only, as many as there is room for; all of them are in the fields. */
function clipClaims(answer: AnswerText, audience: Audience, cutNoticeChars: number): string {
  const head = [answer.summary, ...requiredNotices({ ...answer, required: [] }, audience)].join("\n");
  const reserved = Math.min(RESERVED_NOTICE_CHARS, [...answer.required, ...answer.notices].join("\n").length);
  const frame = openingFence(answer.fenceWord).length + closingFence(answer.fenceWord).length + cutNoticeChars;
  let room = Math.min(MAX_CLAIMS_CHARS, OVERHEAD_CHARS - head.length - BREAK_CHARS - reserved - frame);
  const lines: string[] = [];
  for (const claim of answer.claims) {
    if (claim.length + 2 > room) continue;
    lines.push(claim);
    room -= claim.length + 2;
  }
  return lines.join("\n");
}

const EXAMPLE_WORD = "abcdefgh";

/** The most characters that formatBody adds to a content: the fence around it and the notice of a cut. */
export const CONTENT_FRAME_CHARS =
  openingFence(EXAMPLE_WORD).length + closingFence(EXAMPLE_WORD).length + CUT_NOTICE_CHARS;

/** Our words above the body of a reply. */
export type ReplyHead = Pick<AnswerText, "summary" | "required" | "notices">;

/** Characters that joinReply needs above the body to show every notice. */
export function countHeadChars({ summary, required, notices }: ReplyHead): number {
  return summary.length + BREAK_CHARS + countChars([...required, ...notices]);
}

/** How much of the content's limit required notices may take: a reply that is all notices answers nothing. */
const REQUIRED_SHARE = 0.5;

/**
 * Our words and the source's as one text. `chars` is the content that the body was made for, `limitChars` the most that
 * any reply here may carry. Notices are whole or left out. The text is longer than `chars` and its allowance only where
 * required notices need the room: the caller then makes the body shorter.
 */
export function joinReply(
  { summary, required, notices }: ReplyHead,
  body: string,
  { chars, limitChars }: { readonly chars: number; readonly limitChars: number },
): string {
  const room = chars + OVERHEAD_CHARS - body.length - summary.length - BREAK_CHARS;
  const shown = takeWhole(required, room + Math.floor(limitChars * REQUIRED_SHARE));
  shown.push(...takeWhole(notices, room - countChars(shown)));
  shown.push(...takeWhole(countLeftOut(required.length + notices.length - shown.length), room - countChars(shown)));
  return [summary, ...shown, ...(body === "" ? [] : [body])].join("\n");
}

function countLeftOut(count: number): string[] {
  return count === 0 ? [] : [`Left out: ${formatCount(count, "notice")} that did not fit.`];
}

/** Line breaks between summary, notices and body, and some slack. */
const BREAK_CHARS = 8;

/** The sentences that fit whole, from the first on. */
export function takeWhole(sentences: readonly string[], chars: number): string[] {
  let room = chars;
  return sentences.filter((sentence) => {
    if (sentence.length + 1 > room) return false;
    room -= sentence.length + 1;
    return true;
  });
}

const countChars = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length + 1, 0);
