/** Chooses the spans of a file to show: the best chunk cut to the lines that match, and the blocks of it and of others that match. */
import { type Chunk, type Lines, measureLines } from "../index/chunk.ts";
import { findDefinition } from "../index/definitions.ts";
import type { StoredText } from "../index/store/index-store.ts";
import type { Hit, HitFinder } from "./hits.ts";

/** Whole lines of a file, counted from 1. */
export type Span = { readonly startLine: number; readonly endLine: number };

/** Lines to show. Where they are too long to show whole, the part around this offset of the text is shown. */
export type ChosenSpan = Span & { readonly focus: number };

/** A chunk of the file by its index in it, and its score. */
export type ScoredChunk = { readonly index: number; readonly score: number };

/** How much of a file is shown. */
export type SpanLimits = {
  /** Characters of the main span and of each further one: several files fit where one chunk would. */
  readonly mainChars: number;
  readonly furtherChars: number;
  readonly furtherSpans: number;
  /** A span has at least one line; a longer one is cut to this many characters. */
  readonly cutChars: number;
};

/**
 * A reader looks at the first file closely, and at later ones to see whether they matter. Many short spans find more of the
 * lines asked for than a few long ones: 0.717 of 437 queries for 1,280 tokens in ten files, where six spans of 130 characters
 * beside one of 360 found 0.686 for 1,240.
 */
const topLimits: SpanLimits = { mainChars: 320, furtherChars: 60, furtherSpans: 10, cutChars: 4_000 };
const upperLimits: SpanLimits = { mainChars: 200, furtherChars: 50, furtherSpans: 7, cutChars: 600 };
const lowerLimits: SpanLimits = { mainChars: 140, furtherChars: 50, furtherSpans: 5, cutChars: 400 };
const UPPER_RANKS = 4;

/** The limits for a file at this place of the ranking, from 0. */
export function limitsAt(rank: number): SpanLimits {
  if (rank === 0) return topLimits;
  return rank < UPPER_RANKS ? upperLimits : lowerLimits;
}

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
  const [best] = candidates;
  if (best === undefined) return firstSpan(file);
  const main = chooseMain(file, best, finder, line, limits.mainChars);
  const chosen: ChosenSpan[] = [main];
  const blocks = candidates
    .slice(0, MAX_BLOCK_CHUNKS)
    .flatMap((chunk) => findBlocks(file, chunk, finder, limits.furtherChars));
  for (const { span, chunk } of blocks.sort((one, other) => other.score - one.score)) {
    if (chosen.length > limits.furtherSpans) break;
    if (chosen.some((each) => overlaps(each, span))) continue;
    const text = file.text.slice(chunk.start, chunk.end);
    chosen.push({ ...span, focus: chunk.start + findFocus(text, chunk, span, finder) });
  }
  return chosen;
}

/** Chunks whose blocks may be shown. */
const MAX_BLOCK_CHUNKS = 12;

const overlaps = (one: Span, other: Span): boolean => one.startLine <= other.endLine && other.startLine <= one.endLine;

function chooseMain(
  file: StoredText,
  chunk: Chunk,
  finder: HitFinder,
  line: number | null,
  maxChars: number,
): ChosenSpan {
  const text = file.text.slice(chunk.start, chunk.end);
  if (line !== null && containsLine(chunk, line)) {
    const focus = chunk.start + offsetOfLine(text, line - chunk.startLine);
    return { ...linesAround(line, text, chunk, maxChars), focus };
  }
  const span = bestLines(text, chunk, maxChars, finder);
  return { ...span, focus: chunk.start + findFocus(text, chunk, span, finder) };
}

/** A chunk and its share of the best chunk's score. */
type CandidateChunk = Chunk & { readonly share: number };

/** A span of a chunk with what it says about the query. */
type ScoredBlock = { readonly span: Span; readonly chunk: Chunk; readonly score: number };

/** The parts of a chunk that match the query: each begins with a definition, or where the chunk begins. */
function findBlocks(file: StoredText, chunk: CandidateChunk, finder: HitFinder, maxChars: number): ScoredBlock[] {
  const text = file.text.slice(chunk.start, chunk.end);
  const lines = measureLines(text);
  const hits = findLineHits(text, lines, finder);
  const starts = blockStarts(text, lines);
  return starts.flatMap((first, index) => {
    const blockEnd = starts[index + 1] ?? lines.count;
    if (!hasHits(hits, first, blockEnd)) return [];
    const window = bestWindow(lines, hits, first, blockEnd, maxChars);
    if (window.score <= 0) return [];
    return [{ span: toSpan(lines, window, chunk.startLine), chunk, score: window.score * chunk.share }];
  });
}

function hasHits(hits: readonly (readonly Hit[])[], first: number, end: number): boolean {
  for (let line = first; line < end; line++) if ((hits[line]?.length ?? 0) > 0) return true;
  return false;
}

const commentStart = /^\s*(?:\/\/|\/?\*|#|--|@|\[)/;

/** The first lines of the blocks: definitions, with the comments and attributes right above them. */
function blockStarts(text: string, lines: Lines): number[] {
  const starts = new Set([0]);
  for (let line = 1; line < lines.count; line++) {
    const definition = findDefinition(
      text,
      lines.starts[line] ?? 0,
      lines.starts[line + 1] ?? 0,
      lines.indents[line] ?? -1,
    );
    if (lines.indents[line] === -1 || definition === null) continue;
    let first = line;
    while (first > 1 && commentStart.test(text.slice(lines.starts[first - 1] ?? 0, lines.starts[first] ?? 0))) first--;
    starts.add(first);
  }
  return [...starts];
}

/** Whether a span contains a line. */
export const containsLine = ({ startLine, endLine }: Span, line: number): boolean =>
  startLine <= line && line <= endLine;

/** Lines shown before a line that the query names, where there is room. */
const LINES_BEFORE = 6;

function linesAround(line: number, text: string, { startLine }: Span, maxChars: number): Span {
  const lines = measureLines(text);
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
function findFocus(text: string, { startLine }: Span, span: Span, finder: HitFinder): number {
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
function findLineHits(text: string, { starts, indents, count }: Lines, finder: HitFinder): readonly Hit[][] {
  const hits: Hit[][] = Array.from({ length: count }, () => []);
  let line = 0;
  for (const { index, word } of finder.wordsIn(text)) {
    while (index >= (starts[line + 1] ?? Infinity)) line++;
    const chars = (starts[line] ?? 0) + MAX_LINE_CHARS - index;
    if (chars > 0) hits[line]?.push(...finder.inWord(word.slice(0, chars)));
  }
  for (const [number, found] of hits.entries()) {
    if (found.length === 0) continue;
    const definition = findDefinition(text, starts[number] ?? 0, starts[number + 1] ?? 0, indents[number] ?? -1);
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
function bestLines(text: string, { startLine, endLine }: Span, maxChars: number, finder: HitFinder): Span {
  const lines = measureLines(text);
  if (text.length <= maxChars && endWithin(lines, 0, maxChars) === lines.count) return { startLine, endLine };
  const hits = findLineHits(text, lines, finder);
  return toSpan(lines, bestWindow(lines, hits, 0, lines.count, maxChars), startLine);
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

function toSpan(lines: Lines, { first, end }: Window, startLine: number): Span {
  return { startLine: startLine + first, endLine: startLine + withoutBlankEnd(lines, first, end) - 1 };
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
