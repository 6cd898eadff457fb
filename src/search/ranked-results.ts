/** Finds the results of a query: ranked files, each with its best lines as they were indexed. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { CodeResult, QuestionFacts, ResultSpan, SearchFacts } from "../contract/search-fields.ts";
import { cutAround, cutEnd, cutStart, type Excerpt } from "../fit/excerpt.ts";
import { escapePath } from "../system/safe-names.ts";
import { formatStamp } from "./index/folder/walk-folder.ts";
import { findPart, type IndexView, joinViews, type ViewPart } from "./index/index-view.ts";
import type { StoredText } from "./index/store/index-store.ts";
import type { PreparedIndex } from "./prepared-index.ts";
import { findCodeWords } from "./rank/everyday-words.ts";
import { createHitFinder } from "./rank/hits.ts";
import { type Meaning, rateChunks } from "./rank/meaning.ts";
import { type ParsedQuery, parseQuery } from "./rank/query.ts";
import { isAskedInWords } from "./rank/question-words.ts";
import { type RankedFile, rankFiles } from "./rank/rank.ts";
import { matchesPath } from "./rank/signals/path-score.ts";
import {
  type ChosenSpan,
  chooseSpans,
  containsLine,
  limitsAt,
  type ScoredChunk,
  type Span,
  type SpanLimits,
} from "./rank/spans.ts";
import { weighTerms } from "./rank/weighted-terms.ts";
import type { Repository } from "./repository/repository.ts";
import { MAX_RANKED, type SearchParameters } from "./search-input.ts";

/** One page of results. */
export type ResultPage = {
  readonly results: readonly CodeResult[];
  /** Where the heaviest match is in the content of a result. */
  readonly focusOf: (result: CodeResult) => number;
  /** Whether there are results after these. */
  readonly hasMore: boolean;
  /** How many ranked files are used up by the first results, including files that vanished since the ranking. */
  readonly rankedBefore: (returnedCount: number) => number;
  /** Whether these are the last because no more are ranked. */
  readonly isAtLimit: boolean;
  readonly facts: Pick<SearchFacts, "filtered_files" | "question" | "literal" | "skipped_files">;
};

/** Ranks the files of all indexes as one. A file that was replaced since then is left out: its text is of another generation. */
export async function findResults(
  indexes: readonly PreparedIndex[],
  parameters: SearchParameters,
  { contextLines, isWide }: { readonly contextLines: number; readonly isWide: boolean },
): Promise<ResultPage> {
  const { offset, limit } = parameters;
  const query = parseQuery(parameters.query);
  const joinedIndexes = joinIndexes(indexes);
  const rankLimit = Math.min(Math.max(offset + limit + 1, MAX_REREAD), MAX_RANKED);
  const { view, accepted, meaning } = joinedIndexes;
  const literal = await openLiteral(indexes, parameters);
  const texts: ReadTexts = new Map();
  const ranked =
    literal?.rank(view, query, rankLimit) ??
    (await preferVerbatim(
      joinedIndexes,
      parameters,
      query,
      rankFiles(view, query, { limit: rankLimit, accepted, meaning }),
      texts,
    ));
  const skipped =
    offset === 0 && isMissing(query, literal !== null, ranked) ? await findSkipped(indexes, parameters) : null;
  const chooseLines = literal?.chooseSpans ?? createChooser(view, query);
  const options = { query, chooseLines, contextLines, isWide, texts, explain: parameters.explain };
  const pageResults = await makeResults(joinedIndexes, ranked.slice(offset, offset + limit), { ...options, offset });
  const focuses = new Map(pageResults.map(({ result, focus }) => [result, focus]));
  return {
    results: [...focuses.keys()],
    focusOf: (result) => focuses.get(result) ?? 0,
    hasMore: ranked.length > offset + limit,
    rankedBefore: (count) =>
      count < pageResults.length ? (pageResults[count]?.position ?? 0) : Math.min(limit, ranked.length - offset),
    isAtLimit: ranked.length === MAX_RANKED && offset + limit >= MAX_RANKED,
    facts: {
      ...(accepted !== null && { filtered_files: sum(indexes.map(({ filteredFiles }) => filteredFiles ?? 0)) }),
      ...(parameters.explain && { question: questionFacts(view, query, literal !== null) }),
      ...(literal !== null && { literal: literal.totals }),
      ...(skipped !== null && { skipped_files: skipped }),
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Several indexes as one view, with the index that each part is of. */
type JoinedIndexes = {
  readonly view: IndexView;
  readonly accepted: Uint8Array | null;
  readonly meaning: Meaning | null;
  indexOf(part: ViewPart): PreparedIndex;
};

function joinIndexes(indexes: readonly PreparedIndex[]): JoinedIndexes {
  const view = joinViews(indexes.map((index) => index.view));
  const owners = indexes.flatMap((index) => index.view.parts.map(() => index));
  const byPart = new Map(view.parts.map((part, number) => [part, owners[number]]));
  return {
    view,
    accepted: joinFlags(indexes),
    meaning: joinNear(indexes),
    indexOf(part) {
      const index = byPart.get(part);
      if (index === undefined) throw new RangeError("A part of no index.");
      return index;
    },
  };
}

function joinFlags(indexes: readonly PreparedIndex[]): Uint8Array | null {
  const flags = indexes.flatMap(({ accepted }) => accepted ?? []);
  return flags.length < indexes.length ? null : Buffer.concat(flags);
}

/** Vectors count only where all indexes have them: else files without vectors would rank too low. */
function joinNear(indexes: readonly PreparedIndex[]): Meaning | null {
  if (indexes.some(({ near }) => near === null)) return null;
  return rateChunks(joinChunks(indexes, ({ near }) => near ?? []));
}

/** Chunks of all indexes, numbered as in the joined view. */
function joinChunks<T extends { readonly chunk: number }>(
  indexes: readonly PreparedIndex[],
  chunksOf: (index: PreparedIndex) => readonly T[],
): T[] {
  const joined: T[] = [];
  let firstChunk = 0;
  for (const index of indexes) {
    for (const each of chunksOf(index)) joined.push({ ...each, chunk: firstChunk + each.chunk });
    firstChunk += index.view.chunkCount;
  }
  return joined;
}

/** Chooses the lines of a file to show. */
type LineChooser = (
  file: StoredText,
  chunks: readonly ScoredChunk[],
  options: { readonly line: number | null; readonly limits: SpanLimits },
) => ChosenSpan[];

function createChooser(view: IndexView, query: ParsedQuery): LineChooser {
  const weights = weighTerms(view, query).map(
    ({ text, weight, trust, rarity, maxRarity }) => [text, weight * trust * Math.min(rarity, maxRarity)] as const,
  );
  const finder = createHitFinder(new Map(weights));
  return (file, chunks, options) => chooseSpans(file, chunks, finder, options);
}

/** How a literal query is answered; null for an ordinary one. */
async function openLiteral(indexes: readonly PreparedIndex[], { literal }: SearchParameters) {
  if (literal === null) return null;
  const { rankLiteral } = await import("./literal/rank-literal.ts");
  const { chooseLiteralSpans } = await import("./literal/literal-spans.ts");
  const matches = joinChunks(indexes, (index) => index.literal ?? []);
  const chooseLines: LineChooser = ({ text }, _, { limits }) => chooseLiteralSpans(text, literal, limits);
  return {
    totals: { files: matches.length, occurrences: sum(matches.map(({ count }) => count)) },
    rank: (view: IndexView, query: ParsedQuery, limit: number) => rankLiteral(view, query, matches, limit),
    chooseSpans: chooseLines,
  };
}

/** Whether nothing was found, or a name that no indexed file defines: it may be in a file that is not indexed. */
function isMissing({ kind }: ParsedQuery, isLiteral: boolean, [...ranked]: readonly RankedFile[]): boolean {
  return ranked.length === 0 || (kind === "symbol" && !isLiteral && ranked.every(({ parts }) => parts.name === 0));
}

async function findSkipped(indexes: readonly PreparedIndex[], parameters: SearchParameters) {
  return (await import("./skipped-files.ts")).findSkippedFiles(indexes, parameters);
}

/** A ranked file and where it is. */
type PlacedFile = {
  readonly file: RankedFile;
  readonly id: number;
  readonly path: string;
  /** The file's first chunk in the view. */
  readonly firstChunk: number;
};

/** Calls `read` for each file with its index open; one index is open at a time. The order is that of the files. */
async function readFiles<T>(
  { view, indexOf }: JoinedIndexes,
  files: readonly RankedFile[],
  read: (repository: Repository, file: PlacedFile, index: number) => T,
): Promise<T[]> {
  const groups = Map.groupBy(
    files.map((file, rank) => ({ file, rank, part: findPart(view, file.file) })),
    ({ part }) => indexOf(part),
  );
  const rows: { rank: number; value: T }[] = [];
  for (const [index, group] of groups) {
    await index.use((repository) => {
      for (const { file, rank, part } of group) {
        const number = file.file - part.firstFile;
        const id = part.segment.fileIds[number] ?? 0;
        const firstChunk = part.firstChunk + (part.segment.fileFirstChunk[number] ?? 0);
        const path = part.segment.path(number);
        rows.push({ rank, value: read(repository, { file, id, path, firstChunk }, rank) });
      }
    });
  }
  return rows.sort((one, other) => one.rank - other.rank).map(({ value }) => value);
}

type MakeOptions = Omit<ResultOptions, "line" | "rank"> & {
  readonly query: ParsedQuery;
  readonly isWide: boolean;
  readonly texts: ReadTexts;
  /** The rank of the first file. */
  readonly offset: number;
};

async function makeResults(
  joinedIndexes: JoinedIndexes,
  files: readonly RankedFile[],
  { query, isWide, texts, offset, ...options }: MakeOptions,
) {
  const results = await readFiles(joinedIndexes, files, (repository, { file, id, path, firstChunk }, index) => {
    const storedText = texts.get(file.file) ?? repository.reader.text(id);
    if (storedText?.path !== path) return null;
    const line = query.path !== null && matchesPath(storedText.path, query.path) ? query.line : null;
    const { result, focus } = makeResult(repository, storedText, file, firstChunk, {
      ...options,
      line,
      rank: offset + index,
    });
    return { result: isWide ? withRepository(result, repository) : result, focus };
  });
  return results.flatMap((each, position) => (each === null ? [] : [{ ...each, position }]));
}

/** The results of a whole project say which repository each is of. */
function withRepository({ chunk_id, ...rest }: CodeResult, { id, root }: Repository): CodeResult {
  return { chunk_id, repository: escapePath(root), repository_id: id, ...rest };
}

function questionFacts(view: IndexView, query: ParsedQuery, isLiteral: boolean): QuestionFacts {
  const { kind, terms, names, path } = query;
  const code_words = isAskedInWords(view, query) ? findCodeWords(view, terms).map(({ text }) => text) : [];
  return { kind: isLiteral ? "literal" : kind, terms, names: names.map(({ text }) => text), code_words, path };
}

/** The best files, whose texts are searched for the words of the query in their order. */
const MAX_REREAD = 50;
/** A file with a smaller share of the query's terms has no long run of its words, and is not read for that. */
const MIN_OWN_SHARE = 0.5;

/** A shorter query has too few words for a run of them to mean anything. */
const MIN_VERBATIM_CHARS = 7;

let verbatim: Promise<typeof import("./rank/verbatim.ts")> | undefined;

/** Short queries do not need it. Importing it again for every search would take a fiftieth of its time. */
function loadVerbatim() {
  verbatim ??= import("./rank/verbatim.ts");
  return verbatim;
}

/** Texts that were read for one search, by the number of their files. */
type ReadTexts = Map<number, StoredText>;

async function preferVerbatim(
  joinedIndexes: JoinedIndexes,
  { query: text, offset, limit }: SearchParameters,
  query: ParsedQuery,
  ranked: readonly RankedFile[],
  texts: ReadTexts,
): Promise<readonly RankedFile[]> {
  if (text.length < MIN_VERBATIM_CHARS) return ranked;
  const { addGains, createGainBound, createVerbatimGain } = await loadVerbatim();
  const gainOf = createVerbatimGain(text);
  if (gainOf === null) return ranked;
  const best = ranked.slice(0, MAX_REREAD);
  const mayGain = best.filter(({ ownShare }) => ownShare >= MIN_OWN_SHARE).map(({ file }) => file);
  const maxGainOf = createGainBound(joinedIndexes.view, text, query, mayGain);
  const readGains = (files: readonly RankedFile[]) =>
    readFiles(joinedIndexes, files, ({ reader }, { file, id }) => {
      const storedText = reader.text(id);
      if (storedText !== undefined) texts.set(file.file, storedText);
      return gainOf(storedText?.text ?? "");
    });
  const improved = await addGains(best, offset + limit, ({ file }) => maxGainOf(file), readGains);
  return [...improved, ...ranked.slice(MAX_REREAD)];
}

type ResultOptions = {
  readonly chooseLines: LineChooser;
  readonly contextLines: number;
  /** The line of this file that the query names. */
  readonly line: number | null;
  /** The place of this file in the ranking, from 0. */
  readonly rank: number;
  readonly explain: boolean;
};

function makeResult(
  { id, root }: Repository,
  storedText: StoredText,
  ranked: RankedFile,
  firstChunk: number,
  { chooseLines, contextLines, line, rank, explain }: ResultOptions,
): { readonly result: CodeResult; readonly focus: number } {
  const limits = limitsAt(rank);
  const scored = ranked.chunks.map(({ chunk, score }) => ({ index: chunk - firstChunk, score }));
  const chunks = line === null ? scored : withLineFirst(storedText, scored, line);
  const [main = { startLine: 1, endLine: 1, focus: 0 }, ...further] = chooseLines(storedText, chunks, {
    line,
    limits,
  });
  const lines = createLineReader(storedText.text, limits.cutChars);
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

/** A name may contain line breaks and characters that reverse the text after them: these are made visible. */
function pathFields(path: string): Pick<CodeResult, "file_path" | "encoded_path"> {
  const file_path = escapePath(path);
  if (file_path === path) return { file_path };
  return { file_path, encoded_path: path.toWellFormed().split("/").map(encodeURIComponent).join("/") };
}

/** Reads lines of a text. A few very long lines must not fill a reply: they are cut, with three dots at each cut. */
type LineReader = {
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
