/** Fits one long text: the longest start that the budget can show, and where to continue reading. */
import { type Bound, type Budget, listLimits } from "./budget.ts";
import { findLongestPrefix, isHighSurrogate, type Unit } from "./measure.ts";

/** Text held in memory: from `offset` to the text's end, or at least as many characters as the budget may show. */
export type TextWindow = { readonly text: string; readonly offset: number; readonly totalChars: number };

/** Text to its end, or cut, with what is needed to continue reading. */
export type FittedText =
  | { readonly hasMore: false; readonly text: string }
  | {
      readonly hasMore: true;
      readonly text: string;
      readonly nextOffset: number;
      /** The number that the notice names: the budget's characters, or those shown when another unit was the limit. */
      readonly limitChars: number;
      readonly unit: Unit;
      readonly bound: Bound;
    };

/** The longest start of the window that is within every unit of the budget. */
export function fitText(window: TextWindow, budget: Budget): FittedText {
  const { text, unit } = cutToBudget(wholeCodePoints(window), budget);
  const nextOffset = window.offset + text.length;
  if (nextOffset >= window.totalChars) return { hasMore: false, text };
  if (unit === "chars") return { hasMore: true, text, nextOffset, limitChars: budget.chars, unit, bound: budget.bound };
  return { hasMore: true, text, nextOffset, limitChars: text.length, unit, bound: "client" };
}

/** The same by characters alone, for a reply that turned out too large: down to none at all. */
export function fitChars(window: TextWindow, chars: number, bound: Bound): FittedText {
  if (chars >= 1 || window.totalChars <= window.offset) return fitText(window, { chars: Math.max(1, chars), bound });
  return { hasMore: true, text: "", nextOffset: window.offset, limitChars: 0, unit: "chars", bound };
}

/** A window may end in the middle of a code point; the other half is in the next window. */
function wholeCodePoints({ text, offset, totalChars }: TextWindow): string {
  const endsInPair = offset + text.length < totalChars && isHighSurrogate(text.charCodeAt(text.length - 1));
  return endsInPair ? text.slice(0, -1) : text;
}

function cutToBudget(text: string, budget: Budget): { text: string; unit: Unit } {
  let cutText = text;
  let unit: Unit = "chars";
  for (const { max, measure, unit: next } of listLimits(budget)) {
    const prefix = findLongestPrefix(cutText, (candidate) => measure(candidate) <= max);
    if (prefix.length < cutText.length) unit = next;
    cutText = prefix;
  }
  return { text: cutText, unit };
}
