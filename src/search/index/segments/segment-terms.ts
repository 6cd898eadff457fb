/** The terms of a segment: sorted by their UTF-8 bytes, written one after the other, and looked up there. */

import type { WordContent } from "../word-table.ts";
import type { PostingRange } from "./packed-postings.ts";

/** The numbers of the used terms, in the order of their UTF-8 bytes, and the place of each in that order. */
export function sortTerms(terms: WordContent, usedTerms: Uint32Array): { rank: Uint32Array; sorted: Uint32Array } {
  const rank = new Uint32Array(terms.starts.length);
  for (const term of usedTerms) rank[term] = 1;
  const numbers = new Uint32Array(rank.length);
  let count = 0;
  for (let term = 0; term < rank.length; term++) if (rank[term] === 1) numbers[count++] = term;
  const sorted = sortNumbers(terms, numbers.subarray(0, count));
  for (let place = 0; place < sorted.length; place++) rank[sorted[place] as number] = place;
  return { rank, sorted };
}

/** Most terms differ early: they are sorted by their first letters as one number, and only equals are compared further. */
function sortNumbers(terms: WordContent, numbers: Uint32Array): Uint32Array {
  const keys = new BigUint64Array(numbers.length);
  const halves = new Uint32Array(keys.buffer);
  for (let index = 0; index < numbers.length; index++) {
    halves[index * 2] = index;
    halves[index * 2 + 1] = keyOf(terms, numbers[index] as number);
  }
  keys.sort();
  const sorted = numbers.map((_, place) => numbers[halves[place * 2] as number] as number);
  for (let start = 0, end = 1; end <= sorted.length; end++) {
    if (end < sorted.length && halves[end * 2 + 1] === halves[start * 2 + 1]) continue;
    if (end - start > 1) sorted.subarray(start, end).sort((one, other) => compareTerms(terms, one, other));
    start = end;
  }
  return sorted;
}

/** The first four letters, up to one that is not ASCII: what follows is left to the comparison. */
function keyOf({ units, starts }: WordContent, term: number): number {
  const end = starts[term + 1] as number;
  let index = starts[term] as number;
  let key = 0;
  for (let shift = 24; shift >= 0 && index < end; shift -= 8) {
    const unit = units[index++] as number;
    if (unit > 127) return key | (128 << shift);
    key |= unit << shift;
  }
  return key;
}

function compareTerms({ units, starts }: WordContent, one: number, other: number): number {
  const [first, second] = [starts[one] as number, starts[other] as number];
  const length = Math.min((starts[one + 1] as number) - first, (starts[other + 1] as number) - second);
  for (let index = 0; index < length; index++) {
    const [left, right] = [units[first + index] as number, units[second + index] as number];
    if (left !== right) return utf8Order(left) - utf8Order(right);
  }
  return (starts[one + 1] as number) - first - ((starts[other + 1] as number) - second);
}

/** In UTF-16, surrogate pairs are less than U+E000; in UTF-8, the characters they encode are greater. */
function utf8Order(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The bytes of the sorted terms, one after the other. */
export function encodeTerms(
  { units, starts }: WordContent,
  sorted: Uint32Array,
): { offsets: Uint32Array; bytes: Uint8Array } {
  const offsets = new Uint32Array(sorted.length + 1);
  const length = sorted.reduce((sum, term) => sum + (starts[term + 1] as number) - (starts[term] as number), 0);
  const bytes = Buffer.allocUnsafe(length * MAX_UNIT_BYTES);
  let end = 0;
  for (let place = 0; place < sorted.length; place++) {
    const term = sorted[place] as number;
    end = writeTerm(bytes, end, units, starts[term] as number, starts[term + 1] as number);
    offsets[place + 1] = end;
  }
  return { offsets, bytes: bytes.subarray(0, end) };
}

/** Bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Writes a term at an offset and returns the offset after it. */
function writeTerm(bytes: Buffer, offset: number, units: Uint16Array, start: number, end: number): number {
  for (let index = start; index < end; index++) {
    const unit = units[index] as number;
    if (unit > 127) return offset + bytes.write(String.fromCharCode(...units.subarray(start, end)), offset);
    bytes[offset + index - start] = unit;
  }
  return offset + end - start;
}

/** Looks up terms in the bytes of a segment. */
export function openTerms(words: Buffer, wordOffsets: Uint32Array, postingOffsets: Uint32Array, count: number) {
  const range = (term: number): PostingRange => ({
    from: postingOffsets[term] ?? 0,
    to: postingOffsets[term + 1] ?? 0,
  });

  /** The first term between `from` and `to` that is not less than this one. */
  function lowerBound(target: Buffer, from = 0, to = count): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isLess(middle, target)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first such term from `from` on; it costs the logarithm of the distance, and most are near. */
  function lowerBoundNear(target: Buffer, from: number): number {
    let [low, high, step] = [from, from, 1];
    while (high < count && isLess(high, target)) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    return lowerBound(target, low, Math.min(high, count));
  }

  /** Most words differ in their first bytes: a loop takes less time than a call of `compare`. */
  function isLess(term: number, target: Buffer): boolean {
    const end = wordOffsets[term + 1] as number;
    let at = wordOffsets[term] as number;
    let index = 0;
    while (index < target.length && at < end && words[at] === target[index]) {
      at++;
      index++;
    }
    if (index === target.length) return false;
    return at === end || (words[at] as number) < (target[index] as number);
  }

  function isSame(term: number, target: Buffer): boolean {
    const [start, end] = [wordOffsets[term] as number, wordOffsets[term + 1] as number];
    return end - start === target.length && words.compare(target, 0, target.length, start, end) === 0;
  }

  const text = (term: number): string => words.toString("utf8", wordOffsets[term], wordOffsets[term + 1]);

  return {
    find(term: string): PostingRange | null {
      const target = Buffer.from(term);
      const number = lowerBound(target);
      return number < count && isSame(number, target) ? range(number) : null;
    },
    findAll(sortedTerms: readonly Buffer[]): string[] {
      const found: string[] = [];
      let next = 0;
      for (const target of sortedTerms) {
        next = lowerBoundNear(target, next);
        if (next < count && isSame(next, target)) found.push(text(next));
      }
      return found;
    },
  };
}
