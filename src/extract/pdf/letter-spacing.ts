/** Rejoins words whose letters are set apart, as in headings: their gaps look like spaces. */
import { isSpace, type LineBox, measureHeight } from "./line-box.ts";
import { type CharStore, pushChar } from "./line-chars.ts";

/** A line whose characters are the last ones of the store. `inserted` are the indexes of spaces that are only gaps. */
type SpacedLine = LineBox & { readonly store: CharStore; readonly from: number; readonly inserted: readonly number[] };

/** Fewer gaps say nothing. */
const MIN_GAPS = 4;
/** Of the letters of such a line most are followed by a gap. */
const MIN_GAP_SHARE = 0.4;
const MIN_LETTER_SHARE = 0.8;
/** A gap between letters is at most this wide, in line heights; wider ones separate the cells of a table. */
const MAX_LETTER_GAP = 0.3;
/** A gap between words is wider than one between letters by this factor. */
const MIN_WORD_FACTOR = 1.6;

/** Removes the spaces between the letters of words. */
export function closeLetterGaps(line: SpacedLine): void {
  const { store, from, inserted } = line;
  if (inserted.length < MIN_GAPS) return;
  const drawn = store.codes.subarray(from, store.length).filter((code) => !isSpace(code));
  if (inserted.length < MIN_GAP_SHARE * drawn.length) return;
  // The numbers of an axis are apart too.
  const letters = drawn.filter((code) => /\p{L}/u.test(String.fromCodePoint(code))).length;
  if (letters < MIN_LETTER_SHARE * drawn.length) return;
  const gaps = inserted.map((index) => measureGap(store, index)).sort((a, b) => a - b);
  const usual = gaps[gaps.length >> 1] ?? 0;
  if (usual > MAX_LETTER_GAP * measureHeight(line)) return;
  removeChars(store, from, new Set(inserted.filter((index) => measureGap(store, index) < MIN_WORD_FACTOR * usual)));
}

function measureGap({ starts, ends }: CharStore, index: number): number {
  return (ends[index] ?? 0) - (starts[index] ?? 0);
}

/** Moves the other characters together. */
function removeChars(store: CharStore, from: number, removed: ReadonlySet<number>): void {
  const { codes, starts, ends, length } = store;
  store.length = from;
  for (let index = from; index < length; index += 1)
    if (!removed.has(index)) pushChar(store, codes[index] ?? 0, starts[index] ?? 0, ends[index] ?? 0);
}
