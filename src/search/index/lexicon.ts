/** The words of source text and the terms they are found by. Each word is taken apart once, however often it occurs. */
import { partTerms, termsOf, wordsOf } from "../../extract/terms.ts";
import { isWordUnit } from "./definitions.ts";
import type { Tally } from "./growable.ts";

/** Longer runs of ASCII are keys, digests and data, not words anybody asks for; others are taken in pieces. */
const longestWord = 80;

/** What one word is found by: the parts of an identifier, and the whole of it with case and underscores taken away. */
export function termsOfWord(word: string): readonly string[] {
  if (!/^\w+$/.test(word)) return [...new Set(wordsOf(word).flatMap(termsOfPlain))];
  const parts = partTerms(word);
  return parts.length > 1 ? [...new Set(parts).add(plainName(word))] : parts;
}

function termsOfPlain(word: string): readonly string[] {
  const { parts, characters } = termsOf(word);
  if (characters.length > 0) return [...parts, ...characters];
  return parts.length > 1 ? [...parts, plainName(word)] : parts;
}

/** A name as it is compared whole: `HashMap`, `hash_map` and `hashMap` are one. */
export function plainName(word: string): string {
  return word.toLowerCase().replace(/[_$]+/g, "");
}

/** 1 for each ASCII character that may stand in a word; whatever is not ASCII may. */
const wordUnits = Uint8Array.from({ length: 128 }, (_, unit) => (isWordUnit(unit) ? 1 : 0));

/** Numbers for words and terms, given out as they come. */
export type Lexicon = {
  readonly terms: readonly string[];
  readonly wordCount: () => number;
  /** The number of the term, a new one where it is not known. */
  term(text: string): number;
  /** Counts the terms of a word that occurs so many times. */
  count(tally: Tally, word: number, times: number): void;
  /** The terms of the words of a text from `start` to `end`. */
  termsIn(units: Units, start: number, end: number): readonly number[];
  /** Calls back with the number of each word of a text from `start` to `end`. */
  scan(units: Units, start: number, end: number, found: (word: number) => void): void;
};

/** The UTF-16 units of a text: read by number, which is faster than from the text itself. */
export type Units = Uint16Array;

/** Gives the units of one text after the other in the same place; those of the text before are gone then. */
export function createUnits(): (text: string) => Units {
  let bytes = Buffer.alloc(1 << 17);
  return (text) => {
    const length = text.length * 2;
    if (bytes.length < length) bytes = Buffer.alloc(2 ** Math.ceil(Math.log2(length)));
    bytes.write(text, "utf16le");
    return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  };
}

/** This place, or the one before it where it would part a surrogate pair. */
function betweenPairs(units: Units, at: number): number {
  const unit = units[at] ?? 0;
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

const [hashStart, hashFactor] = [0x811c9dc5, 0x01000193];

/** An empty lexicon. */
export function createLexicon(): Lexicon {
  const terms: string[] = [];
  const termNumbers = new Map<string, number>();
  // The terms of all words one after the other, and where those of each word begin.
  const list: number[] = [];
  const starts: number[] = [0];
  const words = createWordTable((text) => {
    for (const each of termsOfWord(text)) list.push(term(each));
    starts.push(list.length);
  });

  function term(text: string): number {
    const known = termNumbers.get(text);
    if (known !== undefined) return known;
    termNumbers.set(text, terms.length);
    return terms.push(text) - 1;
  }

  function scan(units: Units, start: number, end: number, found: (word: number) => void): void {
    let at = start;
    while (at < end) {
      let unit = units[at] ?? 0;
      if (unit < 128 && wordUnits[unit] === 0) {
        at++;
        continue;
      }
      const from = at;
      let hash = hashStart;
      do {
        hash = Math.imul(hash ^ unit, hashFactor);
        unit = units[++at] ?? 0;
      } while (at < end && (unit >= 128 || wordUnits[unit] === 1));
      if (at - from <= longestWord) found(words.number(units, from, at, hash));
      else scanPieces(units, from, at, found);
    }
  }

  /** Scripts without spaces have runs of any length. Pieces share a character: words are found by two that are neighbours. */
  function scanPieces(units: Units, start: number, end: number, found: (word: number) => void): void {
    for (let from = start; from < end - 1; from += longestWord - 2) {
      const [first, last] = [betweenPairs(units, from), betweenPairs(units, Math.min(end, from + longestWord))];
      let [hash, ascii] = [hashStart, true];
      for (let at = first; at < last; at++) {
        const unit = units[at] ?? 0;
        if (unit >= 128) ascii = false;
        hash = Math.imul(hash ^ unit, hashFactor);
      }
      if (!ascii) found(words.number(units, first, last, hash));
    }
  }

  function count(tally: Tally, word: number, times: number): void {
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at++) tally.add(list[at] ?? 0, times);
  }

  function termsIn(units: Units, start: number, end: number): readonly number[] {
    const found: number[] = [];
    scan(units, start, end, (word) => {
      for (let at = starts[word] ?? 0; at < (starts[word + 1] ?? 0); at++) found.push(list[at] ?? 0);
    });
    return found;
  }

  return { terms, wordCount: () => starts.length - 1, term, scan, count, termsIn };
}

/** A hash table on units of texts, so that a word seen before costs no string. */
function createWordTable(added: (text: string) => void) {
  /** A word's hash and its number plus one, side by side; 0 where there is none. */
  let slots = new Int32Array(1 << 16);
  /** The units of all words one after the other, and where those of each begin. */
  let known = new Uint16Array(1 << 16);
  let starts = new Uint32Array(1 << 14);
  let count = 0;

  function number(units: Units, start: number, end: number, hash: number): number {
    const mask = slots.length - 2;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const word = (slots[slot + 1] ?? 0) - 1;
      if (word === -1) return add(units, start, end, hash, slot);
      if (slots[slot] === hash && isSame(word, units, start, end)) return word;
    }
  }

  function isSame(word: number, units: Units, start: number, end: number): boolean {
    const from = starts[word] ?? 0;
    if ((starts[word + 1] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (known[from + at - start] !== units[at]) return false;
    return true;
  }

  function add(units: Units, start: number, end: number, hash: number, slot: number): number {
    const from = starts[count] ?? 0;
    if (from + longestWord > known.length) known = larger(known, new Uint16Array(known.length * 2));
    if (count + 2 > starts.length) starts = larger(starts, new Uint32Array(starts.length * 2));
    known.set(units.subarray(start, end), from);
    slots[slot] = hash;
    slots[slot + 1] = ++count;
    starts[count] = from + end - start;
    added(String.fromCharCode(...units.subarray(start, end)));
    if (count * 4 >= slots.length) grow();
    return count - 1;
  }

  function grow(): void {
    const before = slots;
    slots = new Int32Array(before.length * 2);
    const mask = slots.length - 2;
    for (let old = 0; old < before.length; old += 2) {
      if (before[old + 1] === 0) continue;
      let slot = ((before[old] ?? 0) << 1) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = before[old] ?? 0;
      slots[slot + 1] = before[old + 1] ?? 0;
    }
  }

  return { number };
}

function larger<A extends Uint16Array | Uint32Array>(full: A, room: A): A {
  room.set(full);
  return room;
}
