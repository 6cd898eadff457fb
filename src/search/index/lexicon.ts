/** The words of source text and the terms they are found by. Each word is taken apart once, however often it occurs. */
import { termsOf, wordsOf } from "../../extract/terms.ts";
import { isWordUnit } from "./definitions.ts";
import type { Tally } from "./growable.ts";

/** Longer runs of ASCII are keys, digests and data, not words anybody asks for; others are taken in pieces. */
const longestWord = 80;

/** What one word is found by: the parts of an identifier, and the whole of it with case and underscores taken away. */
export function termsOfWord(word: string): readonly string[] {
  if (/^[a-z]+$/.test(word)) return termsOf(word).parts;
  return [...new Set(wordsOf(word).flatMap(termsOfPlain))];
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
  /** The terms of a name that stands somewhere in the text. */
  termsOfName(name: string): readonly number[];
  /** Calls back with the number of each word of the text from `start` to `end`. */
  scan(text: string, start: number, end: number, found: (word: number) => void): void;
};

/** This place, or the one before it where it would part a surrogate pair. */
function betweenPairs(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

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

  function scan(text: string, start: number, end: number, found: (word: number) => void): void {
    let at = start;
    while (at < end) {
      let unit = text.charCodeAt(at);
      if (unit < 128 && wordUnits[unit] === 0) {
        at++;
        continue;
      }
      const from = at;
      let hash = 0x811c9dc5;
      do {
        hash = Math.imul(hash ^ unit, 0x01000193);
        unit = text.charCodeAt(++at);
      } while (at < end && (unit >= 128 || wordUnits[unit] === 1));
      if (at - from <= longestWord) found(words.number(text, from, at, hash >>> 0));
      else scanPieces(text, from, at, found);
    }
  }

  /** Scripts without spaces have runs of any length. Pieces share a character: words are found by two that are neighbours. */
  function scanPieces(text: string, start: number, end: number, found: (word: number) => void): void {
    for (let from = start; from < end - 1; from += longestWord - 2) {
      const [first, last] = [betweenPairs(text, from), betweenPairs(text, Math.min(end, from + longestWord))];
      let [hash, ascii] = [0x811c9dc5, true];
      for (let at = first; at < last; at++) {
        const unit = text.charCodeAt(at);
        if (unit >= 128) ascii = false;
        hash = Math.imul(hash ^ unit, 0x01000193);
      }
      if (!ascii) found(words.number(text, first, last, hash >>> 0));
    }
  }

  function count(tally: Tally, word: number, times: number): void {
    const end = starts[word + 1] ?? 0;
    for (let at = starts[word] ?? 0; at < end; at++) tally.add(list[at] ?? 0, times);
  }

  function termsOfName(name: string): readonly number[] {
    const found: number[] = [];
    scan(name, 0, name.length, (word) => {
      for (const each of list.slice(starts[word], starts[word + 1])) found.push(each);
    });
    return found;
  }

  return { terms, wordCount: () => starts.length - 1, term, scan, count, termsOfName };
}

/** A hash table on pieces of text, so that a word seen before costs no new string. */
function createWordTable(added: (text: string) => void) {
  let slots = new Int32Array(1 << 16).fill(-1);
  let hashes = new Uint32Array(1 << 15);
  const texts: string[] = [];

  function number(text: string, start: number, end: number, hash: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const word = slots[slot] ?? -1;
      if (word === -1) return add(text.slice(start, end), hash, slot);
      if (hashes[word] === hash && isSame(texts[word] ?? "", text, start, end)) return word;
    }
  }

  function add(text: string, hash: number, slot: number): number {
    const word = texts.push(text) - 1;
    hashes[word] = hash;
    slots[slot] = word;
    added(text);
    if (texts.length * 2 >= slots.length) grow();
    return word;
  }

  function grow(): void {
    const mask = slots.length * 2 - 1;
    slots = new Int32Array(slots.length * 2).fill(-1);
    const larger = new Uint32Array(hashes.length * 2);
    larger.set(hashes);
    hashes = larger;
    for (let word = 0; word < texts.length; word++) {
      let slot = (hashes[word] ?? 0) & mask;
      while (slots[slot] !== -1) slot = (slot + 1) & mask;
      slots[slot] = word;
    }
  }

  return { number };
}

function isSame(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}
