/** The words of source text and their terms, which searches look for. Each word is split once, however often it occurs. */
import { forEachPart, splitWords, stem, toTerms } from "../../retrieval/terms.ts";
import { type CountTable, copyInto, createCountTable } from "./growable.ts";
import { isWordUnit } from "./text-units.ts";
import {
  createUnitReader,
  createWordTable,
  extendHash,
  HASH_START,
  type Units,
  type WordContent,
} from "./word-table.ts";

/** Longer ASCII words are keys, digests and data, and are ignored; longer words of other scripts are cut. */
export const MAX_WORD_CHARS = 80;

/** The terms of a word: the parts of an identifier, and all of it without case and underscores. */
export function findTerms(word: string): readonly string[] {
  return [...new Set(splitWords(word).flatMap(termsOfPlain))];
}

function termsOfPlain(word: string): readonly string[] {
  const { parts, characters } = toTerms(word);
  if (characters.length > 0) return [...parts, ...characters];
  return parts.length > 1 ? [...parts, toPlainName(word)] : parts;
}

/** A name as whole names are compared: `HashMap`, `hash_map`, `hash-map` and `hashMap` are the same. */
export function toPlainName(word: string): string {
  return word.toLowerCase().replace(/[_$-]+/g, "");
}

const [underscore, dollar, hyphen] = [95, 36, 45];
/** 1 for each ASCII character that may be part of a word; all other characters may. */
const asciiWordUnits = Uint8Array.from({ length: 128 }, (_, unit) => (isWordUnit(unit) ? 1 : 0));
/** Each ASCII character in lower case. */
const lowerUnits = Uint8Array.from({ length: 128 }, (_, unit) => (unit >= 65 && unit <= 90 ? unit + 32 : unit));

/** Numbers words and their terms in the order of their first occurrence. */
type Lexicon = {
  /** The terms so far, by number. Valid until the next new term. */
  terms(): WordContent;
  readonly wordCount: () => number;
  /** The number of a term; a new term gets the next number. */
  term(text: string): number;
  /** The term for the whole name from `start` to `end`, after the prefix of its kind. */
  nameTerm(kind: string, units: Units, start: number, end: number): number;
  /** Counts the terms of a word that occurs this many times. */
  count(terms: CountTable, word: number, times: number): void;
  /** Marks the terms of the words from `start` to `end` with a rank. */
  mark(terms: CountTable, units: Units, start: number, end: number, rank: number): void;
  /** Counts each word from `start` to `end`, and returns how many there are. */
  scan(words: CountTable, units: Units, start: number, end: number): number;
};

/** This index, or the one before where it would split a surrogate pair. */
function betweenPairs(units: Units, index: number): number {
  const unit = units[index] ?? 0;
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

/** An empty lexicon. */
export function createLexicon(): Lexicon {
  const [words, parts, terms] = [createWordTable(), createWordTable(), createWordTable()];
  const readUnits = createUnitReader();
  // The terms of all words one after the other, and where those of each word begin; the term of each part.
  const wordTerms: number[] = [];
  const starts: number[] = [0];
  const partTerms: number[] = [];
  /** A buffer for a name in lower case, after a prefix. */
  let lower = new Uint16Array(1 << 10);

  function term(text: string): number {
    const units = readUnits(text);
    return terms.number(units, 0, units.length, hashBetween(units, 0, units.length));
  }

  function wordNumber(units: Units, start: number, end: number, hash: number): number {
    const before = words.count();
    const number = words.number(units, start, end, hash);
    if (number === before) addTerms(units, start, end);
    return number;
  }

  /** Gives a new word the terms that `findTerms` finds, without a string if it is ASCII and its parts are known. */
  function addTerms(units: Units, start: number, end: number): void {
    const first = wordTerms.length;
    if (isPlain(units, start, end)) addPlainTerms(units, start, end);
    else for (const each of findTerms(textBetween(units, start, end))) addOnce(term(each), first);
    starts.push(wordTerms.length);
  }

  function addPlainTerms(units: Units, start: number, end: number): void {
    const first = wordTerms.length;
    let count = 0;
    forEachPart(units, start, end, (from, to) => {
      count++;
      addOnce(partTerm(units, from, to), first);
    });
    if (count > 1) addOnce(wholeTerm(units, start, end, 0), first);
  }

  function addOnce(number: number, first: number): void {
    for (let index = first; index < wordTerms.length; index++) if (wordTerms[index] === number) return;
    wordTerms.push(number);
  }

  function partTerm(units: Units, start: number, end: number): number {
    const length = writeLower(units, start, end, 0);
    const before = parts.count();
    const part = parts.number(lower, 0, length, hashBetween(lower, 0, length));
    if (part === before) partTerms.push(term(stem(textBetween(lower, 0, length))));
    return partTerms[part] as number;
  }

  /** The term of a whole name, after a prefix of this length that is in `lower` already. */
  function wholeTerm(units: Units, start: number, end: number, prefixLength: number): number {
    const length = writeLower(units, start, end, prefixLength);
    return terms.number(lower, 0, length, hashBetween(lower, 0, length));
  }

  function writeLower(units: Units, start: number, end: number, prefixLength: number): number {
    const maxLength = prefixLength + end - start;
    if (lower.length < maxLength) lower = copyInto(new Uint16Array(maxLength * 2), lower);
    let length = prefixLength;
    for (let index = start; index < end; index++) {
      const unit = units[index] as number;
      if (unit !== underscore && unit !== dollar && unit !== hyphen) lower[length++] = lowerUnits[unit] as number;
    }
    return length;
  }

  function nameTerm(kind: string, units: Units, start: number, end: number): number {
    for (let index = start; index < end; index++) {
      if ((units[index] as number) > 127) return term(kind + toPlainName(textBetween(units, start, end)));
    }
    for (let index = 0; index < kind.length; index++) lower[index] = kind.charCodeAt(index);
    return wholeTerm(units, start, end, kind.length);
  }

  function scan(counts: CountTable, units: Units, start: number, end: number): number {
    let total = 0;
    let index = start;
    while (index < end) {
      let unit = units[index] as number;
      if (unit < 128 && asciiWordUnits[unit] === 0) {
        index++;
        continue;
      }
      const wordStart = index;
      let hash = HASH_START;
      do {
        hash = extendHash(hash, unit);
        if (++index === end) break;
        unit = units[index] as number;
      } while (unit >= 128 || asciiWordUnits[unit] === 1);
      if (index - wordStart <= MAX_WORD_CHARS) {
        total++;
        counts.add(wordNumber(units, wordStart, index, hash), 1);
      } else total += scanLongWord(counts, units, wordStart, index);
    }
    return total;
  }

  /** Scripts without spaces have runs of any length. Cuts overlap: their terms are pairs of neighbouring characters. */
  function scanLongWord(counts: CountTable, units: Units, start: number, end: number): number {
    let total = 0;
    for (let cut = start; cut < end - 1; cut += MAX_WORD_CHARS - 2) {
      const [first, last] = [betweenPairs(units, cut), betweenPairs(units, Math.min(end, cut + MAX_WORD_CHARS))];
      if (units.subarray(first, last).every((unit) => unit < 128)) continue;
      counts.add(wordNumber(units, first, last, hashBetween(units, first, last)), 1);
      total++;
    }
    return total;
  }

  function count(counts: CountTable, word: number, times: number): void {
    const end = starts[word + 1] as number;
    for (let index = starts[word] as number; index < end; index++) counts.add(wordTerms[index] as number, times);
  }

  const nameWords = createCountTable();
  function mark(counts: CountTable, units: Units, start: number, end: number, rank: number): void {
    scan(nameWords, units, start, end);
    for (const word of nameWords.numbers()) {
      const last = starts[word + 1] as number;
      for (let index = starts[word] as number; index < last; index++) counts.mark(wordTerms[index] as number, rank);
    }
    nameWords.clear();
  }

  return { terms: terms.content, wordCount: words.count, term, nameTerm, scan, count, mark };
}

function hashBetween(units: Units, start: number, end: number): number {
  let hash = HASH_START;
  for (let index = start; index < end; index++) hash = extendHash(hash, units[index] as number);
  return hash;
}

function textBetween(units: Units, start: number, end: number): string {
  return Buffer.from(units.buffer, units.byteOffset + start * 2, (end - start) * 2).toString("utf16le");
}

/** Whether a word has ASCII letters, digits and underscores only. */
function isPlain(units: Units, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const unit = units[index] as number;
    if (unit > 127 || unit === dollar) return false;
  }
  return true;
}
