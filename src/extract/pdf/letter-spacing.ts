/** Rejoins words whose letters are set apart, as in headings: their gaps look like spaces. */
import { isSpace, type LineBox, measureHeight } from "./line-box.ts";

/** Characters of a line with their places. `inserted` are the indexes of spaces that are only gaps. */
type SpacedChars = {
  readonly codes: number[];
  readonly starts: number[];
  readonly ends: number[];
  readonly inserted: readonly number[];
};

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
export function closeLetterGaps(chars: SpacedChars, box: LineBox): void {
  const { codes, inserted } = chars;
  if (inserted.length < MIN_GAPS) return;
  const drawn = codes.filter((code) => !isSpace(code));
  // The numbers of an axis are apart too.
  const letters = drawn.filter((code) => /\p{L}/u.test(String.fromCodePoint(code))).length;
  if (inserted.length < MIN_GAP_SHARE * drawn.length || letters < MIN_LETTER_SHARE * drawn.length) return;
  const gaps = inserted.map((index) => measureGap(chars, index)).sort((a, b) => a - b);
  const usual = gaps[gaps.length >> 1] ?? 0;
  if (usual > MAX_LETTER_GAP * measureHeight(box)) return;
  const letterGaps = new Set(inserted.filter((index) => measureGap(chars, index) < MIN_WORD_FACTOR * usual));
  for (const list of [codes, chars.starts, chars.ends]) {
    const kept = list.filter((_, index) => !letterGaps.has(index));
    list.splice(0, list.length, ...kept);
  }
}

function measureGap({ starts, ends }: SpacedChars, index: number): number {
  return (ends[index] ?? 0) - (starts[index] ?? 0);
}
