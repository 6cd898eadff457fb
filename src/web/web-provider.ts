/** The contract of web search providers: a query in, a request out; the provider's answer in, results out. No network here. */
import { toFields, toLine, toList } from "../system/json-values.ts";

/** One query with everything that a caller may ask for. */
export type WebQuery = {
  readonly query: string;
  readonly numResults: number;
  /** Only pages that are at most this old. */
  readonly freshness?: Freshness | undefined;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** A kind of page, such as `news` or `research paper`. */
  readonly category?: string | undefined;
  /** Pages like the one at this address. */
  readonly similarUrl?: string | undefined;
  readonly wantsHighlights: boolean;
  readonly wantsText: boolean;
};

export const freshnessValues = ["day", "week", "month", "year"] as const;
export type Freshness = (typeof freshnessValues)[number];

/** One page that was found. */
export type WebResult = {
  readonly url: string;
  readonly title: string;
  /** What the provider says about it, in a sentence or two. */
  readonly summary: string;
  readonly highlights?: readonly string[];
  readonly text?: string;
  readonly publishedAt?: string;
  readonly author?: string;
};

/** What a query may ask for beyond words. A provider without one of them leaves it out, and the reply says so. */
export const webFeatures = [
  "freshness",
  "includeDomains",
  "excludeDomains",
  "category",
  "similarUrl",
  "highlights",
  "text",
] as const;
export type WebFeature = (typeof webFeatures)[number];

/** A request to a provider's API. */
export type WebRequest = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST; without one it is a GET. */
  readonly json?: string;
};

/** Where a provider is, the keys it is used with, and the time, for filters by date. */
export type WebAccess = { readonly baseUrl: string; readonly keys: readonly string[]; readonly now: number };

/** One provider: a file under `providers/` and a line in `providers.ts`. */
export type WebProvider = {
  readonly name: string;
  /** Its public address; undefined for one that people host themselves. */
  readonly baseUrl: string | undefined;
  /** Environment variables of its keys, all needed. Each is a list of names in order of preference. */
  readonly keyNames: readonly (readonly string[])[];
  readonly features: ReadonlySet<WebFeature>;
  /** The kinds of page it knows, where it accepts no others. */
  readonly categories?: readonly string[];
  readonly maxResults: number;
  /** What to check when it refuses access. Default: its keys. */
  readonly accessHint?: string;
  makeRequest(query: WebQuery, access: WebAccess): WebRequest;
  /** The results of an answer, in order. Entries without an address are left out. */
  readResults(answer: unknown): WebResult[];
  /** What its answer says about itself, in our words. */
  readNotes?(answer: unknown): string[];
};

/** Whether a provider can follow this part of a query. */
export function canFollow({ features, categories }: WebProvider, feature: WebFeature, query: WebQuery): boolean {
  if (!features.has(feature)) return false;
  return feature !== "category" || categories === undefined || categories.includes(query.category ?? "");
}

/** A line that the provider writes as HTML: without the tags that mark matches, and with its characters decoded. */
export const toPlainLine = (value: unknown): string =>
  toLine(
    toLine(value)
      .replaceAll(/<\/?(?:b|strong|em|mark)>/gi, "")
      .replaceAll(/&(#x?[\da-f]{1,6}|[a-z]{2,6});/gi, decode),
  );

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decode(entity: string, name: string): string {
  if (!name.startsWith("#")) return named[name.toLowerCase()] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

/** The texts of a list, each on one line, without empty ones. */
export const toLines = (value: unknown): string[] =>
  toList(value)
    .map(toLine)
    .filter((line) => line !== "");

/** Results from rows of the answer, each read by `read`; a row without an http address is left out. */
export function readRows(rows: unknown, read: (row: Readonly<Record<string, unknown>>) => WebResult): WebResult[] {
  return toList(rows)
    .map((row) => read(toFields(row)))
    .filter(({ url }) => /^https?:\/\//i.test(url));
}

/** Only the fields that have a text. */
export function optional<Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  const line = toLine(value);
  return line === "" ? {} : ({ [name]: line } as { readonly [name in Name]: string });
}
