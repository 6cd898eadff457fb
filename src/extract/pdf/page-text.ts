/** Writes the lines of a page as text a reader can follow: rows, paragraphs and whole words. */
import { cellGap, heightOf, type Line, sharesRow, wordGap } from "./text-lines.ts";

/** The text of a page, without a final newline. */
export function writeLines(lines: readonly Line[]): string {
  const ordered = placeFields(lines);
  const leading = usualLeading(ordered);
  let text = ordered[0]?.text ?? "";
  for (let index = 1; index < ordered.length; index += 1) {
    const [before, line, after] = ordered.slice(index - 1, index + 2);
    if (before === undefined || line === undefined) break;
    const isNew = startsParagraph(before, line, leading) || isIndented(before, line, after);
    text = joinLine(text, before, line, isNew);
  }
  return expand(ordered.at(-1)?.hyphenated ? `${text}-` : text);
}

/** More comparisons than this are not worth a better order. */
const mostComparisons = 4_000_000;

/** Form fields come last in the content; a reader wants each behind its label. */
function placeFields(lines: readonly Line[]): readonly Line[] {
  const own = lines.filter(({ owner }) => owner === 0);
  const fields = Map.groupBy(
    lines.filter(({ owner }) => owner !== 0),
    ({ owner }) => owner,
  );
  if (fields.size === 0 || fields.size * own.length > mostComparisons) return lines;
  const byAnchor = Map.groupBy(fields.values(), ([first]) => (first === undefined ? null : anchorOf(first, own)));
  const followersOf = (anchor: Line | null): Line[] => (byAnchor.get(anchor) ?? []).sort(byPlace).flat();
  return [...own.flatMap((line) => [line, ...followersOf(line)]), ...followersOf(null)];
}

/** Fields whose feet are this near stand in one row. */
const rowPoints = 8;

function byPlace([a]: readonly Line[], [b]: readonly Line[]): number {
  if (a === undefined || b === undefined) return 0;
  return Math.round(b.bottom / rowPoints) - Math.round(a.bottom / rowPoints) || a.start - b.start;
}

/** The line left of a field in its row, else the nearest one above it; null when there is neither. */
function anchorOf(field: Line, own: readonly Line[]): Line | null {
  let best: Line | null = null;
  let bestDistance = Infinity;
  for (const line of own) {
    const distance = distanceTo(field, line);
    if (distance > bestDistance || distance === Infinity) continue;
    best = line;
    bestDistance = distance;
  }
  return best;
}

/** Lines of the same row come before any line above, whatever the distance. */
const otherRow = 1e6;

function distanceTo(field: Line, line: Line): number {
  if (line.turns !== field.turns) return Infinity;
  if (sharesRow(line, field)) return line.start <= field.start ? Math.max(0, field.start - line.end) : Infinity;
  if (line.bottom < field.bottom) return Infinity;
  return otherRow + (line.bottom - field.top) + Math.max(0, line.start - field.end, field.start - line.end);
}

function joinLine(text: string, before: Line, line: Line, isNew: boolean): string {
  const hyphen = before.hyphenated ? "-" : "";
  if (before.turns === line.turns && follows(before, line)) return text + hyphen + rowGap(before, line) + line.text;
  if (before.hyphenated && goesOn(before, line)) return joinWord(text, line);
  return `${text}${hyphen}${isNew ? "\n\n" : "\n"}${line.text}`;
}

/** True where PDFium broke a row: before a raised or lowered character, or at a wide gap. */
function follows(before: Line, line: Line): boolean {
  return sharesRow(before, line) && line.start >= before.end - 0.3 * Math.min(heightOf(before), heightOf(line));
}

function rowGap(before: Line, line: Line): string {
  const gap = (line.start - before.end) / Math.min(heightOf(before), heightOf(line));
  if (gap > cellGap) return "\t";
  return gap > wordGap || before.owner !== line.owner ? " " : "";
}

/** Half a word goes on in the next line, in small letters; else the hyphen is part of a name or a list. */
function goesOn(before: Line, line: Line): boolean {
  return before.turns === line.turns && dropOf(before, line) > 0.5 && /^\p{Ll}/u.test(line.text);
}

/** The rest of the broken word comes up, so that lines keep their length and the word is whole. */
function joinWord(text: string, line: Line): string {
  const wordEnd = line.text.search(/\s/);
  if (wordEnd < 0) return text + line.text;
  return `${text}${line.text.slice(0, wordEnd)}\n${line.text.slice(wordEnd + 1)}`;
}

/** How far the second line stands below the first, in line heights. */
function dropOf(before: Line, line: Line): number {
  return (before.bottom - line.bottom) / Math.max(heightOf(before), heightOf(line));
}

/** The usual distance of two lines, in line heights: the median of those that follow each other downwards. */
function usualLeading(lines: readonly Line[]): number {
  const drops: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const drop = before === undefined ? 0 : dropOf(before, line);
    if (drop > 0.5 && drop < 3) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops[drops.length >> 1] ?? 1.2;
}

function startsParagraph(before: Line, line: Line, leading: number): boolean {
  if (before.turns !== line.turns) return true;
  const drop = dropOf(before, line);
  if (drop < 0 || drop > leading * 1.3) return true;
  return heightOf(line) > 1.3 * heightOf(before) || heightOf(before) > 1.3 * heightOf(line);
}

/** True for a first line that is set in, between lines that start further left. */
function isIndented(before: Line, line: Line, after: Line | undefined): boolean {
  if (after === undefined || after.turns !== line.turns) return false;
  const height = heightOf(line);
  const indent = line.start - Math.max(before.start, after.start);
  return indent > 0.6 * height && indent < 5 * height && Math.abs(before.start - after.start) < 0.3 * height;
}

const shapes = /[\ufb00-\ufdff\ufe70-\ufefc\u2f00-\u2fdf]/g;

/** Ligatures, Arabic letter shapes and radicals stand for ordinary letters; searches look for those. */
function expand(text: string): string {
  return text.replace(shapes, (shape) => shape.normalize("NFKC")).replace(/\u00ad/g, "");
}
