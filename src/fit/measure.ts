/** Measures text exactly and cuts it without breaking a code point. A character is a UTF-16 unit. */
import { CHAR_TO_TOKEN_RATIO } from "./limits.ts";

/** The units in which a reply can be measured. */
export type Unit = "chars" | "bytes" | "lines" | "tokens";

/** UTF-8 bytes; a lone surrogate counts as the replacement character it is sent as. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Lines as most clients count them: one more than there are newlines. */
export function countLines(text: string): number {
  let lines = 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) lines += 1;
  return lines;
}

/** Estimated tokens of a number of characters, for any model. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHAR_TO_TOKEN_RATIO);
}

/** At most `maxChars` characters from the start. Half a pair would make a provider reject the whole request. */
export function cutBetweenCodePoints(text: string, maxChars: number): string {
  const end = Math.max(0, maxChars);
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
}

/** Whether an index is between the two halves of one code point. */
export function splitsPair(text: string, index: number): boolean {
  return isHighSurrogate(text.charCodeAt(index - 1)) && isLowSurrogate(text.charCodeAt(index));
}

/** Whether a UTF-16 unit is the first half of a code point beyond U+FFFF. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * The longest prefix that fits, provided that every shorter one fits too. It has at least one code point, even if none
 * fits, so that repeated reads always reach the end.
 */
export function findLongestPrefix(text: string, fits: (prefix: string) => boolean): string {
  const prefix = (chars: number) => cutBetweenCodePoints(text, chars);
  const oneCodePoint = splitsPair(text, 1) ? 2 : 1;
  return prefix(findLargestPassing(oneCodePoint, text.length, (chars) => fits(prefix(chars))));
}

/** The largest number up to `high` that passes, provided that smaller ones do too; `low` is assumed to pass. */
export function findLargestPassing(low: number, high: number, passes: (candidate: number) => boolean): number {
  if (high <= low || passes(high)) return Math.max(low, high);
  let passing = low;
  let failing = high;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (passes(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}
