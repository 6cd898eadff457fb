/** Renders what a web search found: as many whole results as fit, best first over all queries, then passages. */
import { fenceUntrusted } from "../answer/untrusted-fence.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import { ERROR_CHARS, LISTED_TEXT_CHARS, SHORT_NAME_CHARS } from "../system/clip-lengths.ts";
import { formatCount } from "../system/quantities.ts";
import { clip } from "../system/safe-names.ts";
import { makePageKey } from "../web/clean-url.ts";
import type { QueryOutcome } from "../web/search-web.ts";
import type { WebResult } from "../web/web-provider.ts";
import type { RenderedReply } from "./tool.ts";

/** A page that was found, with the ref of its text where the provider sent one. */
export type PageResult = Omit<WebResult, "text"> & { readonly artifactRef: string | null };

export type QueryResults = Omit<QueryOutcome, "results"> & { readonly results: readonly PageResult[] };

/** A page that was fetched for its passages, or why it could not be. */
export type FetchedPage = {
  readonly url: string;
  readonly artifactRef: string | null;
  readonly content: string;
  readonly error: string | null;
};

/** A page with the query that found it first, and its index in the stored response. */
type ListedPage = { readonly result: PageResult; readonly query: string; readonly urlIndex: number };

/** The pages of all queries, each once: the best of each query, then the second best, and so on. */
export function listPages(outcomes: readonly QueryResults[]): ListedPage[] {
  const starts = outcomes.map((_, index) =>
    outcomes.slice(0, index).reduce((sum, each) => sum + each.results.length, 0),
  );
  const longest = Math.max(0, ...outcomes.map(({ results }) => results.length));
  const unique = new Map<string, ListedPage>();
  for (let rank = 0; rank < longest; rank++)
    for (const [index, { query, results }] of outcomes.entries()) {
      const result = results[rank];
      const key = makePageKey(result?.url ?? "");
      if (result !== undefined && !unique.has(key))
        unique.set(key, { result, query, urlIndex: (starts[index] ?? 0) + rank });
    }
  return [...unique.values()];
}

type SearchReply = {
  readonly outcomes: readonly QueryResults[];
  readonly pages: readonly FetchedPage[];
  readonly responseId: string | null;
  /** The random word of the fence around what others wrote. */
  readonly fenceWord: string;
};

/** The reply for this many characters of content. */
export function renderSearch(reply: SearchReply, chars: number): RenderedReply {
  const { outcomes, pages, responseId, fenceWord } = reply;
  const listed = listPages(outcomes);
  const shown = takeFitting(listed, chars - outcomes.reduce((sum, each) => sum + formatHead(each.query).length, 0));
  const blocks = outcomes.flatMap(({ query }) => {
    const lines = shown.filter((page) => page.query === query).map(formatPage);
    return lines.length === 0 ? [] : [(outcomes.length > 1 ? formatHead(query) : "") + lines.join("\n")];
  });
  const room = chars - blocks.join("\n\n").length;
  const words = [...blocks, ...formatPassages(pages, room)].join("\n\n");
  const foundCount = outcomes.reduce((sum, { results }) => sum + results.length, 0);
  const providers = [...new Set(outcomes.flatMap(({ provider }) => provider ?? []))].join(", ");
  const handle = responseId === null ? "" : ` responseId=${responseId}`;
  const required = listFailures(outcomes);
  const notices = listNotices(outcomes, pages, {
    repeated: foundCount - listed.length,
    hidden: listed.length - shown.length,
  });
  return {
    summary: `[Found ${formatCount(listed.length, "page")} with ${providers}, showing ${shown.length}.${handle}]`,
    required,
    notices,
    body: words === "" ? "" : fenceUntrusted(words, fenceWord),
    structured: {
      responseId,
      total_count: listed.length,
      returned_count: shown.length,
      results: shown.map(toFields),
      warnings: [...required, ...notices],
    },
  };
}

/** Pages from the best on while there is room for them; shown in the order in which they were stored. */
function takeFitting(listed: readonly ListedPage[], chars: number): ListedPage[] {
  let room = chars;
  const taken = listed.filter((page) => {
    const length = formatPage(page).length + 2;
    if (length > room) return false;
    room -= length;
    return true;
  });
  return taken.sort((left, right) => left.urlIndex - right.urlIndex);
}

function listFailures(outcomes: readonly QueryResults[]): string[] {
  return outcomes.flatMap(({ query, error }) =>
    error === undefined ? [] : [`Query ${quote(query)}: ${clip(error.message, ERROR_CHARS)} ${error.hint}`],
  );
}

type PageCounts = { readonly repeated: number; readonly hidden: number };

function listNotices(
  outcomes: readonly QueryResults[],
  pages: readonly FetchedPage[],
  { repeated, hidden }: PageCounts,
): string[] {
  const empty = outcomes.filter(({ results, error }) => results.length === 0 && error === undefined);
  const unread = pages.filter(({ content }) => content === "").length;
  return [
    ...empty.map(({ query }) => `Nothing was found for ${quote(query)}: use other words, or fewer filters.`),
    ...(hidden === 0 ? [] : [`Not shown: ${formatCount(hidden, "more page")}; read_artifact lists all by responseId.`]),
    ...(repeated === 0 ? [] : [`Found more than once and listed once: ${formatCount(repeated, "page")}.`]),
    ...(unread === 0 ? [] : [`Not readable: ${formatCount(unread, "fetched page")}; fetch_content says why.`]),
    ...new Set(outcomes.flatMap(({ notes }) => notes)),
  ];
}

const quote = (query: string): string => JSON.stringify(clip(query, SHORT_NAME_CHARS));

const formatHead = (query: string): string => `Query ${JSON.stringify(clip(query, LISTED_TEXT_CHARS))}:\n`;

const SUMMARY_CHARS = 240;
const HIGHLIGHT_CHARS = 400;

/** `0. Title https://… (2026-01-02)` and a line of summary; the number is its urlIndex. */
function formatPage({ result, urlIndex }: ListedPage): string {
  const { title, url, summary, highlights = [], publishedAt, artifactRef } = result;
  const date = publishedAt === undefined ? "" : ` (${clip(publishedAt.slice(0, 10))})`;
  const ref = artifactRef === null ? "" : ` artifact_ref=${artifactRef}`;
  const lines = [`${urlIndex}. ${clip(title, LISTED_TEXT_CHARS)} ${url}${date}${ref}`];
  if (highlights.length > 0) lines.push(...highlights.map((each) => `   - ${clip(each, HIGHLIGHT_CHARS)}`));
  else if (summary !== "") lines.push(`   ${clip(summary, SUMMARY_CHARS)}`);
  return lines.join("\n");
}

/** Fewer characters of a page say nothing. */
const MIN_PASSAGE_CHARS = 200;

/** The passages of the fetched pages; they share the room that the results left. */
function formatPassages(pages: readonly FetchedPage[], chars: number): string[] {
  const readable = pages.filter(({ content }) => content !== "");
  let room = chars;
  return readable.flatMap((page, index) => {
    const share = Math.floor(room / (readable.length - index));
    const ref = page.artifactRef === null ? "" : ` (artifact_ref=${page.artifactRef})`;
    const head = `From ${page.url}${ref}:\n`;
    const contentChars = share - head.length - 2;
    if (contentChars < Math.min(MIN_PASSAGE_CHARS, page.content.length)) return [];
    const text = head + cutBetweenCodePoints(page.content, contentChars);
    room -= text.length + 2;
    return [text];
  });
}

function toFields({ result, query, urlIndex }: ListedPage): object {
  const { title, url, summary, publishedAt, artifactRef } = result;
  return {
    urlIndex,
    query: clip(query, LISTED_TEXT_CHARS),
    title: clip(title, LISTED_TEXT_CHARS),
    url,
    summary: clip(summary, SUMMARY_CHARS),
    artifact_ref: artifactRef,
    ...(publishedAt === undefined ? {} : { published_at: clip(publishedAt) }),
  };
}
