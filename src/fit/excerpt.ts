/** Excerpts of text: the part around the place that matters, with three dots wherever text is left out. */
import { splitsPair } from "./measure.ts";

/** Where text is left out. */
export const CUT_MARK = "...";

/** Of the characters shown, the share before the focus: what follows a match says more than what precedes it. */
const SHARE_BEFORE = 1 / 4;

/** A part of a text, and where in it the focus is. */
export type Excerpt = { readonly text: string; readonly focus: number };

/** At most `maxChars` characters around the one at `focus`, dots included. Text that fits is returned unchanged. */
export function cutAround(text: string, focus: number, maxChars: number): Excerpt {
  if (text.length <= maxChars) return { text, focus };
  const room = maxChars - 2 * CUT_MARK.length;
  if (room <= 0) return { text: CUT_MARK.slice(0, Math.max(0, maxChars)), focus: 0 };
  const first = Math.floor(Math.min(Math.max(0, focus - room * SHARE_BEFORE), text.length - room));
  // A cut that is not made needs no dots: their room is for text.
  const start = first + room === text.length ? first - CUT_MARK.length : first;
  const end = first === 0 ? room + CUT_MARK.length : first + room;
  return markCuts(text, focus, Math.max(0, start), Math.min(text.length, end));
}

function markCuts(text: string, focus: number, start: number, end: number): Excerpt {
  const from = splitsPair(text, start) ? start + 1 : start;
  const to = splitsPair(text, end) ? end - 1 : end;
  const before = from > 0 ? CUT_MARK : "";
  const marked = `${before}${text.slice(from, to)}${to < text.length ? CUT_MARK : ""}`;
  return { text: marked, focus: Math.max(0, focus - from + before.length) };
}

/** The beginning of a text, for what follows a match: the part next to the match stays. */
export const cutEnd = (text: string, maxChars: number): string => cutAround(text, 0, maxChars).text;

/** The end of a text, for what precedes a match: the part next to the match stays. */
export const cutStart = (text: string, maxChars: number): string => cutAround(text, text.length, maxChars).text;
