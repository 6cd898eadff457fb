/** Numbers for words, given out as they come: a hash table on UTF-16 units, so that a word seen before costs no string. */
import { moved } from "./growable.ts";

/** The units of a text: read by number, which is faster than from the text itself. */
export type Units = Uint16Array;

/** Gives the units of one text after the other in the same place; those of the text before are gone then. */
export function createUnits(): (text: string) => Units {
  let bytes = Buffer.alloc(1 << 10);
  return (text) => {
    const length = text.length * 2;
    if (bytes.length < length) bytes = Buffer.alloc(2 ** Math.ceil(Math.log2(length)));
    bytes.write(text, "utf16le");
    return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  };
}

/** A word keeps the number it is given. */
export type WordTable = {
  /** Words so far. */
  count(): number;
  /** The number of what stands from `start` to `end`, whose hash is given; a new one where it is not known. */
  number(units: Units, start: number, end: number, hash: number): number;
  /** The units of all words one after the other, and where those of each begin; valid until the next word comes. */
  content(): WordContent;
};

/** The words of a table, by number. */
export type WordContent = { readonly units: Units; readonly starts: Uint32Array };

/** The hash of a word is made unit by unit, beginning with this. */
export const hashStart = 0x811c9dc5 | 0;
/** The hash with one unit more. */
export const hashOf = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** An empty table. */
export function createWordTable(): WordTable {
  /** A word's hash and its number plus one, side by side; 0 where there is none. */
  let slots = new Int32Array(1 << 15);
  let known = new Uint16Array(1 << 15);
  let starts = new Uint32Array(1 << 13);
  let count = 0;

  function number(units: Units, start: number, end: number, hash: number): number {
    const mask = slots.length - 2;
    let slot = (hash << 1) & mask;
    for (let word = slots[slot + 1] as number; word !== 0; word = slots[slot + 1] as number) {
      if (slots[slot] === hash && isSame(word - 1, units, start, end)) return word - 1;
      slot = (slot + 2) & mask;
    }
    return add(units, start, end, hash, slot);
  }

  function isSame(word: number, units: Units, start: number, end: number): boolean {
    const shift = (starts[word] as number) - start;
    if ((starts[word + 1] as number) !== end + shift) return false;
    for (let at = start; at < end; at++) if (known[at + shift] !== units[at]) return false;
    return true;
  }

  function add(units: Units, start: number, end: number, hash: number, slot: number): number {
    const from = starts[count] as number;
    const to = from + end - start;
    if (to > known.length) known = moved(known, new Uint16Array(2 ** Math.ceil(Math.log2(to + 1))));
    if (count + 2 > starts.length) starts = moved(starts, new Uint32Array(starts.length * 2));
    for (let at = start; at < end; at++) known[from + at - start] = units[at] as number;
    slots[slot] = hash;
    slots[slot + 1] = ++count;
    starts[count] = to;
    if (count * 4 >= slots.length) grow();
    return count - 1;
  }

  function grow(): void {
    const before = slots;
    slots = new Int32Array(before.length * 2);
    const mask = slots.length - 2;
    for (let old = 0; old < before.length; old += 2) {
      if (before[old + 1] === 0) continue;
      let slot = ((before[old] as number) << 1) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = before[old] as number;
      slots[slot + 1] = before[old + 1] as number;
    }
  }

  return { count: () => count, number, content: () => ({ units: known, starts }) };
}
