/** Makes a result from a ranked file: its best lines as they were indexed, and what the reader has to know about it. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { CodeResult, ResultSpan } from "../contract/search-fields.ts";
import { cutAround, cutEnd, cutStart, type Excerpt } from "../fit/excerpt.ts";
import { escapePath } from "../system/safe-names.ts";
import { formatStamp } from "./index/folder/walk-folder.ts";
import type { StoredText } from "./index/store/index-store.ts";
import type { RankedFile } from "./rank/rank.ts";
import { type ChosenSpan, containsLine, type ScoredChunk, type Span } from "./rank/spans.ts";
import { limitsAt, type SpanLimits } from "./rank/weights.ts";
import type { Repository } from "./repository/repository.ts";

/** Chooses the lines of a file to show. */
export type LineChooser = (
  file: StoredText,
  chunks: readonly ScoredChunk[],
  options: { readonly line: number | null; readonly limits: SpanLimits },
) => ChosenSpan[];

/** How a result is made. */
export type ResultOptions = {
  readonly chooseLines: LineChooser;
  readonly contextLines: number;
  /** The line of this file that the query names. */
  readonly line: number | null;
  /** The place of this file in the ranking, from 0. */
  readonly rank: number;
  readonly explain: boolean;
};

/** The result of a ranked file, and where the heaviest match is in its content. `firstChunk` is the file's first chunk in the view. */
export function makeResult(
  { id, root }: Repository,
  storedText: StoredText,
  ranked: RankedFile,
  firstChunk: number,
  { chooseLines, contextLines, line, rank, explain }: ResultOptions,
): { readonly result: CodeResult; readonly focus: number } {
  const limits = limitsAt(rank);
  const scored = ranked.chunks.map(({ chunk, score }) => ({ index: chunk - firstChunk, score }));
  const chunks = line === null ? scored : withLineFirst(storedText, scored, line);
  const lines = createLineReader(storedText.text, limits.cutChars);
  const chosen = chooseLines(storedText, chunks, { line, limits });
  // In an outline, lines that are not shown look blank.
  const countGap = storedText.outline === null ? lines.countChars : countLines;
  const [main = { startLine: 1, endLine: 1, focus: 0 }, ...further] = joinSpans(chosen, countGap);
  const { text: content, focus } = lines.read(main);
  const result = {
    chunk_id: `${id.slice(0, 8)}-${storedText.id}-${chunks[0]?.index ?? 0}`,
    ...pathFields(storedText.path),
    content,
    start_line: main.startLine,
    end_line: main.endLine,
    similarity_score: Number(ranked.score.toFixed(6)),
    context_before: lines.before(main, contextLines),
    context_after: lines.after(main, contextLines),
    ...(further.length === 0 ? {} : { spans: further.map((span) => toResultSpan(span, lines)) }),
    ...(storedText.outline === null ? {} : { definitions_only: true as const }),
    ...(isStale(root, storedText) ? { stale: true as const } : {}),
    ...(explain ? { explain: roundParts(ranked.parts) } : {}),
  };
  return { result, focus };
}

function withLineFirst({ chunks }: StoredText, scored: readonly ScoredChunk[], line: number): readonly ScoredChunk[] {
  const index = chunks.findIndex((chunk) => containsLine(chunk, line));
  if (index === -1) return scored;
  return [{ index, score: scored[0]?.score ?? 0 }, ...scored.filter((chunk) => chunk.index !== index)];
}

/** No gap of whole lines is small enough. */
const countLines = ({ startLine, endLine }: Span): number => (endLine < startLine ? 0 : Infinity);

/** So little between two spans, a closing bracket or a blank line, is shown with them: line numbers would take as much room. */
const MAX_GAP_LINES = 2;
const MAX_GAP_CHARS = 12;

/** The best span, given first, stays the first with what is joined to it. `countChars` measures lines of the file. */
export function joinSpans([best, ...others]: readonly ChosenSpan[], countChars: (span: Span) => number): ChosenSpan[] {
  if (best === undefined) return [];
  const joined: ChosenSpan[] = [];
  for (const span of [best, ...others].sort((one, other) => one.startLine - other.startLine)) {
    const last = joined.at(-1);
    if (last === undefined || !follows(last, span, countChars)) joined.push(span);
    else {
      const { focus } = span === best ? span : last;
      const endLine = Math.max(last.endLine, span.endLine);
      joined[joined.length - 1] = { startLine: last.startLine, endLine, focus };
    }
  }
  const hasBest = (span: Span) => containsLine(span, best.startLine);
  return [...joined.filter(hasBest), ...joined.filter((span) => !hasBest(span))];
}

function follows(one: Span, other: Span, countChars: (span: Span) => number): boolean {
  const gap = { startLine: one.endLine + 1, endLine: other.startLine - 1 };
  return gap.endLine - gap.startLine < MAX_GAP_LINES && countChars(gap) <= MAX_GAP_CHARS;
}

/** A name may contain line breaks and characters that reverse the text after them: these are made visible. */
function pathFields(path: string): Pick<CodeResult, "file_path" | "encoded_path"> {
  const file_path = escapePath(path);
  if (file_path === path) return { file_path };
  return { file_path, encoded_path: path.toWellFormed().split("/").map(encodeURIComponent).join("/") };
}

/** Reads lines of a text. A few very long lines must not fill a reply: they are cut, with three dots at each cut. */
type LineReader = {
  /** The characters of the lines of a span, as they are. */
  countChars(span: Span): number;
  /** The lines of a span; those that are too long are cut around the offset. */
  read(span: ChosenSpan): Excerpt;
  /** Lines before and after a span; the part next to it stays. */
  before(span: Span, count: number): string;
  after(span: Span, count: number): string;
};

function toResultSpan(span: ChosenSpan, lines: LineReader): ResultSpan {
  return { start_line: span.startLine, end_line: span.endLine, content: lines.read(span).text };
}

const MAX_CONTEXT_CHARS = 4_000;

/** Returns lines without the last newline; nothing for a span that is empty or outside the text. */
function createLineReader(text: string, maxChars: number): LineReader {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  const linesOf = (startLine: number, endLine: number): string =>
    endLine < startLine ? "" : text.slice(startOf(startLine), startOf(endLine + 1)).replace(/\n$/, "");
  return {
    countChars: ({ startLine, endLine }) => linesOf(startLine, endLine).length,
    read: ({ startLine, endLine, focus }) =>
      cutAround(linesOf(startLine, endLine), focus - startOf(startLine), maxChars),
    before: ({ startLine }, count) =>
      cutStart(linesOf(Math.max(1, startLine - count), startLine - 1), MAX_CONTEXT_CHARS),
    after: ({ endLine }, count) => cutEnd(linesOf(endLine + 1, endLine + count), MAX_CONTEXT_CHARS),
  };
}

/** Whether the file changed since it was indexed: one lstat for each of the few files of a reply. */
function isStale(root: string, { path, stamp }: StoredText): boolean {
  try {
    return formatStamp(lstatSync(join(root, path), { bigint: true })) !== stamp.replace("?", "");
  } catch {
    return true; // Deleted, or no longer accessible.
  }
}

function roundParts(parts: RankedFile["parts"]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [[name, Number(value.toFixed(4))]])),
  );
}
