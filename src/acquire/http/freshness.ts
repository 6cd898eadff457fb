/** How long an answer may stand in for another request, and how to ask whether it still holds. */

/** What a server said about using its answer again; absent where it may not be. */
export type Freshness = {
  /** How long at most, by the server's word; null where it says nothing. */
  readonly maxAgeMs: number | null;
  readonly validators: Validators | null;
};

/** What a server recognises its own answer by; sent only to the URL it came from. */
export type Validators = {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

export function readFreshness(headers: Readonly<Record<string, string>>, url: URL, now: number): Freshness | undefined {
  const directives = (headers["cache-control"] ?? "")
    .toLowerCase()
    .split(",")
    .map((each) => each.trim());
  const varies = (headers.vary ?? "").split(",").some((name) => name.trim() === "*");
  if (directives.includes("no-store") || varies) return undefined;
  const [etag, lastModified] = [headers.etag ?? null, headers["last-modified"] ?? null];
  const validators = etag === null && lastModified === null ? null : { url: url.href, etag, lastModified };
  return { maxAgeMs: readMaxAge(directives, headers, now), validators };
}

/** A redirect's word counts for what it leads to; one that is not for ever may lead elsewhere the next time. */
export function readHopFreshness(
  hop: { readonly status: number; readonly headers: Headers; readonly url: URL },
  now: number,
) {
  const freshness = readFreshness(hop.headers, hop.url, now);
  const isLasting = hop.status === 301 || hop.status === 308;
  return freshness && { ...freshness, maxAgeMs: freshness.maxAgeMs ?? (isLasting ? null : 0) };
}

/** What all answers that had a part in it allow together; the validators are those of the first. */
export function combineFreshness(
  first: Freshness | undefined,
  others: readonly (Freshness | undefined)[],
): Freshness | undefined {
  if (first === undefined || others.includes(undefined)) return undefined;
  const ages = [first, ...others].flatMap((each) => each?.maxAgeMs ?? []);
  return { ...first, maxAgeMs: ages.length === 0 ? null : Math.min(...ages) };
}

type Headers = Readonly<Record<string, string>>;

/** The conditions that make a server answer 304 when nothing changed. */
export function makeConditionalHeaders(validators: Validators | undefined, url: URL): Record<string, string> {
  if (validators === undefined || validators.url !== url.href) return {};
  const { etag, lastModified } = validators;
  return {
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

function readMaxAge(
  directives: readonly string[],
  headers: Readonly<Record<string, string>>,
  now: number,
): number | null {
  if (directives.some((each) => /^no-cache\b/.test(each))) return 0;
  const seconds = directives.flatMap((each) => /^max-age\s*=\s*"?(\d+)/.exec(each)?.[1] ?? [])[0];
  const age = Number(headers.age ?? 0) || 0;
  if (seconds !== undefined) return Math.max(0, (Number(seconds) - age) * 1_000);
  if (headers.expires === undefined) return null;
  const expires = Date.parse(headers.expires);
  // "0" and other things that are no date mean: already over.
  return Number.isNaN(expires) ? 0 : Math.max(0, expires - (Date.parse(headers.date ?? "") || now));
}
