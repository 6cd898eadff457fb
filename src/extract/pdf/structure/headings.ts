/** Decides which lines are headings: by tags, by bookmarks, by size, weight and numbering. */
import type { Box } from "../glyphs.ts";
import { measureHeight } from "../line-box.ts";
import type { Line } from "../text-lines.ts";
import type { TextStyle } from "../text-styles.ts";
import type { TagBlock } from "./tags.ts";

/** What headings are recognised by, beside the lines. */
export type HeadingContext = {
  readonly body: TextStyle;
  readonly tags: readonly TagBlock[];
  /** The level of each line that a bookmark leads to. */
  readonly bookmarked: ReadonlyMap<Line, number>;
  readonly page: Box;
};

/** A bookmark that leads to this page. */
export type PageBookmark = { readonly label: string; readonly level: number };

/** How much larger than the body text, from which on it is a heading of this level. */
const levelRatios = [1.75, 1.4, 1.12] as const;
export const SMALLEST_SIZED_LEVEL = levelRatios.length;
/** A heading in the size of the body text must be bold, and is below those that are larger. */
const BOLD_LEVEL = 4;
const MIN_BOLD_RATIO = 0.8;
/** Longer lines are text, in characters. */
const MAX_LARGE_CHARS = 200;
const MAX_BOLD_CHARS = 90;
/** A bold line that is a heading has more room above it than lines of a paragraph, in line heights. */
const MIN_ROOM = 0.35;

/** The level of the heading that a line is; null if it is none. */
export function findHeadingLevel(
  line: Line,
  before: Line | undefined,
  after: Line | undefined,
  context: HeadingContext,
): number | null {
  const tag = context.tags[line.block];
  if (tag?.kind === "heading") return tag.level;
  const bookmarkLevel = context.bookmarked.get(line);
  if (bookmarkLevel !== undefined) return bookmarkLevel;
  if (line.block !== 0 && context.tags.some(({ kind }) => kind === "heading")) return null;
  if (!/\p{L}{2}/u.test(line.text) || isAtEdge(line, context.page)) return null;
  return levelBySize(line, context.body) ?? levelByWeight(line, before, after, context.body);
}

/** What is so near the edge of the paper is a running line; a share of the page's height. */
const EDGE_SHARE = 0.04;

function isAtEdge({ top, bottom, turns }: Line, page: Box): boolean {
  const edge = EDGE_SHARE * (page.top - page.bottom);
  return turns === 0 && (bottom > page.top - edge || top < page.bottom + edge);
}

/** The lines that bookmarks lead to. A table of contents has the same words in smaller type. */
export function findBookmarked(lines: readonly Line[], bookmarks: readonly PageBookmark[]): ReadonlyMap<Line, number> {
  const levels = new Map<Line, number>();
  if (bookmarks.length === 0) return levels;
  const linesByWords = Map.groupBy(lines, ({ text }) => toWords(text));
  for (const { label, level } of bookmarks) {
    const words = toWords(label);
    const matches = words === "" ? [] : (linesByWords.get(words) ?? []).filter((line) => !levels.has(line));
    const [best] = matches.sort((a, b) => measureWeight(b) - measureWeight(a));
    if (best !== undefined) levels.set(best, level);
  }
  return levels;
}

function measureWeight({ style }: Line): number {
  return style.size + (style.isBold ? 0.5 : 0);
}

/** Bookmarks and headings differ in spaces and numbering. */
function toWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[\d.]+\s+/, "")
    .replace(/[^\p{L}\p{N}•]/gu, "");
}

function levelBySize({ style, text }: Line, body: TextStyle): number | null {
  if (text.length > MAX_LARGE_CHARS) return null;
  const index = levelRatios.findIndex((ratio) => style.size >= ratio * body.size);
  // Text that is only a little larger may be a summary.
  if (index === -1 || (index === levelRatios.length - 1 && /[.,;]$/.test(text))) return null;
  return index + 1;
}

function levelByWeight(
  line: Line,
  before: Line | undefined,
  after: Line | undefined,
  { size, isBold }: TextStyle,
): number | null {
  const { style, text } = line;
  if (isBold || !style.isBold || style.isMono || style.size < MIN_BOLD_RATIO * size || text.length > MAX_BOLD_CHARS)
    return null;
  if (/[.,;:]$/.test(text) || text.includes("\t") || line.endsWithHyphen) return null;
  if (before !== undefined && !hasRoom(before, line)) return null;
  // The next line of a bold paragraph, or the rest of a row.
  if (after !== undefined && (continuesRow(line, after) || (after.style.isBold && !hasRoom(line, after)))) return null;
  return BOLD_LEVEL;
}

function hasRoom(above: Line, below: Line): boolean {
  const gap = above.bottom - below.top;
  return gap < -measureHeight(below) || gap > MIN_ROOM * measureHeight(below);
}

function continuesRow(line: Line, after: Line): boolean {
  return Math.abs(line.bottom - after.bottom) < 0.3 * measureHeight(line) && after.start > line.start;
}

/** Whether a line is the second line of a heading. */
export function continuesHeading(line: Line, next: Line): boolean {
  const isSameStyle = Math.abs(line.style.size - next.style.size) < 0.1 * line.style.size;
  const drop = (line.bottom - next.bottom) / measureHeight(line);
  return isSameStyle && line.block === next.block && drop > 0.5 && drop < 1.7;
}
