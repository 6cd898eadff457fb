/** Finds the results of a query: ranked files, each with its best lines as they were indexed. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { CodeResult, QuestionFacts, ResultSpan, SearchFacts } from "../contract/search-fields.ts";
import { escapePath } from "../system/safe-names.ts";
import { countLiveFiles, filterFiles } from "./filter-files.ts";
import { formatStamp } from "./index/folder/walk-folder.ts";
import type { LoadedIndex } from "./index/index-reader.ts";
import type { IndexView } from "./index/index-view.ts";
import type { StoredText } from "./index/store/index-store.ts";
import { type ParsedQuery, parseQuery } from "./rank/query.ts";
import { findPart, type Meaning, matchesPath, type RankedFile, rankFiles, weighTerms } from "./rank/rank.ts";
import {
  type ChosenSpan,
  chooseSpans,
  containsLine,
  createHitFinder,
  type HitFinder,
  type ScoredChunk,
  type Span,
} from "./rank/spans.ts";
import { createVerbatimGain } from "./rank/verbatim.ts";
import type { Repository } from "./repository.ts";
import { MAX_RANKED, type SearchParameters } from "./search-input.ts";

/** One page of results. */
export type ResultPage = {
  readonly results: readonly CodeResult[];
  /** Whether there are results after these. */
  readonly hasMore: boolean;
  /** Whether these are the last because no more are ranked. */
  readonly isAtLimit: boolean;
  readonly facts: Pick<SearchFacts, "filtered_files" | "question">;
};

/** Searches the loaded index. A file that was replaced since then is left out: its text is of another generation. */
export function findResults(
  repository: Repository,
  { view }: LoadedIndex,
  parameters: SearchParameters,
  { contextLines, meaning }: { readonly contextLines: number; readonly meaning: Meaning | null },
): ResultPage {
  const { offset, limit } = parameters;
  const query = parseQuery(parameters.query);
  const rankLimit = Math.min(Math.max(offset + limit + 1, MAX_REREAD), MAX_RANKED);
  const accepted = filterFiles(view, parameters);
  const ranked = preferVerbatim(
    repository,
    view,
    parameters.query,
    rankFiles(view, query, { limit: rankLimit, accepted, meaning }),
  );
  const findHits = createHitFinder(
    new Map(
      weighTerms(view, query).map(({ text, weight, rarity, maxRarity }) => [
        text,
        weight * Math.min(rarity, maxRarity),
      ]),
    ),
  );
  const results = ranked.slice(offset, offset + limit).flatMap((file) => {
    const { segment, firstFile, firstChunk } = findPart(view, file.file);
    const storedText = repository.reader.text(segment.fileIds[file.file - firstFile] ?? 0);
    if (storedText === undefined) return [];
    const fileFirstChunk = firstChunk + (segment.fileFirstChunk[file.file - firstFile] ?? 0);
    const line = query.path !== null && matchesPath(storedText.path, query.path) ? query.line : null;
    const options = { findHits, contextLines, line, explain: parameters.explain };
    return [makeResult(repository, storedText, file, fileFirstChunk, options)];
  });
  return {
    results,
    hasMore: ranked.length > offset + limit,
    isAtLimit: ranked.length === MAX_RANKED && offset + limit >= MAX_RANKED,
    facts: {
      ...(accepted !== null && { filtered_files: countLiveFiles(view, accepted) }),
      ...(parameters.explain && { question: questionFacts(query) }),
    },
  };
}

function questionFacts({ kind, terms, names, path }: ParsedQuery): QuestionFacts {
  return { kind, terms, names: names.map(({ text }) => text), path };
}

/** The best files, whose texts are searched for the words of the query in their order. */
const MAX_REREAD = 50;

function preferVerbatim({ reader }: Repository, view: IndexView, query: string, ranked: RankedFile[]): RankedFile[] {
  const gainOf = createVerbatimGain(query);
  if (gainOf === null) return ranked;
  const rescored = ranked.slice(0, MAX_REREAD).map((file) => {
    const { segment, firstFile } = findPart(view, file.file);
    const text = reader.text(segment.fileIds[file.file - firstFile] ?? 0)?.text ?? "";
    return { ...file, score: Math.min(1, file.score + gainOf(text)) };
  });
  return [...rescored.sort((one, other) => other.score - one.score), ...ranked.slice(MAX_REREAD)];
}

type ResultOptions = {
  readonly findHits: HitFinder;
  readonly contextLines: number;
  /** The line of this file that the query names. */
  readonly line: number | null;
  readonly explain: boolean;
};

function makeResult(
  { id, root }: Repository,
  storedText: StoredText,
  ranked: RankedFile,
  firstChunk: number,
  { findHits, contextLines, line, explain }: ResultOptions,
): CodeResult {
  const scored = ranked.chunks.map(({ chunk, score }) => ({ index: chunk - firstChunk, score }));
  const chunks = line === null ? scored : withLineFirst(storedText, scored, line);
  const [main = { startLine: 1, endLine: 1, offset: 0 }, ...further] = chooseSpans(storedText, chunks, findHits, line);
  const lines = createLineReader(storedText.text);
  return {
    chunk_id: `${id.slice(0, 8)}-${storedText.id}-${chunks[0]?.index ?? 0}`,
    ...pathFields(storedText.path),
    content: lines.read(main, main.offset),
    start_line: main.startLine,
    end_line: main.endLine,
    similarity_score: Number(ranked.score.toFixed(6)),
    context_before: lines.read({
      startLine: Math.max(1, main.startLine - contextLines),
      endLine: main.startLine - 1,
    }),
    context_after: lines.read({ startLine: main.endLine + 1, endLine: main.endLine + contextLines }),
    ...(further.length === 0 ? {} : { spans: further.map((span) => toResultSpan(span, lines)) }),
    ...(isStale(root, storedText) ? { stale: true } : {}),
    ...(explain ? { explain: roundParts(ranked.parts) } : {}),
  };
}

function withLineFirst({ chunks }: StoredText, scored: readonly ScoredChunk[], line: number): readonly ScoredChunk[] {
  const index = chunks.findIndex((chunk) => containsLine(chunk, line));
  if (index === -1) return scored;
  return [{ index, score: scored[0]?.score ?? 0 }, ...scored.filter((chunk) => chunk.index !== index)];
}

/** A name may contain line breaks and characters that reverse the text after them: these are made visible. */
function pathFields(path: string): Pick<CodeResult, "file_path" | "encoded_path"> {
  const file_path = escapePath(path);
  if (file_path === path) return { file_path };
  return { file_path, encoded_path: path.toWellFormed().split("/").map(encodeURIComponent).join("/") };
}

/** Reads lines of a text; those that are too long are cut around the offset. */
type LineReader = { read(span: Span, offset?: number): string };

function toResultSpan(span: ChosenSpan, lines: LineReader): ResultSpan {
  return { start_line: span.startLine, end_line: span.endLine, content: lines.read(span, span.offset) };
}

/** Returns lines without the last newline; nothing for a span that is empty or outside the text. */
function createLineReader(text: string): LineReader {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  return {
    read({ startLine, endLine }, offset = 0) {
      if (endLine < startLine) return "";
      const lines = text.slice(startOf(startLine), startOf(endLine + 1)).replace(/\n$/, "");
      return cutAround(lines, offset - startOf(startLine));
    },
  };
}

/** A few very long lines must not fill a reply: they are cut, with three dots at the cut. */
const MAX_SPAN_CHARS = 4_000;

function cutAround(lines: string, offset: number): string {
  if (lines.length <= MAX_SPAN_CHARS) return lines;
  const start = Math.min(Math.max(0, offset - MAX_SPAN_CHARS / 4), lines.length - MAX_SPAN_CHARS);
  const end = start + MAX_SPAN_CHARS;
  const excerpt = lines.slice(start, end).toWellFormed();
  return `${start > 0 ? "..." : ""}${excerpt}${end < lines.length ? "..." : ""}`;
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
