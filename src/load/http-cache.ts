/** Answers a request by what was fetched before, as long as its server lets it, and remembers what is fetched now. */
import type { Acquired } from "../acquire/acquire.ts";
import type { Freshness } from "../acquire/http/freshness.ts";
import type { Opened, Source } from "../acquire/source.ts";
import { type CacheEntry, type CacheHit, dropCached, findCached, putCached } from "../artifacts/cache-entries.ts";
import type { Session } from "../session/session.ts";
import type { TakenIn } from "./load-source.ts";

/** What was fetched before for the same request, if anything, and whether it may still answer by itself. */
type Recalled = CacheHit & { readonly fresh: boolean };

export async function recall(source: Source, { store, now }: Session): Promise<Recalled | undefined> {
  if (source.fingerprint === undefined) return undefined;
  const hit = await findCached(store, await source.fingerprint());
  return hit && { ...hit, fresh: now() < hit.entry.fresh_until };
}

/** Opens the source, or, where it can be asked, only learns that what was fetched before still holds. */
export async function openAnew(
  source: Source,
  recalled: Recalled | undefined,
  noCache: boolean,
  session: Session,
): Promise<Opened | { readonly renewed: Recalled }> {
  const ask = { signal: session.signal, noCache, incoming: session.incoming };
  const validators = recalled?.entry.validators;
  if (!(recalled && validators && source.revalidate)) return source.open(ask);
  const answer = await source.revalidate(validators, ask);
  return "unchanged" in answer ? { renewed: await renew(source, recalled, answer.freshness, session) } : answer;
}

/** The same artifact answers for another while: what the server does not say anew holds on, and no-store ends it. */
async function renew(
  source: Source,
  { entry, record }: Recalled,
  freshness: Freshness | undefined,
  session: Session,
): Promise<Recalled> {
  const request = await source.fingerprint?.();
  const validators = joinedValidators(entry.validators, freshness?.validators ?? null);
  const renewed: CacheEntry = { ...entry, validators, ...lasting(freshness?.maxAgeMs ?? entry.max_age_ms, session) };
  if (request !== undefined && freshness) await putCached(session.store, request, renewed);
  if (request !== undefined && !freshness) await dropCached(session.store, request);
  return { entry: renewed, record, fresh: true };
}

function joinedValidators(before: CacheEntry["validators"], now: CacheEntry["validators"]): CacheEntry["validators"] {
  if (before === null || now === null || before.url !== now.url) return now ?? before;
  return { ...before, etag: now.etag ?? before.etag, lastModified: now.lastModified ?? before.lastModified };
}

/** What was fetched before, as if it had been taken in now. */
export async function reuse({ given }: Source, { record, entry }: Recalled, { store }: Session): Promise<TakenIn> {
  const { path, [Symbol.asyncDispose]: dispose } = await store.local(record);
  return {
    facts: { ...record, source_url: given },
    artifact_ref: record.artifact_ref,
    record,
    content: { path },
    objects: store.objects,
    delivery: {
      statusCode: entry.status_code,
      shortfall: null,
      notes: entry.notes,
      rendering: null,
      cachedAt: entry.checked_at,
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Only whole bodies of good answers are remembered. */
export async function remember(
  source: Pick<Source, "fingerprint">,
  { response, truncated }: Acquired,
  artifact_ref: string,
  session: Session,
): Promise<void> {
  const freshness = response?.freshness;
  if (!source.fingerprint || freshness === undefined || response === undefined || truncated) return;
  const { statusCode: status_code, notes } = response;
  const { validators } = freshness;
  const until = lasting(freshness.maxAgeMs, session);
  if (until.fresh_until === until.checked_at && validators === null) return;
  await putCached(session.store, await source.fingerprint(), {
    artifact_ref,
    status_code,
    validators,
    notes,
    ...until,
  });
}

/** The setting's time, or less where the server says so. */
function lasting(maxAgeMs: number | null, { settings, now }: Session) {
  const checked_at = now();
  const fresh_until = checked_at + Math.min(settings["network.cache_ttl"], maxAgeMs ?? Number.POSITIVE_INFINITY);
  return { checked_at, fresh_until, max_age_ms: maxAgeMs };
}
