/** The way in that everything takes: what was fetched before, or acquired, detected and kept now. */
import { type Acquired, acquire } from "../acquire/acquire.ts";
import type { Opened, Response, Source } from "../acquire/source.ts";
import { findSource } from "../acquire/sources.ts";
import type { Content } from "../acquire/spool.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import type { Objects } from "../artifacts/objects.ts";
import { type ArtifactFacts, type ArtifactRecord, artifactFacts, type Origin } from "../artifacts/record.ts";
import { confirmKind } from "../detect/confirm.ts";
import type { Claims, Detection } from "../detect/kind.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import type { Mode } from "../extract/handler.ts";
import type { Session } from "../session/session.ts";
import { sourceName } from "../telemetry/events.ts";
import { openAnew, recall, remember, reuse } from "./http-cache.ts";

/** What of a fetch decides which bytes come in. */
export type TakeOptions = {
  /** `raw` asks servers for the page as browsers get it, every other mode for Markdown where there is any. */
  readonly mode?: Mode | undefined;
  /** What was fetched before does not count. */
  readonly noCache?: boolean | undefined;
};

/** The ref and record of an artifact that was kept, or why it could not be. */
export type Kept =
  | { readonly artifact_ref: string; readonly record: ArtifactRecord }
  | { readonly artifact_ref: null; readonly notKept: string };

/** How the bytes arrived: from a server, from the cache, or from a browser that ran the page's scripts. */
export type Delivery = {
  readonly statusCode: number | null;
  /** Why the body is not complete; null when it is. */
  readonly shortfall: string | null;
  /** What the HTTP client reports about the way it was fetched, one sentence each. */
  readonly notes: readonly string[];
  /** Set for a page that needs its scripts, where a browser is configured. */
  readonly rendering: Rendering | null;
  /** For a cached source, when its server was last asked; null for a new one. */
  readonly cachedAt: number | null;
};

/** The artifact of the page as it was sent, or why its scripts could not be run. */
export type Rendering = { readonly parentRef: string | null } | { readonly problem: string };

/** A source that was taken in. Its bytes are at hand until it is disposed. */
export type TakenIn = AsyncDisposable &
  Kept & {
    readonly facts: ArtifactFacts;
    readonly content: Content;
    /** Where its extract is stored. */
    readonly objects: Objects;
    readonly delivery: Delivery;
  };

/** What was fetched before, if it still holds; else acquires, detects and keeps. */
export async function takeIn(given: string, options: TakeOptions, session: Session): Promise<TakenIn> {
  const source = findSource(given, { ...session, prefers: options.mode === "raw" ? "source" : "markdown" });
  const recalled = options.noCache ? undefined : await recall(source, session);
  if (recalled?.fresh) return reuse(source, recalled, session);
  const opened = await openAnew(source, recalled, options.noCache ?? false, session);
  return "renewed" in opened ? reuse(source, opened.renewed, session) : keepNew(source, opened, session);
}

/** Detects and keeps what has been opened. */
export async function keepNew(
  source: Pick<Source, "given" | "identity" | "fingerprint">,
  opened: Opened,
  session: Session,
  parentRef?: string | null,
): Promise<TakenIn> {
  const acquired = await acquireFrom(opened, session);
  try {
    const detection = await confirmKind(acquired.body, acquired.claims);
    const origin = originOf(source, acquired, parentRef ?? null);
    const facts = artifactFacts(acquired, detection, origin);
    const kept = await keep(acquired, detection, origin, session);
    const { artifact_ref } = kept;
    if (artifact_ref !== null) await remember(source, acquired, artifact_ref, session);
    session.emit({ event: "ingest.classified", artifact_ref, source: sourceName(source.given), ...classified(facts) });
    const objects = artifact_ref === null ? memoryObjects() : session.store.objects;
    const { content, response, [Symbol.asyncDispose]: dispose } = acquired;
    return { ...kept, facts, content, objects, delivery: deliveryOf(response), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await acquired[Symbol.asyncDispose]();
    throw error;
  }
}

function originOf(
  { given, identity }: Pick<Source, "given" | "identity">,
  { name, claims }: Acquired,
  parentRef: string | null,
): Origin {
  const { url = "" } = claims;
  return { given, identity, name, parentRef, finalUrl: isUrl(url) && url !== given ? url : null };
}

const isUrl = (text: string): boolean => /^https?:/i.test(text);

function deliveryOf(response: Response | undefined): Delivery {
  return {
    statusCode: response?.statusCode ?? null,
    shortfall: response?.shortfall() ?? null,
    notes: response?.notes ?? [],
    rendering: null,
    cachedAt: null,
  };
}

/** A verdict, and whether it is on the beginning of the source only. */
export type Detected = Detection & { readonly sourceTruncated: boolean };

/** What a source is, by its bytes and by what is claimed; claims given here stand in for the source's own. */
export async function detectSource(given: string, claims: Partial<Claims>, session: Session): Promise<Detected> {
  const opened = await findSource(given, { ...session, prefers: "source" }).open({ signal: session.signal });
  await using acquired = await acquireFrom(opened, session);
  const detection = await confirmKind(acquired.body, { ...acquired.claims, ...claims });
  return { ...detection, sourceTruncated: acquired.truncated };
}

function acquireFrom(opened: Opened, { settings, spoolFolders, signal }: Session): Promise<Acquired> {
  return acquire(opened, { folders: spoolFolders, capBytes: settings["artifacts.source_bytes"], signal });
}

/** A store that cannot be written is no reason not to answer; the reply says that nothing was kept. */
async function keep(acquired: Acquired, detection: Detection, origin: Origin, session: Session): Promise<Kept> {
  try {
    const record = await session.store.keep(acquired, detection, origin);
    return { artifact_ref: record.artifact_ref, record };
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
    session.emit({ event: "store.unavailable", code: systemCode(error.cause) ?? "unknown" });
    return { artifact_ref: null, notKept: error.advice };
  }
}

function classified({ content_kind, media_type, decided_by, signals, size_bytes }: ArtifactFacts) {
  return { content_kind, media_type, decided_by, signals, size_bytes };
}
