/** The shape of every answer: summary, notices, the source's words apart from them, and the same facts as fields. */
import type { PageStart } from "../extract/select/readings.ts";
import type { Bound } from "../fit/budget.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
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
  /** Warnings and notes, one sentence each. */
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

/** The answer as one text; everything but the content stays within its allowance. */
export function answerText(answer: AnswerText, audience: Audience = toolAudience): string {
  const notices = [...headNotices(answer, audience), ...answer.notices];
  const { body } = formatBody(answer, audience);
  return joinReply(answer.summary, notices, body, countShownChars(answer) + OVERHEAD_CHARS);
}

/** Characters of the source that an answer shows. */
export function countShownChars({ overview, content }: Pick<AnswerText, "overview" | "content">): number {
  return (overview?.length ?? 0) + (content?.length ?? 0);
}

/** What a reader must not miss, before all other notices. */
export function headNotices({ failure, nextRead }: AnswerText, audience: Audience): string[] {
  return [...(failure === null ? [] : [failure]), ...(nextRead === null ? [] : [formatNextRead(nextRead, audience)])];
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
  const head = [answer.summary, ...headNotices(answer, audience)].join("\n");
  const reserved = Math.min(RESERVED_NOTICE_CHARS, answer.notices.join("\n").length);
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

/** Characters that joinReply needs above the body to show every notice, as far as they may be shown. */
export function countHeadChars(summary: string, notices: readonly string[]): number {
  return Math.min(OVERHEAD_CHARS, summary.length + BREAK_CHARS + notices.join("\n").length);
}

/** Our words and the source's as one text of at most `maxChars`; the notices are clipped where they do not fit. */
export function joinReply(summary: string, notices: readonly string[], body: string, maxChars: number): string {
  const room = Math.min(OVERHEAD_CHARS, maxChars - body.length) - summary.length - BREAK_CHARS;
  const before = [summary, ...(notices.length === 0 ? [] : [clipLines(notices, room)])].join("\n");
  return body === "" ? before : `${before}\n${body}`;
}

/** Line breaks between summary, notices and body, and some slack. */
const BREAK_CHARS = 8;

/** Notices that are cut here are complete in the fields. */
function clipLines(notices: readonly string[], room: number): string {
  const text = notices.join("\n");
  return text.length <= room ? text : `${cutBetweenCodePoints(text, Math.max(0, room - 3))}...`;
}
