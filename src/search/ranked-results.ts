/** Finds the results of a query: ranked files, each with its best lines as they were indexed. */
import type { CodeResult, QuestionFacts, SearchFacts } from "../contract/search-fields.ts";
import { escapePath } from "../system/safe-names.ts";
import type { IndexView } from "./index/index-view.ts";
import type { StoredText } from "./index/store/index-store.ts";
import { type JoinedIndexes, joinChunks, joinIndexes, readFiles } from "./joined-indexes.ts";
import { type LineChooser, makeResult, type ResultOptions } from "./make-result.ts";
import type { PreparedIndex } from "./prepared-index.ts";
import { findCodeWords } from "./rank/everyday-words.ts";
import { createHitFinder } from "./rank/hits.ts";
import { type ParsedQuery, parseQuery } from "./rank/query.ts";
import { isAskedInWords } from "./rank/question-words.ts";
import { type RankedFile, rankFiles } from "./rank/rank.ts";
import { matchesPath } from "./rank/signals/path-score.ts";
import { chooseSpans } from "./rank/spans.ts";
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
  const { addGains, createGainBound, createVerbatimGain } = await import("./rank/verbatim.ts");
  const gainOf = createVerbatimGain(text);
  if (gainOf === null) return ranked;
  const boundOf = createGainBound(joinedIndexes.view, text, query);
  const maxGainOf = ({ file, ownShare }: RankedFile) => (ownShare < MIN_OWN_SHARE ? 0 : boundOf(file));
  const readGains = (files: readonly RankedFile[]) =>
    readFiles(joinedIndexes, files, ({ reader }, { file, id }) => {
      const storedText = reader.text(id);
      if (storedText !== undefined) texts.set(file.file, storedText);
      return gainOf(storedText?.text ?? "");
    });
  const best = await addGains(ranked.slice(0, MAX_REREAD), offset + limit, maxGainOf, readGains);
  return [...best, ...ranked.slice(MAX_REREAD)];
}
