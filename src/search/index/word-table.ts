/** Numbers words in the order of their first occurrence. It hashes UTF-16 units, so that a known word costs no string. */
import { copyInto } from "./growable.ts";

/** The UTF-16 units of a text: reading them by index is faster than from the string. */
export type Units = Uint16Array;

/** Returns the units of one text after the other in the same buffer: each call overwrites the units before. */
export function createUnitReader(): (text: string) => Units {
  let bytes = Buffer.alloc(1 << 10);
  return (text) => {
    const length = text.length * 2;
    if (bytes.length < length) bytes = Buffer.alloc(2 ** Math.ceil(Math.log2(length)));
    bytes.write(text, "utf16le");
    return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  };
}

/** A table of words; the number of a word never changes. */
type WordTable = {
  /** Words so far. */
  count(): number;
  /** The number of the word from `start` to `end` with this hash; a new word gets the next number. */
  number(units: Units, start: number, end: number, hash: number): number;
  /** All words. Valid until the next new word. */
  content(): WordContent;
};

/** The units of all words one after the other, and where those of each begin. */
export type WordContent = { readonly units: Units; readonly starts: Uint32Array };

/** The hash of an empty word (FNV-1a); that of a longer one is made unit by unit. */
export const HASH_START = 0x811c9dc5 | 0;
/** The hash with one more unit. */
export const extendHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** An empty table. */
export function createWordTable(): WordTable {
  /** For each slot a word's hash, and its number plus one; 0 in an empty slot. */
  let slots = new Int32Array(1 << 15);
  let wordUnits = new Uint16Array(1 << 15);
  let starts = new Uint32Array(1 << 13);
  let count = 0;

  function number(units: Units, start: number, end: number, hash: number): number {
    const mask = slots.length - 2;
    let slot = (hash << 1) & mask;
    for (let word = slots[slot + 1] as number; word !== 0; word = slots[slot + 1] as number) {
      if (slots[slot] === hash && isWord(word - 1, units, start, end)) return word - 1;
      slot = (slot + 2) & mask;
    }
    return add(units, start, end, hash, slot);
  }

  function isWord(word: number, units: Units, start: number, end: number): boolean {
    const shift = (starts[word] as number) - start;
    if ((starts[word + 1] as number) !== end + shift) return false;
    for (let index = start; index < end; index++) if (wordUnits[index + shift] !== units[index]) return false;
    return true;
  }

  function add(units: Units, start: number, end: number, hash: number, slot: number): number {
    const wordStart = starts[count] as number;
    const wordEnd = wordStart + end - start;
    if (wordEnd > wordUnits.length)
      wordUnits = copyInto(new Uint16Array(2 ** Math.ceil(Math.log2(wordEnd + 1))), wordUnits);
    if (count + 2 > starts.length) starts = copyInto(new Uint32Array(starts.length * 2), starts);
    for (let index = start; index < end; index++) wordUnits[wordStart + index - start] = units[index] as number;
    slots[slot] = hash;
    slots[slot + 1] = ++count;
    starts[count] = wordEnd;
    if (count * 4 >= slots.length) grow();
    return count - 1;
  }

  function grow(): void {
    const oldSlots = slots;
    slots = new Int32Array(oldSlots.length * 2);
    const mask = slots.length - 2;
    for (let old = 0; old < oldSlots.length; old += 2) {
      if (oldSlots[old + 1] === 0) continue;
      let slot = ((oldSlots[old] as number) << 1) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = oldSlots[old] as number;
      slots[slot + 1] = oldSlots[old + 1] as number;
    }
  }

  return { count: () => count, number, content: () => ({ units: wordUnits, starts }) };
}
