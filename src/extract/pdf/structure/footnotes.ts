/** Finds the notes at the foot of a page and the superscripts that refer to them. */
import type { Box } from "../glyphs.ts";
import { isSpace, measureHeight } from "../line-box.ts";
import { type LineChars, writeCodes } from "../line-chars.ts";
import { joinLines } from "../page-text.ts";
import { type Line, sharesRow, withChars } from "../text-lines.ts";
import type { TextStyle } from "../text-styles.ts";
import type { TagBlock } from "./tags.ts";

/** The lines of a page without its notes, which are written as `[^1]: text`; the lines refer to them as `[^1]`. */
export type FootnotedPage = { readonly lines: readonly Line[]; readonly notes: readonly string[] };

/** What notes are recognised by, beside the lines. */
type NoteContext = { readonly body: TextStyle; readonly page: Box; readonly tags: readonly TagBlock[] };

/** Takes the notes out of the lines. A note needs a label that a superscript of the page has. */
export function takeFootnotes(lines: readonly Line[], context: NoteContext): FootnotedPage {
  const unchanged = { lines, notes: [] };
  const runs = findRuns(lines, context);
  if (runs.length === 0) return unchanged;
  const isInRun = (line: Line): boolean => runs.some((run) => run.includes(line));
  const references = findReferences(lines, isInRun, context.body);
  const notes = runs.flatMap((run) => splitNotes(run, references) ?? []);
  if (notes.length === 0) return unchanged;
  const labels = new Set(notes.map(({ label }) => label));
  const noteLines = new Set(notes.flatMap((note) => note.lines));
  const used = references.filter(({ label, line }) => labels.has(label) && !noteLines.has(line));
  const byLine = Map.groupBy(used, ({ line }) => line);
  return {
    lines: lines.filter((line) => !noteLines.has(line)).map((line) => writeReferences(line, byLine.get(line) ?? [])),
    notes: notes.map(writeNote),
  };
}

/** A note and its lines; the first of them begins with the label. */
type Note = { readonly label: string; readonly lines: readonly Line[] };

/** The label of a note at the start of its text. */
const label = /^(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3}|[a-z](?=[\s.)]))[.)]?(?=\s|\p{L}|["'(\u201c\u00ab]|$)/u;
/** Notes are smaller than the text. */
const MAX_NOTE_SIZE = 0.95;
/** The lines of notes follow each other at most so far apart, in line heights. */
const MAX_DROP = 1.9;
/** A page with more lines is not searched. */
const MAX_LINES = 1_000;

/** Runs of small lines at the foot of the page or of a column, the first of which has a label. */
function findRuns(lines: readonly Line[], context: NoteContext): Line[][] {
  const runs: Line[][] = [];
  if (lines.length > MAX_LINES) return runs;
  for (let index = 0; index < lines.length; ) {
    const run: Line[] = [];
    for (; index < lines.length; index += 1) {
      const [line, last] = [lines[index], run.at(-1)];
      if (
        line === undefined ||
        !isSmall(line, context) ||
        (last === undefined ? !label.test(line.text) : !follows(last, line))
      )
        break;
      run.push(line);
    }
    if (run.length === 0) index += 1;
    else if (isAtFoot(run, lines, context.page)) runs.push(run);
  }
  return runs;
}

function isSmall({ turns, owner, style, block }: Line, { body, tags }: NoteContext): boolean {
  return turns === 0 && owner === 0 && (style.size <= MAX_NOTE_SIZE * body.size || tags[block]?.kind === "note");
}

function follows(last: Line, line: Line): boolean {
  const drop = (last.bottom - line.bottom) / Math.max(measureHeight(last), measureHeight(line));
  return drop < MAX_DROP && (drop > 0.5 || sharesRow(last, line));
}

/** Below this share of the page's height are running lines. */
const EDGE_SHARE = 0.12;

/** Whether nothing is below a run but running lines. */
function isAtFoot(run: readonly Line[], lines: readonly Line[], page: Box): boolean {
  const bottom = Math.min(...run.map((line) => line.bottom));
  const [start, end] = [Math.min(...run.map((line) => line.start)), Math.max(...run.map((line) => line.end))];
  const edge = page.bottom + EDGE_SHARE * (page.top - page.bottom);
  return lines.every(
    (line) =>
      run.includes(line) ||
      line.turns !== 0 ||
      line.top > bottom ||
      line.end < start ||
      line.start > end ||
      line.top < edge,
  );
}

/** A superscript of a line: its characters, end excluded. */
type Reference = { readonly label: string; readonly line: Line; readonly from: number; readonly to: number };

function findReferences(lines: readonly Line[], isInRun: (line: Line) => boolean, body: TextStyle): Reference[] {
  return lines.flatMap((line, index) => {
    if (isInRun(line)) return [];
    const before = lines[index - 1];
    if (before !== undefined && isRaisedLine(before, line, body))
      return [{ label: line.text.trim(), line, from: 0, to: line.chars.codes.length }];
    return [...findSuperscripts(line), ...findSigns(line)];
  });
}

/** PDFium reports some superscripts as lines. */
function isRaisedLine(before: Line, line: Line, body: TextStyle): boolean {
  if (line.text.length > 3 || !label.test(line.text) || line.style.size > 0.87 * body.size) return false;
  if (isExponent(before.chars.codes, before.chars.codes.length)) return false;
  const gap = line.start - before.end;
  return before.bottom < line.bottom && sharesRow(before, line) && gap > -1 && gap < 0.5 * measureHeight(before);
}

function findSuperscripts(line: Line): Reference[] {
  const { codes, raised } = line.chars;
  const references: Reference[] = [];
  for (let index = 0; index < raised.length; ) {
    const from = raised[index] ?? 0;
    let to = from;
    for (; raised[index] === to; index += 1) to += 1;
    const text = writeCodes(codes.subarray(from, to)).trim();
    if (label.test(text) && text.length <= 3 && !isExponent(codes, from))
      references.push({ label: text, line, from, to });
  }
  return references;
}

/** After a digit, a variable or a unit of length, a superscript is an exponent. */
function isExponent(codes: Uint32Array, from: number): boolean {
  const before = writeCodes(codes.subarray(Math.max(0, from - 4), from)).trimEnd();
  return /\p{N}$|(?:^|[^\p{L}])(?:\p{L}|[cdkmn\u00b5\u03bc]m|ft|in)$/u.test(before);
}

/** Signs are as large as the text; they end a word. */
function findSigns(line: Line): Reference[] {
  const { codes, raised } = line.chars;
  const text = writeCodes(codes.subarray(0, MAX_SIGN_CHARS));
  if (text.length !== Math.min(codes.length, MAX_SIGN_CHARS)) return [];
  return [...text.matchAll(/(?<=[\p{L}.,;:)\u201d"])[*\u2020\u2021\u00a7\u00b6]{1,3}(?=\s|$|[.,;:])/gu)].flatMap(
    (match) =>
      raised.includes(match.index)
        ? []
        : [{ label: match[0], line, from: match.index, to: match.index + match[0].length }],
  );
}

/** Lines are not longer. */
const MAX_SIGN_CHARS = 1_000;

/** The notes of a run; null if it is a list, in which not every entry is referred to. */
function splitNotes(run: readonly Line[], references: readonly Reference[]): Note[] | null {
  const wanted = new Set(references.map((reference) => reference.label));
  const notes: { label: string; lines: Line[] }[] = [];
  for (const line of run) {
    const found = label.exec(line.text)?.[1];
    const last = notes.at(-1);
    const isNext = Number(found) === Number(last?.label) + 1;
    if (found !== undefined && wanted.has(found) && !notes.some((note) => note.label === found))
      notes.push({ label: found, lines: [line] });
    else if (last === undefined || isNext) return null;
    else last.lines.push(line);
  }
  return notes.every(hasWords) ? notes : null;
}

/** The letters of a formula are not a note. */
function hasWords({ label: name, lines }: Note): boolean {
  return /\p{L}{2}/u.test(
    lines
      .map(({ text }) => text)
      .join(" ")
      .slice(name.length),
  );
}

function writeNote({ label: name, lines }: Note): string {
  const text = joinLines(lines).replace(/\s+/g, " ").trim().slice(name.length);
  return `[^${name}]: ${text.replace(/^[.)]?\s*/, "")}`;
}

const toCodes = (text: string): number[] => [...text].map((char) => char.codePointAt(0) ?? 0);

/** The line with its superscripts as `[^1]`, without a space before them. */
function writeReferences(line: Line, references: readonly Reference[]): Line {
  return references.toReversed().reduce((current, { label: name, from, to }) => {
    const { codes, starts, ends } = current.chars;
    const before = isSpace(codes[from - 1] ?? 0) ? from - 1 : from;
    const written = toCodes(`[^${name}]`);
    const replace = (list: ArrayLike<number>, values: readonly number[]): number[] => {
      const numbers = Array.from(list);
      return [...numbers.slice(0, before), ...values, ...numbers.slice(to)];
    };
    const place = (list: ArrayLike<number>, at: number): number[] =>
      replace(
        list,
        written.map(() => list[at] ?? 0),
      );
    const chars: LineChars = {
      codes: Uint32Array.from(replace(codes, written)),
      starts: Float64Array.from(place(starts, from)),
      ends: Float64Array.from(place(ends, to - 1)),
      raised: [],
    };
    return withChars(current, chars);
  }, line);
}
