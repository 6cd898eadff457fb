/** Loads a source: from the cache while it is fresh, else acquired, detected and kept. Every fetch starts here. */
import { type AcquiredSource, acquire } from "../acquire/acquire.ts";
import type { OpenedSource, ResponseInfo, Source } from "../acquire/source.ts";
import { findSource } from "../acquire/sources.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import { type ArtifactFacts, type ArtifactRecord, artifactFacts, type Origin } from "../artifacts/record.ts";
import { confirmKind } from "../detect/confirm.ts";
import type { Claims, Detection } from "../detect/kind.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import type { Mode } from "../extract/handler.ts";
import type { Session } from "../session/session.ts";
import { throughSite } from "../sites/site-source.ts";
import { redactUrl } from "../system/redact-url.ts";
import { sourceName } from "../telemetry/events.ts";
import { fromCache, lookUp, openOrRevalidate, prepareSaving } from "./http-cache.ts";
import type { Delivery, KeepResult, LoadedSource } from "./loaded-source.ts";

/** The options of a fetch that decide which bytes are loaded. */
export type LoadSourceOptions = {
  /** `raw` asks servers for the page as browsers get it; every other mode prefers Markdown where there is any. */
  readonly mode?: Mode | undefined;
  /** Clone the repository that the address names; its tree and README are the text. */
  readonly forceClone?: boolean | undefined;
  /** Fetch again, whatever is cached. */
  readonly noCache?: boolean | undefined;
};

/** The cached source if it is fresh or its server confirms it; else a new one, acquired, detected and kept. */
export async function loadSource(given: string, options: LoadSourceOptions, session: Session): Promise<LoadedSource> {
  const source = await findPreferred(given, options, session);
  const cached = options.noCache ? undefined : await lookUp(source, session);
  if (cached?.isFresh) return fromCache(source, cached, session);
  const openResult = await openOrRevalidate(source, cached, options.noCache ?? false, session);
  return "revalidated" in openResult
    ? fromCache(source, openResult.revalidated, session)
    : keepSource(source, openResult, session);
}

/** The source in the form that reads best, or in the one that is asked for. */
async function findPreferred(given: string, options: LoadSourceOptions, session: Session): Promise<Source> {
  if (options.forceClone) {
    const { makeCloneSource } = await import("../clones/clone-source.ts");
    return makeCloneSource(given, session, options.noCache ?? false);
  }
  if (options.mode === "raw") return findSource(given, { ...session, prefers: "source" });
  return throughSite(findSource(given, { ...session, prefers: "markdown" }), given, session);
}

/** Acquires what has been opened, detects its kind and keeps it. */
export async function keepSource(
  source: Pick<Source, "given" | "identity" | "fingerprint">,
  openedSource: OpenedSource,
  session: Session,
  parentRef?: string | null,
): Promise<LoadedSource> {
  const acquired = await acquireFrom(openedSource, session);
  try {
    const detection = await confirmKind(acquired.body, acquired.claims);
    const origin = toOrigin(source, acquired, parentRef ?? null);
    const facts = artifactFacts(acquired, detection, origin);
    const alongside = await prepareSaving(source, acquired, session);
    const keepResult = await keepIfWritable(() => session.store.keep(acquired, detection, origin, alongside), session);
    const { artifact_ref } = keepResult;
    session.emit({
      event: "ingest.classified",
      artifact_ref,
      source: sourceName(source.given),
      ...detectionFields(facts),
    });
    const objects = artifact_ref === null ? memoryObjects() : session.store.objects;
    const isNewContent = artifact_ref === null || session.store.isNewContent(keepResult.record);
    const { content, response, [Symbol.asyncDispose]: dispose } = acquired;
    const address = { identity: source.identity, url: findUrl(acquired) };
    const delivery = toDelivery(response);
    return {
      ...{ ...keepResult, facts, content, objects, isNewContent, delivery, address },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await acquired[Symbol.asyncDispose]();
    throw error;
  }
}

function toOrigin(
  { given, identity }: Pick<Source, "given" | "identity">,
  acquired: AcquiredSource,
  parentRef: string | null,
): Origin {
  const url = findUrl(acquired);
  const finalUrl = url === null ? null : redactUrl(url);
  return { given, identity, name: acquired.name, parentRef, finalUrl: finalUrl === given ? null : finalUrl };
}

function findUrl({ claims: { url = "" } }: AcquiredSource): string | null {
  return /^https?:/i.test(url) ? url : null;
}

function toDelivery(response: ResponseInfo | undefined): Delivery {
  return {
    statusCode: response?.statusCode ?? null,
    isDirect: response?.isDirect ?? true,
    notes: response?.notes ?? [],
    rendering: null,
    cachedAt: null,
  };
}

/** A detection, and whether it saw only the beginning of the source. */
export type SourceDetection = Detection & { readonly sourceTruncated: boolean };

/** The kind of a source, by its bytes and its claims; claims given here replace the source's own. */
export async function detectSource(given: string, claims: Partial<Claims>, session: Session): Promise<SourceDetection> {
  const openedSource = await findSource(given, { ...session, prefers: "source" }).open({ signal: session.signal });
  await using acquired = await acquireFrom(openedSource, session);
  const detection = await confirmKind(acquired.body, { ...acquired.claims, ...claims });
  return { ...detection, sourceTruncated: acquired.cutBy !== null };
}

function acquireFrom(openedSource: OpenedSource, { settings, spoolFolders, signal }: Session): Promise<AcquiredSource> {
  const { "artifacts.source_bytes": capBytes, "artifacts.copy_bytes": copyBytes } = settings;
  return acquire(openedSource, { folders: spoolFolders, capBytes, copyBytes, signal });
}

/** Where the store cannot be written, the source is answered anyway and the reply says that it was not kept. */
async function keepIfWritable(keep: () => Promise<ArtifactRecord>, session: Session): Promise<KeepResult> {
  try {
    const record = await keep();
    return { artifact_ref: record.artifact_ref, record };
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
    session.emit({ event: "store.unavailable", code: systemCode(error.cause) ?? "unknown" });
    return { artifact_ref: null, notKept: error.advice };
  }
}

function detectionFields({ content_kind, media_type, decided_by, signals, size_bytes }: ArtifactFacts) {
  return { content_kind, media_type, decided_by, signals, size_bytes };
}
