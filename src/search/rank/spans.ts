/** Chooses the spans of a file to show: the best chunk cut to the lines that match, and the blocks of it and of others that match. */
import { type Chunk, type Lines, measureLines } from "../index/chunk.ts";
import { type Definition, findDefinition } from "../index/definitions.ts";
import { findImportLines } from "../index/file-roles.ts";
import type { StoredText } from "../index/store/index-store.ts";
import type { Hit, HitFinder } from "./hits.ts";
import { limitsAt, SPAN_FRAME_CHARS, type SpanLimits } from "./weights.ts";

/** Whole lines of a file, counted from 1. */
export type Span = { readonly startLine: number; readonly endLine: number };

/** Lines to show. Where they are too long to show whole, the part around this offset of the text is shown. */
export type ChosenSpan = Span & { readonly focus: number };

/** Whether a span contains a line. */
export const containsLine = ({ startLine, endLine }: Span, line: number): boolean =>
  startLine <= line && line <= endLine;

/** Whether two spans have a line in common. */
export const overlaps = (one: Span, other: Span): boolean =>
  one.startLine <= other.endLine && other.startLine <= one.endLine;

/** A chunk of the file by its index in it, and its score. */
export type ScoredChunk = { readonly index: number; readonly score: number };

/** The share of the best chunk's score that another chunk needs to be shown. */
const MIN_SCORE_SHARE = 0.3;

/** The best span first, then more by their score, as many as the limits allow. The first contains the line, if one is given. */
export function chooseSpans(
  file: StoredText,
  chunks: readonly ScoredChunk[],
  finder: HitFinder,
  { line = null, limits = limitsAt(0) }: { readonly line?: number | null; readonly limits?: SpanLimits } = {},
): ChosenSpan[] {
  const bestScore = chunks[0]?.score ?? 0;
  const candidates = oncePerLine(
    chunks.flatMap(({ index, score }) => {
      const chunk = score >= bestScore * MIN_SCORE_SHARE ? file.chunks[index] : undefined;
      return chunk === undefined ? [] : [{ ...chunk, share: score / bestScore }];
    }),
  );
  const measured = candidates.slice(0, MAX_BLOCK_CHUNKS).map((chunk) => measureChunk(file, chunk, finder));
  const [best, ...others] = line === null ? withoutImports(measured) : measured;
  if (best === undefined) return firstSpan(file);
  const main = chooseMain(best, finder, line, isShownWhole(file, limits) ? Infinity : limits.mainChars);
  const blocks = [best, ...others].flatMap((chunk) => findBlocks(chunk, limits.furtherChars));
  const further = chooseBlocks(blocks, main, limits).map(({ chunk, window }) => {
    const span = toSpan(chunk, window);
    return { ...span, focus: chunk.start + findFocus(chunk, span, finder) };
  });
  return [main, ...further];
}

/** The share of the room for further spans that a small file may have beside its main span to be shown whole. */
const WHOLE_FILE_SHARE = 0.5;

function isShownWhole({ text, chunks }: StoredText, { mainChars, totalChars }: SpanLimits): boolean {
  return chunks.length === 1 && text.length <= mainChars + totalChars * WHOLE_FILE_SHARE;
}

/** The blocks with the best scores that have room. */
function chooseBlocks(blocks: readonly ScoredBlock[], main: Span, limits: SpanLimits): ScoredBlock[] {
  const chosen: ScoredBlock[] = [];
  let room = limits.totalChars;
  for (const block of blocks.toSorted((one, other) => other.score - one.score)) {
    if (chosen.length === limits.furtherSpans) break;
    const cost = countChars(block.chunk.lines, block.window) + SPAN_FRAME_CHARS;
    if (cost > room || overlaps(main, toSpan(block.chunk, block.window))) continue;
    chosen.push(block);
    room -= cost;
  }
  return widenBlocks(chosen, main, room);
}

/** In the room that is left, a line that matches is shown with the definition it is in, and a definition with its comment. */
const MAX_WIDER_CHARS = 100;

function widenBlocks(blocks: readonly ScoredBlock[], main: Span, freeChars: number): ScoredBlock[] {
  let room = freeChars;
  return blocks.map((block) => {
    const window = withDefinition(block, Math.min(room, MAX_WIDER_CHARS));
    if (overlaps(main, toSpan(block.chunk, window))) return block;
    room -= countChars(block.chunk.lines, window) - countChars(block.chunk.lines, block.window);
    return { ...block, window };
  });
}

/** Chunks whose blocks may be shown. */
const MAX_BLOCK_CHUNKS = 12;

/** A chunk and its share of the best chunk's score. */
type CandidateChunk = Chunk & { readonly share: number };

/** A chunk with its text and its lines: the definition in each, the hits of each, and whether it imports something. */
type MeasuredChunk = CandidateChunk & {
  readonly text: string;
  readonly lines: Lines;
  readonly definitions: readonly (Definition | null)[];
  readonly hits: readonly (readonly Hit[])[];
  readonly imports: readonly boolean[];
};

function measureChunk(file: StoredText, chunk: CandidateChunk, finder: HitFinder): MeasuredChunk {
  const text = file.text.slice(chunk.start, chunk.end);
  const lines = measureLines(text);
  const { starts, indents, count } = lines;
  const definitions = Array.from({ length: count }, (_, line) =>
    findDefinition(text, starts[line] ?? 0, starts[line + 1] ?? 0, indents[line] ?? -1),
  );
  const hits = findLineHits(text, lines, definitions, finder);
  return { ...chunk, text, lines, definitions, hits, imports: findImportLines(text, lines) };
}

function chooseMain(chunk: MeasuredChunk, finder: HitFinder, line: number | null, maxChars: number): ChosenSpan {
  if (line !== null && containsLine(chunk, line)) {
    const focus = chunk.start + offsetOfLine(chunk.text, line - chunk.startLine);
    return { ...linesAround(line, chunk, maxChars), focus };
  }
  const span = bestLines(chunk, maxChars);
  return { ...span, focus: chunk.start + findFocus(chunk, span, finder) };
}

/** A part of a chunk from its first line on: the line that defines something, if one does, and the lines that match best. */
type ScoredBlock = {
  readonly chunk: MeasuredChunk;
  readonly first: number;
  readonly defined: number | null;
  readonly window: Window;
  readonly score: number;
};

/** The parts of a chunk that match the query: each begins with a definition, or where the chunk begins. */
function findBlocks(chunk: MeasuredChunk, maxChars: number): ScoredBlock[] {
  const { lines, hits } = chunk;
  const starts = blockStarts(chunk);
  return starts.flatMap((first, index) => {
    const blockEnd = starts[index + 1] ?? lines.count;
    if (!hasHits(hits, first, blockEnd)) return [];
    const window = bestWindow(lines, hits, first, blockEnd, maxChars);
    if (window.score <= 0) return [];
    const defined = findDefined(chunk, first, blockEnd);
    const shown = defined !== null && window.end <= defined ? throughDefinition(lines, window, defined) : window;
    return [{ chunk, first, defined, window: shown, score: window.score * chunk.share }];
  });
}

function findDefined({ definitions }: MeasuredChunk, first: number, end: number): number | null {
  for (let line = first; line < end; line++) if (definitions[line] !== null) return line;
  return null;
}

/** A longer comment is not shown, but what it is on. */
const MAX_COMMENT_CHARS = 150;

/** From the lines that match in a comment to the definition below it. */
function throughDefinition(lines: Lines, window: Window, defined: number): Window {
  const documented = { ...window, end: defined + 1 };
  return countChars(lines, documented) <= MAX_COMMENT_CHARS ? documented : { ...documented, first: defined };
}

/** The lines with those before them, from the comment or the definition on, if these have at most so many characters. */
function withDefinition({ chunk: { lines }, first, defined, window }: ScoredBlock, maxChars: number): Window {
  const wider = [first, defined ?? first].map((start) => ({ ...window, first: Math.min(start, window.first) }));
  return wider.find((each) => countChars(lines, each) - countChars(lines, window) <= maxChars) ?? window;
}

const countChars = ({ starts }: Lines, { first, end }: Window): number => (starts[end] ?? 0) - (starts[first] ?? 0);

function hasHits(hits: readonly (readonly Hit[])[], first: number, end: number): boolean {
  for (let line = first; line < end; line++) if ((hits[line]?.length ?? 0) > 0) return true;
  return false;
}

const commentStart = /^\s*(?:\/\/|\/?\*|#|--|@|\[)/;

/** The first lines of the blocks: definitions, with the comments and attributes right above them. */
function blockStarts({ text, lines, definitions }: MeasuredChunk): number[] {
  const starts = new Set([0]);
  for (let line = 1; line < lines.count; line++) {
    if (lines.indents[line] === -1 || definitions[line] === null) continue;
    let first = line;
    while (first > 0 && commentStart.test(text.slice(lines.starts[first - 1] ?? 0, lines.starts[first] ?? 0))) first--;
    starts.add(first);
  }
  return [...starts];
}

/** Names that a file imports match wherever it uses them: imports are shown only if nothing else matches. */
function withoutImports(chunks: readonly MeasuredChunk[]): readonly MeasuredChunk[] {
  const others = chunks.flatMap((chunk) => {
    const hits = chunk.hits.map((found, line) => (chunk.imports[line] ? [] : found));
    const hasOnlyImports = hasHits(chunk.hits, 0, hits.length) && !hasHits(hits, 0, hits.length);
    return hasOnlyImports ? [] : [{ ...chunk, hits }];
  });
  return others.some(({ hits }) => hasHits(hits, 0, hits.length)) ? others : chunks;
}

/** Lines shown before a line that the query names, where there is room. */
const LINES_BEFORE = 6;

function linesAround(line: number, { lines, startLine }: MeasuredChunk, maxChars: number): Span {
  const target = line - startLine;
  let first = Math.max(0, target - LINES_BEFORE);
  while (first < target && endWithin(lines, first, maxChars) <= target) first++;
  return { startLine: startLine + first, endLine: startLine + endWithin(lines, first, maxChars) - 1 };
}

/** Of several chunks of one long line, the best is shown. */
function oncePerLine<C extends Chunk>(chunks: readonly C[]): C[] {
  return [...new Map(chunks.toReversed().map((chunk) => [chunk.startLine, chunk])).values()].toReversed();
}

/** The offset in the text of a chunk of the heaviest hit in these lines, the first of equals; their start without one. */
function findFocus({ text, startLine }: MeasuredChunk, span: Span, finder: HitFinder): number {
  const start = offsetOfLine(text, span.startLine - startLine);
  let best = { offset: start, weight: 0 };
  for (const { index, word } of finder.wordsIn(text.slice(start, offsetOfLine(text, span.endLine + 1 - startLine)))) {
    const weight = finder.inWord(word).reduce((sum, hit) => sum + hit.weight, 0);
    if (weight > best.weight) best = { offset: start + index, weight };
  }
  return best.offset;
}

/** Where so many lines of the text end. */
function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let count = 0; count < line; count++) offset = text.indexOf("\n", offset) + 1 || text.length;
  return offset;
}

/** A file that was found by its path alone is shown from the beginning. */
function firstSpan({ text, chunks }: StoredText): ChosenSpan[] {
  return chunks.slice(0, 1).map((chunk) => {
    const lines = measureLines(text.slice(chunk.start, chunk.end));
    const first = Math.max(
      0,
      lines.indents.subarray(0, lines.count).findIndex((indent) => indent !== -1),
    );
    const end = withoutBlankEnd(lines, first, endWithin(lines, first, Infinity));
    return { startLine: chunk.startLine + first, endLine: chunk.startLine + end - 1, focus: chunk.start };
  });
}

/** A word in the name of a definition says what the lines after it are about. */
const DEFINITION_FACTOR = 3;
const MAX_LINE_CHARS = 1_000;

/** The hits of each line. */
function findLineHits(
  text: string,
  { starts, count }: Lines,
  definitions: readonly (Definition | null)[],
  finder: HitFinder,
): readonly Hit[][] {
  const hits: Hit[][] = Array.from({ length: count }, () => []);
  let line = 0;
  for (const { index, word } of finder.wordsIn(text)) {
    while (index >= (starts[line + 1] ?? Infinity)) line++;
    const chars = (starts[line] ?? 0) + MAX_LINE_CHARS - index;
    if (chars > 0) hits[line]?.push(...finder.inWord(word.slice(0, chars)));
  }
  for (const [number, found] of hits.entries()) {
    if (found.length === 0) continue;
    const definition = definitions[number] ?? null;
    if (definition === null) continue;
    for (const { term, weight } of finder.inWord(text.slice(definition.start, definition.end)))
      found.push({ term: `=${term}`, weight: weight * DEFINITION_FACTOR });
  }
  return hits;
}

/** The share of its weight that a repeated term counts. */
const REPEATED_SHARE = 0.3;
/** The factor for lines that begin a block. */
const BLOCK_FACTOR = 1.1;

/** The lines of a chunk that match the query best and fit in this many characters; the first of equals. */
function bestLines(chunk: MeasuredChunk, maxChars: number): Span {
  const { text, lines, hits, startLine, endLine } = chunk;
  if (text.length <= maxChars && endWithin(lines, 0, maxChars) === lines.count) return { startLine, endLine };
  return toSpan(chunk, bestWindow(lines, hits, 0, lines.count, maxChars));
}

/** Lines of a chunk, counted from 0; `end` is exclusive. */
type Window = { readonly first: number; readonly end: number; readonly score: number };

/** The lines between two lines that match best and fit in this many characters; the first of equals. */
function bestWindow(
  lines: Lines,
  hits: readonly (readonly Hit[])[],
  from: number,
  to: number,
  maxChars: number,
): Window {
  let best: Window = { first: from, end: from + 1, score: -1 };
  for (let first = from; first < to; first++) {
    if (lines.indents[first] === -1) continue;
    const end = Math.min(to, endWithin(lines, first, maxChars));
    const score = scoreOf(hits, first, end) * (first === from || startsBlock(lines, first) ? BLOCK_FACTOR : 1);
    if (score > best.score) best = { first, end, score };
  }
  return best;
}

/** The lines of a window in the file, without those at its end that say nothing: blank ones, and imports after other lines. */
function toSpan({ lines, hits, imports, startLine }: MeasuredChunk, { first, end }: Window): Span {
  let last = end;
  const isUseless = (line: number) => lines.indents[line] === -1 || (imports[line] && hits[line]?.length === 0);
  while (last > first + 1 && isUseless(last - 1)) last--;
  return { startLine: startLine + first, endLine: startLine + last - 1 };
}

/** In the outline of a file, many blank lines are between definitions; so many end a span. */
const MAX_BLANK_LINES = 5;

/** The end of the lines that fit in this many characters, up to a gap; at least one line. */
function endWithin({ starts, indents, count }: Lines, first: number, maxChars: number): number {
  let end = first + 1;
  let blanks = 0;
  while (end < count && (starts[end + 1] ?? 0) - (starts[first] ?? 0) <= maxChars) {
    blanks = indents[end] === -1 ? blanks + 1 : 0;
    if (blanks > MAX_BLANK_LINES) break;
    end++;
  }
  return end;
}

/** What the lines from `first` to `end` have of the query. */
function scoreOf(hits: readonly (readonly Hit[])[], first: number, end: number): number {
  const terms = new Set<string>();
  let score = 0;
  for (let line = first; line < end; line++) {
    for (const { term, weight } of hits[line] ?? []) {
      score += terms.has(term) ? weight * REPEATED_SHARE : weight;
      terms.add(term);
    }
  }
  return score;
}

function startsBlock({ indents }: Lines, line: number): boolean {
  return line === 0 || indents[line - 1] === -1;
}

function withoutBlankEnd({ indents }: Lines, from: number, to: number): number {
  let end = to;
  while (end > from + 1 && indents[end - 1] === -1) end--;
  return end;
}
