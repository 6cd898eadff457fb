/** Fitting one long text: the longest piece the budget can show, and where to read on. */
import { type Bound, type Budget, listLimits } from "./budget.ts";
import { cutBetweenCodePoints, isHighSurrogate, longestPrefix, type Unit } from "./measure.ts";

/** Part of a text: from `offset` on, to the text's end or at least as many characters as the budget may show. */
export type TextWindow = { readonly text: string; readonly offset: number; readonly totalChars: number };

/** Text to its end, or cut with all that is needed to read on. */
export type FittedText =
  | { readonly hasMore: false; readonly text: string }
  | {
      readonly hasMore: true;
      readonly text: string;
      readonly nextOffset: number;
      /** Where the notice says the text was cut: the budget's characters, or those shown when another unit bound. */
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

/**
 * The text unchanged when all of it is within the limit, else its start and the notice. `totalChars` is given when
 * `text` is itself the start of something longer.
 */
export function truncateContent(text: string, limitChars: number, totalChars: number = text.length): string {
  if (text.length <= limitChars && text.length >= totalChars) return text;
  const shownChars = Math.min(limitChars, text.length);
  return cutBetweenCodePoints(text, shownChars) + truncationSuffix(shownChars, totalChars);
}

/** The one notice that comes last, exactly as the contract words it. */
export function truncationSuffix(limitChars: number, totalChars: number): string {
  return `\n\n[Content truncated at ${limitChars} chars. Total: ${totalChars} chars. Use a higher maxChars to retrieve more.]`;
}

/** A window read by count may end in half a code point; the rest of it comes with the next window. */
function wholeCodePoints({ text, offset, totalChars }: TextWindow): string {
  const endsInPair = offset + text.length < totalChars && isHighSurrogate(text.charCodeAt(text.length - 1));
  return endsInPair ? text.slice(0, -1) : text;
}

function cutToBudget(text: string, budget: Budget): { text: string; unit: Unit } {
  let shown = text;
  let unit: Unit = "chars";
  for (const { max, measure, unit: next } of listLimits(budget)) {
    const prefix = longestPrefix(shown, (candidate) => measure(candidate) <= max);
    if (prefix.length < shown.length) unit = next;
    shown = prefix;
  }
  return { text: shown, unit };
}
