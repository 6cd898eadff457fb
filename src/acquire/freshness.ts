/** How long a response may be reused from the cache, and how to revalidate it. */

/** What a server says about reusing its response; undefined where it may not be reused. */
export type Freshness = {
  /** The maximum age that the server states; null where it states none. */
  readonly maxAgeMs: number | null;
  readonly validators: Validators | null;
};

/** How a server recognises its own response. */
type ResponseTags = { readonly etag: string | null; readonly lastModified: string | null };

/** The tags of a response and the URL it came from. */
export type Validators = ResponseTags & { readonly url: string };

/** Tags of an earlier response, sent only to the URL it came from. That may hold a secret, so it is known by a check. */
export type KnownValidators = ResponseTags & { isFor(url: URL): boolean };

/** The freshness that the headers of a response state, or undefined where it may not be stored. */
export function readFreshness(headers: Readonly<Record<string, string>>, url: URL, now: number): Freshness | undefined {
  const directives = (headers["cache-control"] ?? "")
    .toLowerCase()
    .split(",")
    .map((directive) => directive.trim());
  const varies = (headers.vary ?? "").split(",").some((name) => name.trim() === "*");
  if (directives.includes("no-store") || varies) return undefined;
  const [etag, lastModified] = [headers.etag ?? null, headers["last-modified"] ?? null];
  const validators = etag === null && lastModified === null ? null : { url: url.href, etag, lastModified };
  return { maxAgeMs: readMaxAge(directives, headers, now), validators };
}

/** A redirect limits the freshness of its target; a temporary one may lead elsewhere next time. */
export function readHopFreshness(
  hop: { readonly status: number; readonly headers: Headers; readonly url: URL },
  now: number,
) {
  const freshness = readFreshness(hop.headers, hop.url, now);
  const isPermanent = hop.status === 301 || hop.status === 308;
  return freshness && { ...freshness, maxAgeMs: freshness.maxAgeMs ?? (isPermanent ? null : 0) };
}

/** The strictest freshness of several responses, with the validators of the first. */
export function combineFreshness(
  first: Freshness | undefined,
  others: readonly (Freshness | undefined)[],
): Freshness | undefined {
  if (first === undefined || others.includes(undefined)) return undefined;
  const ages = [first, ...others].flatMap((freshness) => freshness?.maxAgeMs ?? []);
  return { ...first, maxAgeMs: ages.length === 0 ? null : Math.min(...ages) };
}

type Headers = Readonly<Record<string, string>>;

/** Headers that make a server answer 304 when nothing has changed. */
export function makeConditionalHeaders(validators: KnownValidators | undefined, url: URL): Record<string, string> {
  if (validators === undefined || !validators.isFor(url)) return {};
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
  if (directives.some((directive) => /^no-cache\b/.test(directive))) return 0;
  const seconds = directives.flatMap((directive) => /^max-age\s*=\s*"?(\d+)/.exec(directive)?.[1] ?? [])[0];
  const age = Number(headers.age ?? 0) || 0;
  if (seconds !== undefined) return Math.max(0, (Number(seconds) - age) * 1_000);
  if (headers.expires === undefined) return null;
  const expires = Date.parse(headers.expires);
  // "0" and other values that are not dates mean: already expired.
  return Number.isNaN(expires) ? 0 : Math.max(0, expires - (Date.parse(headers.date ?? "") || now));
}
