/** Finds how the body text is set; headings differ from it. */
import type { Line } from "../text-lines.ts";
import type { TextStyle } from "../text-styles.ts";

/** With fewer characters nothing can be said, and the usual size is assumed. */
const MIN_CHARS = 200;
const USUAL_SIZE = 11;
/** Footnotes and tables may have more characters than the text, but the text is larger. */
const MIN_BODY_SHARE = 0.25;
/** A manual may have more code than text; above this share the whole document is typed. */
const MIN_MONO_SHARE = 0.85;

/** The style of the text on these pages. */
export function findBodyStyle(pages: readonly (readonly Line[])[]): TextStyle {
  const charsBySize = new Map<number, number>();
  let [total, bold, mono] = [0, 0, 0];
  for (const counts of pages.map(countStyles)) {
    total += counts.total;
    bold += counts.bold;
    mono += counts.mono;
    for (const [size, chars] of counts.charsBySize) charsBySize.set(size, (charsBySize.get(size) ?? 0) + chars);
  }
  const proseChars = total - mono;
  const sizes = [...charsBySize].filter(([, chars]) => chars >= MIN_BODY_SHARE * proseChars).map(([size]) => size);
  const size = proseChars < MIN_CHARS ? USUAL_SIZE : Math.max(...sizes, mostUsed(charsBySize));
  return { size, isBold: bold > total / 2, isMono: mono > MIN_MONO_SHARE * total };
}

type StyleCounts = {
  readonly charsBySize: ReadonlyMap<number, number>;
  readonly total: number;
  readonly bold: number;
  readonly mono: number;
};

/** A page is counted for itself and for the pages after it. */
const countsByPage = new WeakMap<readonly Line[], StyleCounts>();

function countStyles(lines: readonly Line[]): StyleCounts {
  const known = countsByPage.get(lines);
  if (known !== undefined) return known;
  const charsBySize = new Map<number, number>();
  let [total, bold, mono] = [0, 0, 0];
  for (const { style, text } of lines) {
    total += text.length;
    if (style.isBold) bold += text.length;
    if (style.isMono) mono += text.length;
    else charsBySize.set(style.size, (charsBySize.get(style.size) ?? 0) + text.length);
  }
  const counts = { charsBySize, total, bold, mono };
  countsByPage.set(lines, counts);
  return counts;
}

function mostUsed(charsBySize: ReadonlyMap<number, number>): number {
  let [best, most] = [USUAL_SIZE, 0];
  for (const [size, chars] of charsBySize) if (chars > most) [best, most] = [size, chars];
  return best;
}
