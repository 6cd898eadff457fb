/** The parts of a file worth showing: the best chunk cut down to what answers, and glimpses of one or two others. */
import { type Chunk, type Lines, measureLines } from "../index/chunk.ts";
import { definitionIn } from "../index/definitions.ts";
import type { StoredText } from "../index/index-store.ts";
import { termsOfWord } from "../index/lexicon.ts";

/** Whole lines of a file, counted from 1. */
export type Span = { readonly startLine: number; readonly endLine: number };

/** Lines to show. Where they are too long to be shown whole, what answers stands after `from` in the text. */
export type ChosenSpan = Span & { readonly from: number };

/** A chunk of the file by its number in it, and how well it answers. */
export type ScoredChunk = { readonly index: number; readonly score: number };

/** A term of the question in a word of the text, and what it counts. */
export type Hit = { readonly term: string; readonly weight: number };
export type HitFinder = (word: string) => readonly Hit[];

/** Characters of the main span and of each further one: small enough that several files fit where one chunk would. */
const mainChars = 680;
const furtherChars = 300;
const mostFurther = 2;
/** A chunk this much weaker than the best is not worth a glimpse. */
const weakestShare = 0.45;

/** The best span first, then up to two more in the order of their worth. A line that is asked for is in the first. */
export function chooseSpans(
  file: StoredText,
  chunks: readonly ScoredChunk[],
  hitsIn: HitFinder,
  line: number | null = null,
): ChosenSpan[] {
  const leastScore = (chunks[0]?.score ?? 0) * weakestShare;
  const worthShowing = oncePerLine(
    chunks.flatMap(({ index, score }) => (score >= leastScore ? (file.chunks[index] ?? []) : [])),
  );
  const spans = worthShowing.slice(0, 1 + mostFurther).map((chunk, place) => {
    const room = place === 0 ? mainChars : furtherChars;
    const { start, end } = chunk;
    const text = file.text.slice(start, end);
    const asked = place === 0 && line !== null && isIn(chunk, line);
    return { ...(asked ? windowAround(text, chunk, room, line) : bestWindow(text, chunk, room, hitsIn)), from: start };
  });
  return spans.length > 0 ? spans : beginning(file);
}

/** Whether a line lies in a span. */
export const isIn = ({ startLine, endLine }: Span, line: number): boolean => startLine <= line && line <= endLine;

/** Lines shown before one that is asked for, where there is room. */
const linesBefore = 6;

function windowAround(text: string, { startLine }: Span, room: number, line: number): Span {
  const lines = measureLines(text);
  const wanted = line - startLine;
  let from = Math.max(0, wanted - linesBefore);
  while (from < wanted && endWithin(lines, from, room) <= wanted) from++;
  return { startLine: startLine + from, endLine: startLine + endWithin(lines, from, room) - 1 };
}

/** Pieces of one long line are shown by the best of them. */
function oncePerLine(chunks: readonly Chunk[]): Chunk[] {
  return [...new Map(chunks.toReversed().map((chunk) => [chunk.startLine, chunk])).values()].toReversed();
}

/** A file found by its path alone is shown by its beginning. */
function beginning({ chunks }: StoredText): ChosenSpan[] {
  return chunks.slice(0, 1).map(({ startLine, endLine, start }) => ({ startLine, endLine, from: start }));
}

/** In a definition a word says what the lines after it are about. */
const definedFactor = 3;
const longestScanned = 1_000;

function lineHits(text: string, { starts, indents }: Lines, line: number, hitsIn: HitFinder): Hit[] {
  const [start, end] = [starts[line] ?? 0, starts[line + 1] ?? 0];
  const words = text.slice(start, Math.min(end, start + longestScanned)).match(/[\p{L}\p{M}\p{N}_$]+/gu) ?? [];
  const hits = words.flatMap(hitsIn);
  if (hits.length === 0) return hits;
  const defined = definitionIn(text, start, end, indents[line] ?? -1);
  if (defined === null) return hits;
  const named = hitsIn(text.slice(defined.start, defined.end));
  return [...hits, ...named.map(({ term, weight }) => ({ term: `=${term}`, weight: weight * definedFactor }))];
}

/** A word that stands there already counts less the next time. */
const repeatedShare = 0.3;
/** What it is worth to begin where a block begins. */
const blockFactor = 1.1;

/** The run of lines of a chunk within the room that holds most of the question; of equals the earliest. */
function bestWindow(text: string, { startLine, endLine }: Span, room: number, hitsIn: HitFinder): Span {
  if (text.length <= room) return { startLine, endLine };
  const lines = measureLines(text);
  const hits = Array.from({ length: lines.count }, (_, line) => lineHits(text, lines, line, hitsIn));
  let best = { from: 0, to: 1, worth: -1 };
  for (let from = 0; from < lines.count; from++) {
    if (lines.indents[from] === -1) continue;
    const to = endWithin(lines, from, room);
    const worth = worthOf(hits.slice(from, to)) * (startsBlock(lines, from) ? blockFactor : 1);
    if (worth > best.worth) best = { from, to, worth };
  }
  return { startLine: startLine + best.from, endLine: startLine + withoutBlankEnd(lines, best.from, best.to) - 1 };
}

function endWithin({ starts, count }: Lines, from: number, room: number): number {
  let to = from + 1;
  while (to < count && (starts[to + 1] ?? 0) - (starts[from] ?? 0) <= room) to++;
  return to;
}

function worthOf(hits: readonly (readonly Hit[])[]): number {
  const seen = new Set<string>();
  let worth = 0;
  for (const { term, weight } of hits.flat()) {
    worth += seen.has(term) ? weight * repeatedShare : weight;
    seen.add(term);
  }
  return worth;
}

function startsBlock({ indents }: Lines, line: number): boolean {
  return line === 0 || indents[line - 1] === -1;
}

function withoutBlankEnd({ indents }: Lines, from: number, to: number): number {
  let end = to;
  while (end > from + 1 && indents[end - 1] === -1) end--;
  return end;
}

/** Finds the question's terms in words, and remembers: the same words come again and again. */
export function hitFinder(termWeights: ReadonlyMap<string, number>): HitFinder {
  const known = new Map<string, readonly Hit[]>();
  return (word) => {
    const hits = known.get(word) ?? hitsOf(word, termWeights);
    known.set(word, hits);
    return hits;
  };
}

function hitsOf(word: string, termWeights: ReadonlyMap<string, number>): Hit[] {
  return termsOfWord(word).flatMap((term) => {
    const weight = termWeights.get(term);
    return weight === undefined ? [] : [{ term, weight }];
  });
}
