/** From a question to results: ranked files, each shown by its best lines as they were indexed. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { CodeResult, QuestionFacts, ResultSpan, SearchFacts } from "../contract/search-fields.ts";
import { visiblePath } from "../system/safe-names.ts";
import { acceptedFiles, countLiveFiles } from "./filter.ts";
import type { StoredText } from "./index/index-store.ts";
import type { Loaded } from "./index/reader.ts";
import type { IndexView } from "./index/view.ts";
import { stampOf } from "./index/walk.ts";
import { parseQuestion, type Question } from "./rank/query.ts";
import { isAsked, type Meaning, partOfFile, type RankedFile, rankFiles, weighTerms } from "./rank/rank.ts";
import {
  type ChosenSpan,
  chooseSpans,
  type HitFinder,
  hitFinder,
  isIn,
  type ScoredChunk,
  type Span,
} from "./rank/spans.ts";
import { verbatimGain } from "./rank/verbatim.ts";
import type { Repository } from "./repository.ts";
import { mostRanked, type SearchRequest } from "./request.ts";

/** The asked page of results, whether there are more behind it, and what a reply tells of the ranking. */
export type Found = {
  readonly results: readonly CodeResult[];
  readonly more: boolean;
  /** Whether these are the last because no more are ranked. */
  readonly atLimit: boolean;
  readonly facts: Pick<SearchFacts, "filtered_files" | "question">;
};

/** Searches what is loaded. A file replaced since then is left out: its text belongs to another generation. */
export function findResults(
  repository: Repository,
  { view }: Loaded,
  request: SearchRequest,
  { contextLines, meaning }: { readonly contextLines: number; readonly meaning: Meaning | null },
): Found {
  const { offset, limit } = request;
  const question = parseQuestion(request.query);
  const most = Math.min(Math.max(offset + limit + 1, mostReread), mostRanked);
  const accepted = acceptedFiles(view, request);
  const ranked = preferVerbatim(
    repository,
    view,
    request.query,
    rankFiles(view, question, { most, accepted, meaning }),
  );
  const weighed = weighTerms(view, question);
  const hitsIn = hitFinder(
    new Map(weighed.map(({ text, weight, rarity, rarest }) => [text, weight * Math.min(rarity, rarest)])),
  );
  const results = ranked.slice(offset, offset + limit).flatMap((file) => {
    const { segment, firstFile, firstChunk } = partOfFile(view, file.file);
    const stored = repository.reader.text(segment.fileIds[file.file - firstFile] ?? 0);
    if (stored === undefined) return [];
    const firstOwn = firstChunk + (segment.fileFirstChunk[file.file - firstFile] ?? 0);
    const line = question.path !== null && isAsked(stored.path, question.path) ? question.line : null;
    return [makeResult(repository, stored, file, firstOwn, { hitsIn, contextLines, line, explain: request.explain })];
  });
  return {
    results,
    more: ranked.length > offset + limit,
    atLimit: ranked.length === mostRanked && offset + limit >= mostRanked,
    facts: {
      ...(accepted !== null && { filtered_files: countLiveFiles(view, accepted) }),
      ...(request.explain && { question: questionFacts(question) }),
    },
  };
}

function questionFacts({ kind, terms, names, path }: Question): QuestionFacts {
  return { kind, terms, names: names.map(({ text }) => text), path };
}

/** So many of the best are read for the words of the question as they stand there. */
const mostReread = 50;

function preferVerbatim({ reader }: Repository, view: IndexView, query: string, ranked: RankedFile[]): RankedFile[] {
  const gainOf = verbatimGain(query);
  if (gainOf === null) return ranked;
  const again = ranked.slice(0, mostReread).map((file) => {
    const { segment, firstFile } = partOfFile(view, file.file);
    const text = reader.text(segment.fileIds[file.file - firstFile] ?? 0)?.text ?? "";
    return { ...file, score: Math.min(1, file.score + gainOf(text)) };
  });
  return [...again.sort((one, other) => other.score - one.score), ...ranked.slice(mostReread)];
}

type Showing = {
  readonly hitsIn: HitFinder;
  readonly contextLines: number;
  /** The line of this file that is asked for. */
  readonly line: number | null;
  readonly explain: boolean;
};

function makeResult(
  { id, root }: Repository,
  stored: StoredText,
  ranked: RankedFile,
  firstChunk: number,
  { hitsIn, contextLines, line, explain }: Showing,
): CodeResult {
  const found = ranked.chunks.map(({ chunk, score }) => ({ index: chunk - firstChunk, score }));
  const chunks = line === null ? found : withLineFirst(stored, found, line);
  const [main = { startLine: 1, endLine: 1, from: 0 }, ...further] = chooseSpans(stored, chunks, hitsIn, line);
  const lines = lineReader(stored.text);
  return {
    chunk_id: `${id.slice(0, 8)}-${stored.id}-${chunks[0]?.index ?? 0}`,
    ...pathFields(stored.path),
    content: lines.between(main, main.from),
    start_line: main.startLine,
    end_line: main.endLine,
    similarity_score: Number(ranked.score.toFixed(6)),
    context_before: lines.between({
      startLine: Math.max(1, main.startLine - contextLines),
      endLine: main.startLine - 1,
    }),
    context_after: lines.between({ startLine: main.endLine + 1, endLine: main.endLine + contextLines }),
    ...(further.length === 0 ? {} : { spans: further.map((span) => spanOf(span, lines)) }),
    ...(isStale(root, stored) ? { stale: true } : {}),
    ...(explain ? { explain: rounded(ranked.parts) } : {}),
  };
}

function withLineFirst({ chunks }: StoredText, found: readonly ScoredChunk[], line: number): readonly ScoredChunk[] {
  const index = chunks.findIndex((chunk) => isIn(chunk, line));
  if (index === -1) return found;
  return [{ index, score: found[0]?.score ?? 0 }, ...found.filter((chunk) => chunk.index !== index)];
}

/** A name may hold what turns the letters after it around, or a line of its own: neither reader nor terminal is fooled. */
function pathFields(path: string): Pick<CodeResult, "file_path" | "encoded_path"> {
  const file_path = visiblePath(path);
  if (file_path === path) return { file_path };
  return { file_path, encoded_path: path.toWellFormed().split("/").map(encodeURIComponent).join("/") };
}

type LineReader = { between(span: Span, from?: number): string };

function spanOf(span: ChosenSpan, lines: LineReader): ResultSpan {
  return { start_line: span.startLine, end_line: span.endLine, content: lines.between(span, span.from) };
}

/** Lines of a text without the last one's newline; a span that is empty or outside gives nothing. Long lines are cut around `from`. */
function lineReader(text: string): LineReader {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  return {
    between({ startLine, endLine }, from = 0) {
      if (endLine < startLine) return "";
      const lines = text.slice(startOf(startLine), startOf(endLine + 1)).replace(/\n$/, "");
      return cutAround(lines, from - startOf(startLine));
    },
  };
}

/** A few endless lines must not fill a reply by themselves: three dots stand where they are cut. */
const longestSpan = 4_000;

function cutAround(lines: string, place: number): string {
  if (lines.length <= longestSpan) return lines;
  const start = Math.min(Math.max(0, place - longestSpan / 4), lines.length - longestSpan);
  const end = start + longestSpan;
  const shown = lines.slice(start, end).toWellFormed();
  return `${start > 0 ? "..." : ""}${shown}${end < lines.length ? "..." : ""}`;
}

/** Cheap to know for the few files of a reply: one look at each. */
function isStale(root: string, { path, stamp }: StoredText): boolean {
  try {
    return stampOf(lstatSync(join(root, path), { bigint: true })) !== stamp.replace("?", "");
  } catch {
    return true; // Gone, or no longer ours to see.
  }
}

function rounded(parts: RankedFile["parts"]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [[name, Number(value.toFixed(4))]])),
  );
}
