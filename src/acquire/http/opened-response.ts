/** Turns the final response of a fetch into an opened source: its name, notes for the reader, and its freshness. */
import { combineFreshness, type Freshness, readFreshness, readHopFreshness } from "../freshness.ts";
import type { OpenedSource, UnchangedSource } from "../source.ts";
import type { FetchedPage } from "./prefer-markdown.ts";
import type { FinalResponse } from "./redirects.ts";
import { makeMarkdownNote, makeRedirectNote } from "./response-notes.ts";
import { findFileName } from "./url.ts";

/** How a page was reached: the URL that was requested, and the response before a Markdown form replaced it. */
type PageOrigin = {
  readonly requested: URL;
  readonly first: FinalResponse;
  /** What the client reports about the requests. */
  readonly notes: readonly string[];
};

/** The opened source of a page. */
export function toOpenedSource({ response, body }: FetchedPage, origin: PageOrigin, now: number): OpenedSource {
  const { status, headers, url } = response;
  const isAlternate = response !== origin.first;
  return {
    chunks: body.chunks,
    name: findFileName(url, headers),
    headers,
    location: url.href,
    response: {
      statusCode: status,
      isDirect: response.isDirect,
      notes: [...makeNotes(origin), ...(isAlternate ? [makeMarkdownNote(url)] : []), ...body.notes],
      shortfall: () => (status === 206 ? { by: "server", reason: "the server sent only a part" } : body.shortfall()),
      freshness: findFreshness(response, origin.first, now),
    },
  };
}

/** The answer to a revalidation: status 304, whose headers may extend the freshness. */
export function toUnchangedSource(response: FinalResponse, now: number): UnchangedSource {
  response.discard();
  return { unchanged: true, freshness: readFreshness(response.headers, response.url, now) };
}

/** The strictest freshness of all responses that led to this one; only complete responses may be cached. */
function findFreshness(response: FinalResponse, first: FinalResponse, now: number): Freshness | undefined {
  if (response.status !== 200) return undefined;
  const hops = first.hops.map((hop) => readHopFreshness(hop, now));
  const own = readFreshness(response.headers, response.url, now);
  if (response === first) return combineFreshness(own, hops);
  const freshness = combineFreshness(own, [...hops, readFreshness(first.headers, first.url, now)]);
  // The validators of a Markdown form do not belong to the page that will be requested next time.
  return freshness && { ...freshness, validators: null };
}

function makeNotes({ requested, first, notes }: PageOrigin): string[] {
  const { url, isProxied, status } = first;
  return [
    ...(url.href === requested.href ? [] : [makeRedirectNote(url)]),
    ...notes,
    ...(status === 206 ? ["The server sent only a part although the whole was requested."] : []),
    ...(isProxied ? ["Fetched through a proxy: the host's name was checked, its address could not be."] : []),
  ];
}
