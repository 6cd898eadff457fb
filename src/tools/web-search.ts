/** `web_search` and `code_search`: pages that answer questions, as one-line summaries, readable by responseId. */
import { keepResponse, type ResponseEntry } from "../artifacts/responses.ts";
import { SpillwayError } from "../errors.ts";
import { type Budget, makeSourceBudget } from "../fit/budget.ts";
import { STORED_TITLE_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { keepText } from "../web/keep-text.ts";
import { searchWeb } from "../web/search-web.ts";
import { hasProvider } from "../web/web-access.ts";
import { freshnessValues, type WebQuery } from "../web/web-provider.ts";
import { fetchSelected } from "./fetch-tool.ts";
import { webSearchOutput } from "./output-fields.ts";
import { mapParallel } from "./parallel.ts";
import type { Input } from "./parameters.ts";
import { fetchHints } from "./shared-parameters.ts";
import { defineTool, type ReplyDraft, type ToolSession } from "./tool.ts";
import { type FetchedPage, listPages, type PageResult, type QueryResults, renderSearch } from "./web-results.ts";

const MAX_QUERIES = 10;
const MAX_PARALLEL_QUERIES = 3;
const MAX_QUERY_CHARS = 2_000;
const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 50;

/** Pages fetched for `fetch`, best first over all queries. */
const MAX_FETCHED_PAGES = 3;

const fields = {
  query: { type: "text", about: "What to look for.", aliases: ["q", "question", "prompt"] },
  queries: { type: "list", about: `Several queries, at most ${MAX_QUERIES}, answered in order within one budget.` },
  numResults: {
    type: "integer",
    about: `Results of each query, 1 to ${MAX_RESULTS}; ${DEFAULT_RESULTS} by default.`,
    example: 5,
    aliases: ["limit", "count", "num_results", "max_results"],
  },
  freshness: { type: "choice", choices: freshnessValues, about: "Only pages at most this old." },
  includeDomains: { type: "list", about: "Only pages of these domains.", aliases: ["include_domains", "site"] },
  excludeDomains: { type: "list", about: "No pages of these domains.", aliases: ["exclude_domains"] },
  category: { type: "text", about: "A kind of page, such as news, where the provider has kinds." },
  similarUrl: {
    type: "text",
    about: "Pages like the one at this address, where the provider can.",
    aliases: ["similar_url"],
  },
  highlights: { type: "flag", about: "Show the sentences that match, not only a summary." },
  text: {
    type: "flag",
    about: "Keep the full text of the pages, where the provider sends it; read_artifact reads it by responseId.",
  },
  fetch: {
    type: "flag",
    about: `Fetch the best ${MAX_FETCHED_PAGES} pages and show the passages that answer the query.`,
  },
} as const;

type SearchInput = Input<typeof fields>;

export const webSearchTool = defineTool({
  name: "web_search",
  title: "Search the web",
  about:
    "Finds web pages for one or several queries and answers with titles, addresses and one-line summaries. Read a page " +
    "with fetch_content, or set fetch to get the passages that answer the query at once.",
  input: fields,
  output: webSearchOutput,
  hints: fetchHints,
  isOffered: ({ settings, env }) => hasProvider(settings, env),
  run: (input, session) => runSearch(input, session, []),
});

/** Where code and its documentation are. */
const codeDomains = ["github.com", "gitlab.com", "stackoverflow.com", "docs.rs", "pkg.go.dev", "npmjs.com", "pypi.org"];

export const codeSearchTool = defineTool({
  name: "code_search",
  title: "Search public code and docs",
  about:
    "Finds public code, library documentation and answers about programming for a query. For the code of the project at " +
    "hand use search_code.",
  input: fields,
  output: webSearchOutput,
  hints: fetchHints,
  isOffered: ({ settings, env }) => hasProvider(settings, env),
  run: (input, session) => runSearch(input, session, codeDomains),
});

async function runSearch(
  input: SearchInput,
  session: ToolSession,
  defaultDomains: readonly string[],
): Promise<ReplyDraft> {
  const queries = listQueries(input).map((query) => makeQuery(query, input, defaultDomains));
  const outcomes = await mapParallel(queries, MAX_PARALLEL_QUERIES, (query) => findPages(query, session));
  const [first] = outcomes;
  if (first?.error && outcomes.every(({ error }) => error !== undefined)) throw first.error;
  const budget = makeSourceBudget(session.settings).inline;
  const pages = input.fetch ? await fetchBest(outcomes, budget, session) : [];
  const responseId = await keepResponse(
    session.store,
    outcomes.flatMap((outcome) => toEntries(outcome, pages)),
  );
  const reply = { outcomes, pages, responseId, fenceWord: session.makeFenceWord() };
  return { budget, render: (chars) => renderSearch(reply, chars) };
}

function listQueries({ query, queries = [], similarUrl }: SearchInput): string[] {
  const all = [...(query === undefined ? [] : [query]), ...queries].map((each) => each.trim());
  const unique = [...new Set(all.filter((each) => each !== ""))];
  if (unique.some((each) => each.length > MAX_QUERY_CHARS))
    throw usageError(`A query is longer than ${MAX_QUERY_CHARS} characters.`, "Ask with a few words or one sentence.");
  if (unique.length > MAX_QUERIES)
    throw usageError(`There are ${unique.length} queries, and one call takes ${MAX_QUERIES}.`, "Send several calls.");
  if (similarUrl !== undefined && unique.length > 1)
    throw usageError("similarUrl takes at most one query.", "Send similarUrl in a call of its own.");
  if (unique.length > 0) return unique;
  if (similarUrl === undefined) throw usageError("query is missing.", "Send query with what to look for.");
  return [`pages like ${similarUrl}`];
}

function makeQuery(query: string, input: SearchInput, defaultDomains: readonly string[]): WebQuery {
  const { numResults = DEFAULT_RESULTS, includeDomains = [], excludeDomains = [], similarUrl } = input;
  if (numResults < 1 || numResults > MAX_RESULTS)
    throw usageError(
      `numResults must be between 1 and ${MAX_RESULTS}, got ${numResults}.`,
      "Send a number in between.",
    );
  if (similarUrl !== undefined && !/^https?:\/\/./i.test(URL.parse(similarUrl)?.href ?? ""))
    throw usageError("similarUrl is not a web address.", "Write it as https://example.org/page.");
  return {
    query,
    numResults,
    freshness: input.freshness,
    includeDomains: includeDomains.length > 0 ? includeDomains.map(toDomain) : defaultDomains,
    excludeDomains: excludeDomains.map(toDomain),
    category: input.category?.trim().toLowerCase(),
    similarUrl,
    wantsHighlights: input.highlights ?? false,
    wantsText: input.text ?? false,
  };
}

/** People write addresses where domains are asked for. */
function toDomain(given: string): string {
  const domain = given
    .trim()
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/[/?#].*$/, "")
    .toLowerCase();
  if (/^[a-z0-9.*-]+\.[a-z0-9-]+$/.test(domain)) return domain;
  throw usageError(`${JSON.stringify(clip(given))} is not a domain.`, "Write it as example.org.");
}

function usageError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("usage", sentence, { hint });
}

/** Asks for one query, and keeps the texts at once: those of ten queries may be too many for the memory. */
async function findPages(query: WebQuery, session: ToolSession): Promise<QueryResults> {
  const { results, ...outcome } = await searchWeb(query, session);
  const pages: PageResult[] = [];
  for (const { text, ...result } of results) {
    const artifactRef = await keepText({ ...result, ...(text !== undefined && { text }) }, session);
    pages.push({ ...result, artifactRef });
  }
  return { ...outcome, results: pages };
}

/** The best pages of all queries in turn, each once. */
function fetchBest(outcomes: readonly QueryResults[], budget: Budget, session: ToolSession): Promise<FetchedPage[]> {
  const wanted = listPages(outcomes).slice(0, MAX_FETCHED_PAGES);
  const share = { ...budget, chars: Math.floor(budget.chars / Math.max(1, wanted.length)) };
  const shares = { ...makeSourceBudget(session.settings), inline: share, excerpt: share, read: share };
  return mapParallel(wanted, MAX_FETCHED_PAGES, async ({ result: { url }, query }): Promise<FetchedPage> => {
    try {
      const { fields: page } = await fetchSelected(url, { mode: "markdown", budget: shares }, { query }, session);
      return { url, artifactRef: page.artifact_ref, content: page.content ?? "", error: page.error ?? null };
    } catch (error) {
      session.signal.throwIfAborted();
      return { url, artifactRef: null, content: "", error: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** What read_artifact lists by responseId: the fetched page, else the text that the provider sent, else how to get it. */
function toEntries({ query, results }: QueryResults, pages: readonly FetchedPage[]): ResponseEntry[] {
  return results.map(({ url, title, artifactRef }) => {
    const ref = pages.find((page) => page.url === url)?.artifactRef ?? artifactRef;
    return {
      source_url: url,
      title: clip(title, STORED_TITLE_CHARS),
      artifact_ref: ref,
      mode: "markdown",
      query,
      error: ref === null ? "the search found only a summary; fetch_content reads the page" : null,
    };
  });
}
