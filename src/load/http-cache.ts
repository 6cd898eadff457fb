/** The HTTP cache: looks up, revalidates and saves what was fetched, as long as its server allows. */
import type { AcquiredSource } from "../acquire/acquire.ts";
import type { Freshness, KnownValidators, Validators } from "../acquire/freshness.ts";
import type { OpenedSource, Source } from "../acquire/source.ts";
import type { KeptAlongside } from "../artifacts/artifact-store.ts";
import {
  type CacheEntry,
  type CacheHit,
  findCacheEntry,
  prepareCacheEntry,
  removeCacheEntry,
  saveCacheEntry,
} from "../artifacts/cache-entries.ts";
import type { Session } from "../session/session.ts";
import type { LoadedSource } from "./loaded-source.ts";

/** A cached artifact of the same request, and whether it may be used without asking the server. */
type CachedSource = CacheHit & { readonly isFresh: boolean };

/** The cached artifact for a source, if there is one. */
export async function lookUp(source: Source, { store, now }: Session): Promise<CachedSource | undefined> {
  if (source.fingerprint === undefined) return undefined;
  const hit = await findCacheEntry(store, await source.fingerprint());
  return hit && { ...hit, isFresh: now() < hit.entry.fresh_until };
}

/** Opens the source, or revalidates the cached artifact where its server supports that. */
export async function openOrRevalidate(
  source: Source,
  cached: CachedSource | undefined,
  noCache: boolean,
  session: Session,
): Promise<OpenedSource | { readonly revalidated: CachedSource }> {
  const options = { signal: session.signal, noCache, incoming: session.incoming };
  const validators = cached?.entry.validators;
  if (!(cached && validators && source.revalidate)) return source.open(options);
  const seal = await session.store.makeSeal();
  const { url, etag, lastModified } = validators;
  const known: KnownValidators = { etag, lastModified, isFor: ({ href }) => seal(href) === url };
  const response = await source.revalidate(known, options);
  if (!("unchanged" in response)) return response;
  return { revalidated: await extendExpiry(source, cached, response.freshness, session) };
}

/** Stores a new expiry. Validators that the server does not repeat are kept; no-store drops the entry. */
async function extendExpiry(
  source: Source,
  { entry, record }: CachedSource,
  freshness: Freshness | undefined,
  session: Session,
): Promise<CachedSource> {
  const request = await source.fingerprint?.();
  const validators = mergeValidators(entry.validators, await sealUrl(freshness?.validators ?? null, session));
  const extended: CacheEntry = { ...entry, validators, ...expiryFor(freshness?.maxAgeMs ?? entry.max_age_ms, session) };
  if (request !== undefined && freshness) await saveCacheEntry(session.store, request, extended);
  if (request !== undefined && !freshness) await removeCacheEntry(session.store, request);
  return { entry: extended, record, isFresh: true };
}

async function sealUrl(validators: Validators | null, { store }: Session): Promise<CacheEntry["validators"]> {
  return validators && { ...validators, url: await store.seal(validators.url) };
}

function mergeValidators(before: CacheEntry["validators"], now: CacheEntry["validators"]): CacheEntry["validators"] {
  if (before === null || now === null || before.url !== now.url) return now ?? before;
  return { ...before, etag: now.etag ?? before.etag, lastModified: now.lastModified ?? before.lastModified };
}

/** The cached artifact as a loaded source. */
export async function fromCache(
  { given, identity }: Source,
  { record, entry }: CachedSource,
  { store }: Session,
): Promise<LoadedSource> {
  const { content, [Symbol.asyncDispose]: dispose } = await store.open(record);
  return {
    facts: { ...record, source_url: given },
    artifact_ref: record.artifact_ref,
    record,
    content,
    objects: store.objects,
    isNewContent: false,
    delivery: {
      statusCode: entry.status_code,
      isDirect: entry.is_direct === true,
      notes: entry.notes,
      rendering: null,
      cachedAt: entry.checked_at,
    },
    address: { identity, url: record.final_url ?? identity },
    [Symbol.asyncDispose]: dispose,
  };
}

/** What saves a response in the cache while it is kept; only complete bodies of successful responses are saved. */
export async function prepareSaving(
  source: Pick<Source, "fingerprint">,
  { response, cutBy }: AcquiredSource,
  session: Session,
): Promise<KeptAlongside | undefined> {
  const freshness = response?.freshness;
  if (!source.fingerprint || freshness === undefined || response === undefined || cutBy !== null) return undefined;
  const { statusCode: status_code, isDirect: is_direct, notes } = response;
  const expiry = expiryFor(freshness.maxAgeMs, session);
  if (expiry.fresh_until === expiry.checked_at && freshness.validators === null) return undefined;
  return prepareCacheEntry(session.store, await source.fingerprint(), {
    status_code,
    is_direct,
    validators: await sealUrl(freshness.validators, session),
    notes,
    ...expiry,
  });
}

/** The lifetime of the setting, or less where the server says so. */
function expiryFor(maxAgeMs: number | null, { settings, now }: Session) {
  const checked_at = now();
  const fresh_until = checked_at + Math.min(settings["network.cache_ttl"], maxAgeMs ?? Number.POSITIVE_INFINITY);
  return { checked_at, fresh_until, max_age_ms: maxAgeMs };
}
