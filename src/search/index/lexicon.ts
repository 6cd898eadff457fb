/** The words of source text and the terms they are found by. Each word is taken apart once, however often it occurs. */
import { eachPart, stem, termsOf, wordsOf } from "../../retrieval/terms.ts";
import { isWordUnit } from "./definitions.ts";
import { createTally, type Tally } from "./growable.ts";
import { createUnits, createWordTable, hashOf, hashStart, type Units, type WordContent } from "./word-table.ts";

/** Longer runs of ASCII are keys, digests and data, not words anybody asks for; others are taken in pieces. */
const longestWord = 80;

/** What one word is found by: the parts of an identifier, and the whole of it with case and underscores taken away. */
export function termsOfWord(word: string): readonly string[] {
  return [...new Set(wordsOf(word).flatMap(termsOfPlain))];
}

function termsOfPlain(word: string): readonly string[] {
  const { parts, characters } = termsOf(word);
  if (characters.length > 0) return [...parts, ...characters];
  return parts.length > 1 ? [...parts, plainName(word)] : parts;
}

/** A name as it is compared whole: `HashMap`, `hash_map`, `hash-map` and `hashMap` are one. */
export function plainName(word: string): string {
  return word.toLowerCase().replace(/[_$-]+/g, "");
}

const [underscore, dollar, hyphen] = [95, 36, 45];
/** 1 for each ASCII character that may stand in a word; whatever is not ASCII may. */
const wordUnits = Uint8Array.from({ length: 128 }, (_, unit) => (isWordUnit(unit) ? 1 : 0));
/** Each ASCII character as a small letter. */
const smallUnits = Uint8Array.from({ length: 128 }, (_, unit) => (unit >= 65 && unit <= 90 ? unit + 32 : unit));

/** Numbers for words and terms, given out as they come. */
export type Lexicon = {
  /** The terms so far by their numbers; valid until the next one comes. */
  terms(): WordContent;
  readonly wordCount: () => number;
  /** The number of the term, a new one where it is not known. */
  term(text: string): number;
  /** The term for the whole of a name that stands from `start` to `end`, behind a mark of its kind. */
  nameTerm(kind: string, units: Units, start: number, end: number): number;
  /** Counts the terms of a word that occurs so many times. */
  count(tally: Tally, word: number, times: number): void;
  /** Marks the terms of the words of a text from `start` to `end` with a rank. */
  mark(tally: Tally, units: Units, start: number, end: number, rank: number): void;
  /** Counts each word of a text from `start` to `end`, and gives how many there were. */
  scan(words: Tally, units: Units, start: number, end: number): number;
};

/** This place, or the one before it where it would part a surrogate pair. */
function betweenPairs(units: Units, at: number): number {
  const unit = units[at] ?? 0;
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/** An empty lexicon. */
export function createLexicon(): Lexicon {
  const [words, parts, terms] = [createWordTable(), createWordTable(), createWordTable()];
  const unitsOf = createUnits();
  // The terms of all words one after the other, and where those of each word begin; the term of each part.
  const list: number[] = [];
  const starts: number[] = [0];
  const partTerms: number[] = [];
  /** The small letters of a name, after what was put before them. */
  let small = new Uint16Array(1 << 10);

  function term(text: string): number {
    const units = unitsOf(text);
    return terms.number(units, 0, units.length, hashBetween(units, 0, units.length));
  }

  function wordNumber(units: Units, start: number, end: number, hash: number): number {
    const before = words.count();
    const number = words.number(units, start, end, hash);
    if (number === before) learn(units, start, end);
    return number;
  }

  /** Says the same as `termsOfWord`, without a string where the word is ASCII and its parts are known. */
  function learn(units: Units, start: number, end: number): void {
    const first = list.length;
    if (isPlain(units, start, end)) learnPlain(units, start, end);
    else for (const each of termsOfWord(textBetween(units, start, end))) addOnce(term(each), first);
    starts.push(list.length);
  }

  function learnPlain(units: Units, start: number, end: number): void {
    const first = list.length;
    let found = 0;
    eachPart(units, start, end, (from, to) => {
      found++;
      addOnce(partTerm(units, from, to), first);
    });
    if (found > 1) addOnce(wholeTerm(units, start, end, 0), first);
  }

  function addOnce(number: number, first: number): void {
    for (let at = first; at < list.length; at++) if (list[at] === number) return;
    list.push(number);
  }

  function partTerm(units: Units, start: number, end: number): number {
    const length = putSmall(units, start, end, 0);
    const before = parts.count();
    const part = parts.number(small, 0, length, hashBetween(small, 0, length));
    if (part === before) partTerms.push(term(stem(textBetween(small, 0, length))));
    return partTerms[part] as number;
  }

  /** The term of a whole name, behind as many units as stand in `small` already. */
  function wholeTerm(units: Units, start: number, end: number, after: number): number {
    const length = putSmall(units, start, end, after);
    return terms.number(small, 0, length, hashBetween(small, 0, length));
  }

  function putSmall(units: Units, start: number, end: number, after: number): number {
    if (small.length < after + end - start) {
      const larger = new Uint16Array((after + end - start) * 2);
      larger.set(small);
      small = larger;
    }
    let length = after;
    for (let at = start; at < end; at++) {
      const unit = units[at] as number;
      if (unit !== underscore && unit !== dollar && unit !== hyphen) small[length++] = smallUnits[unit] as number;
    }
    return length;
  }

  function nameTerm(kind: string, units: Units, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      if ((units[at] as number) > 127) return term(kind + plainName(textBetween(units, start, end)));
    }
    for (let at = 0; at < kind.length; at++) small[at] = kind.charCodeAt(at);
    return wholeTerm(units, start, end, kind.length);
  }

  function scan(tally: Tally, units: Units, start: number, end: number): number {
    let found = 0;
    let at = start;
    while (at < end) {
      let unit = units[at] as number;
      if (unit < 128 && wordUnits[unit] === 0) {
        at++;
        continue;
      }
      const from = at;
      let hash = hashStart;
      do {
        hash = hashOf(hash, unit);
        if (++at === end) break;
        unit = units[at] as number;
      } while (unit >= 128 || wordUnits[unit] === 1);
      if (at - from <= longestWord) {
        found++;
        tally.add(wordNumber(units, from, at, hash), 1);
      } else found += scanPieces(tally, units, from, at);
    }
    return found;
  }

  /** Scripts without spaces have runs of any length. Pieces share a character: words are found by two that are neighbours. */
  function scanPieces(tally: Tally, units: Units, start: number, end: number): number {
    let found = 0;
    for (let from = start; from < end - 1; from += longestWord - 2) {
      const [first, last] = [betweenPairs(units, from), betweenPairs(units, Math.min(end, from + longestWord))];
      if (units.subarray(first, last).every((unit) => unit < 128)) continue;
      tally.add(wordNumber(units, first, last, hashBetween(units, first, last)), 1);
      found++;
    }
    return found;
  }

  function count(tally: Tally, word: number, times: number): void {
    const end = starts[word + 1] as number;
    for (let at = starts[word] as number; at < end; at++) tally.add(list[at] as number, times);
  }

  const named = createTally();
  function mark(tally: Tally, units: Units, start: number, end: number, rank: number): void {
    scan(named, units, start, end);
    for (const word of named.touched()) {
      const last = starts[word + 1] as number;
      for (let at = starts[word] as number; at < last; at++) tally.mark(list[at] as number, rank);
    }
    named.clear();
  }

  return { terms: terms.content, wordCount: words.count, term, nameTerm, scan, count, mark };
}

function hashBetween(units: Units, start: number, end: number): number {
  let hash = hashStart;
  for (let at = start; at < end; at++) hash = hashOf(hash, units[at] as number);
  return hash;
}

function textBetween(units: Units, start: number, end: number): string {
  return Buffer.from(units.buffer, units.byteOffset + start * 2, (end - start) * 2).toString("utf16le");
}

/** Letters, digits and underscores of ASCII, nothing else. */
function isPlain(units: Units, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = units[at] as number;
    if (unit > 127 || unit === dollar) return false;
  }
  return true;
}
