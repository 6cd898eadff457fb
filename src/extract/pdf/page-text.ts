/** Writes the lines of a page as text with rows, paragraphs and whole words. */
import { measureHeight } from "./line-box.ts";
import { placeFields } from "./place-fields.ts";
import { CELL_GAP, type Line, sharesRow, WORD_GAP } from "./text-lines.ts";

/** The text of a page, without a final newline. */
export function writeLines(lines: readonly Line[]): string {
  return normalizeLetters(joinLines(placeFields(lines)));
}

/** The text of lines that are in reading order: rows, paragraphs and whole words. */
export function joinLines(lines: readonly Line[]): string {
  const leading = medianLeading(lines);
  let text = lines[0]?.text ?? "";
  for (let index = 1; index < lines.length; index += 1) {
    const [before, line, after] = [lines[index - 1], lines[index], lines[index + 1]];
    if (before === undefined || line === undefined) break;
    const isNewParagraph = startsParagraph(before, line, leading) || isIndented(before, line, after);
    text = joinLine(text, before, line, isNewParagraph);
  }
  return lines.at(-1)?.endsWithHyphen ? `${text}-` : text;
}

function joinLine(text: string, before: Line, line: Line, isNewParagraph: boolean): string {
  const hyphen = before.endsWithHyphen ? "-" : "";
  if (before.turns === line.turns && continuesRow(before, line))
    return text + hyphen + rowGap(before, line) + line.text;
  if (before.endsWithHyphen && continuesWord(before, line)) return joinWord(text, line);
  return `${text}${hyphen}${isNewParagraph ? "\n\n" : "\n"}${line.text}`;
}

/** Whether PDFium split a row here: before a superscript or subscript, or at a wide gap. */
function continuesRow(before: Line, line: Line): boolean {
  return (
    sharesRow(before, line) && line.start >= before.end - 0.3 * Math.min(measureHeight(before), measureHeight(line))
  );
}

function rowGap(before: Line, line: Line): string {
  const gap = (line.start - before.end) / Math.min(measureHeight(before), measureHeight(line));
  if (gap > CELL_GAP) return "\t";
  return gap > WORD_GAP || before.owner !== line.owner ? " " : "";
}

/** A split word continues in lowercase on the next line; otherwise the hyphen is part of a name or a list. */
function continuesWord(before: Line, line: Line): boolean {
  return before.turns === line.turns && measureDrop(before, line) > 0.5 && /^\p{Ll}/u.test(line.text);
}

/** Moves the rest of a split word up, so that the word is whole and the lines keep their length. */
function joinWord(text: string, line: Line): string {
  const wordEnd = line.text.search(/\s/);
  if (wordEnd < 0) return text + line.text;
  return `${text}${line.text.slice(0, wordEnd)}\n${line.text.slice(wordEnd + 1)}`;
}

/** How far the second line is below the first, in line heights. */
function measureDrop(before: Line, line: Line): number {
  return (before.bottom - line.bottom) / Math.max(measureHeight(before), measureHeight(line));
}

/** The median distance between consecutive lines, in line heights. */
function medianLeading(lines: readonly Line[]): number {
  const drops: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const drop = before === undefined ? 0 : measureDrop(before, line);
    if (drop > 0.5 && drop < 3) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops[drops.length >> 1] ?? 1.2;
}

function startsParagraph(before: Line, line: Line, leading: number): boolean {
  if (before.turns !== line.turns) return true;
  const drop = measureDrop(before, line);
  if (drop < 0 || drop > leading * 1.3) return true;
  return measureHeight(line) > 1.3 * measureHeight(before) || measureHeight(before) > 1.3 * measureHeight(line);
}

/** Whether a line is indented, between lines that start further left. */
function isIndented(before: Line, line: Line, after: Line | undefined): boolean {
  if (after === undefined || after.turns !== line.turns) return false;
  const height = measureHeight(line);
  const indent = line.start - Math.max(before.start, after.start);
  return indent > 0.6 * height && indent < 5 * height && Math.abs(before.start - after.start) < 0.3 * height;
}

const SOFT_HYPHEN = "\u00ad";
const presentationForms = /[\ufb00-\ufdff\ufe70-\ufefc\u2f00-\u2fdf\u00ad]/g;

/**
 * Replaces ligatures, Arabic letter shapes and radicals by ordinary letters, which searches look for, and removes soft
 * hyphens.
 */
export function normalizeLetters(text: string): string {
  return text.replace(presentationForms, (shape) => (shape === SOFT_HYPHEN ? "" : shape.normalize("NFKC")));
}
