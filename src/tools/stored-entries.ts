/** What an earlier call stored under a responseId: choosing one entry, and listing all. */
import { fenceUntrusted } from "../answer/untrusted-fence.ts";
import type { ResponseEntry } from "../artifacts/responses.ts";
import { SpillwayError } from "../errors.ts";
import { makeSourceBudget } from "../fit/budget.ts";
import { LISTED_TEXT_CHARS, LISTED_URL_CHARS, STORED_TITLE_CHARS, URL_FIELD_CHARS } from "../system/clip-lengths.ts";
import { formatCount } from "../system/quantities.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import type { RenderedReply, ReplyDraft, ToolSession } from "./tool.ts";

/** How an entry is chosen: by its address, or by the query it was stored with. */
export type EntryChoice = {
  readonly query?: string | undefined;
  readonly queryIndex?: number | undefined;
  readonly url?: string | undefined;
  readonly urlIndex?: number | undefined;
};

/** An entry with its index, by which it can be chosen. */
export type NumberedEntry = { readonly entry: ResponseEntry; readonly urlIndex: number };

/** The entries of the chosen query, or of these the one with the chosen address. */
export function chooseEntries(
  entries: readonly ResponseEntry[],
  { query, queryIndex, url, urlIndex }: EntryChoice,
): NumberedEntry[] {
  const wantedQuery = queryIndex === undefined ? query : queryByIndex(entries, queryIndex);
  const numbered = entries.map((entry, index) => ({ entry, urlIndex: index }));
  const ofQuery = wantedQuery === undefined ? numbered : numbered.filter(({ entry }) => entry.query === wantedQuery);
  if (ofQuery.length === 0) throw notStoredError("query", wantedQuery ?? "", storedQueries(entries));
  if (urlIndex !== undefined) return [entryAt(numbered, ofQuery, urlIndex)];
  if (url === undefined) return ofQuery;
  // Addresses are stored without their secrets.
  const normalize = (address: string) => redactUrl(URL.parse(address)?.href ?? address);
  const same = ofQuery.filter(({ entry }) => normalize(entry.source_url) === normalize(url));
  if (same.length > 0) return same.slice(0, 1);
  throw notStoredError(
    "url",
    redactUrl(url),
    entries.map(({ source_url }) => source_url),
  );
}

const storedQueries = (entries: readonly ResponseEntry[]): string[] => [
  ...new Set(entries.flatMap(({ query }) => (query === null ? [] : [query]))),
];

function queryByIndex(entries: readonly ResponseEntry[], index: number): string {
  const queries = storedQueries(entries);
  const query = queries[index];
  if (query !== undefined) return query;
  throw outOfRangeError("queryIndex", index, queries.length);
}

/** An index counts over everything that is stored, as the listing shows it, and must belong to the chosen query. */
function entryAt(all: readonly NumberedEntry[], ofQuery: readonly NumberedEntry[], index: number): NumberedEntry {
  const numbered = all[index];
  if (numbered === undefined) throw outOfRangeError("urlIndex", index, all.length);
  if (ofQuery.includes(numbered)) return numbered;
  const [first, last] = [ofQuery[0]?.urlIndex ?? 0, ofQuery.at(-1)?.urlIndex ?? 0];
  throw new SpillwayError("place_not_found", `urlIndex ${index} belongs to another query. Valid: ${first}-${last}`, {
    hint: "Leave out the query, or use an index that it is listed with.",
  });
}

function outOfRangeError(name: string, index: number, count: number): SpillwayError {
  const valid = count === 0 ? "none, nothing is stored by it" : `0-${count - 1}`;
  return new SpillwayError("place_not_found", `${name} ${index} out of range. Valid: ${valid}`, {
    hint: "Call again with the responseId alone to see what is stored.",
  });
}

function notStoredError(name: string, value: string, storedValues: readonly string[]): SpillwayError {
  const examples = storedValues.slice(0, 5).map((each) => JSON.stringify(clip(each, LISTED_TEXT_CHARS)));
  return new SpillwayError(
    "place_not_found",
    `No ${name} ${JSON.stringify(clip(value, LISTED_TEXT_CHARS))} is stored here.`,
    {
      hint: examples.length === 0 ? `No ${name} was stored; use urlIndex.` : `Stored: ${examples.join(", ")}.`,
    },
  );
}

/** The fields that a read of a stored source has beside its own. */
export function describeStored(responseId: string, { source_url, title }: ResponseEntry) {
  return { responseId, url: clip(source_url, URL_FIELD_CHARS), title: clip(title, STORED_TITLE_CHARS) };
}

export function nothingStoredError({ source_url, error }: ResponseEntry): SpillwayError {
  return new SpillwayError(
    "place_not_found",
    `Nothing is stored of ${clip(source_url, LISTED_URL_CHARS)}: ${error ?? "unknown"}.`,
    { hint: "Fetch it with fetch_content." },
  );
}

/** The list of what is stored, as far as there is room. */
export function draftListing(
  responseId: string,
  chosenEntries: readonly NumberedEntry[],
  { settings, makeFenceWord }: ToolSession,
): ReplyDraft {
  const fenceWord = makeFenceWord();
  return {
    budget: makeSourceBudget(settings).read,
    render: (chars) => renderListing(responseId, chosenEntries, chars, fenceWord),
  };
}

/** What one row takes at most, fields included; rows that do not fit are counted. */
const ROW_CHARS = 700;

function renderListing(
  responseId: string,
  chosenEntries: readonly NumberedEntry[],
  chars: number,
  fenceWord: string,
): RenderedReply {
  const rows = chosenEntries.slice(0, Math.max(1, Math.floor(chars / ROW_CHARS)));
  const unlisted = chosenEntries.slice(rows.length);
  return {
    summary: `[${chosenEntries.length} stored under responseId=${responseId}. Choose one by urlIndex.]`,
    required: unlisted.slice(0, 1).map(({ urlIndex }) => formatUnlisted(responseId, urlIndex, unlisted.length)),
    notices: [],
    body: rows.length === 0 ? "" : fenceUntrusted(rows.map(formatRow).join("\n"), fenceWord),
    structured: { responseId, stored: rows.map(rowFields), stored_count: chosenEntries.length },
  };
}

function formatUnlisted(responseId: string, urlIndex: number, count: number): string {
  const next = `Read on: read_artifact responseId=${responseId} urlIndex=${urlIndex}`;
  return `${next} (not listed here: ${formatCount(count, "more source")})`;
}

function formatRow({ entry, urlIndex }: NumberedEntry): string {
  const { title, source_url, artifact_ref, error } = entry;
  const artifact = artifact_ref ?? `nothing: ${clip(error ?? "", LISTED_TEXT_CHARS)}`;
  return `${urlIndex}. ${JSON.stringify(clip(title, LISTED_TEXT_CHARS))} | ${clip(source_url, LISTED_URL_CHARS)} | ${artifact}`;
}

function rowFields({ entry, urlIndex }: NumberedEntry): Record<string, unknown> {
  const { title, source_url, artifact_ref, query, error } = entry;
  const url = clip(source_url, LISTED_URL_CHARS);
  return {
    urlIndex,
    url,
    title: clip(title, LISTED_TEXT_CHARS),
    artifact_ref,
    query: query && clip(query, LISTED_TEXT_CHARS),
    error,
  };
}
