/** The flow on one screen: whatever enters is acquired, detected, kept, extracted, fitted and answered. */
import { type Acquired, acquire } from "./acquire/acquire.ts";
import type { Opened, Response, Source } from "./acquire/source.ts";
import { findSource } from "./acquire/sources.ts";
import type { Content } from "./acquire/spool.ts";
import type { Answer } from "./answer/answer.ts";
import { answerFetch, brokenOff, type Delivery, type FetchFields, type Kept } from "./answer/fetch.ts";
import { memoryObjects } from "./artifacts/memory.ts";
import type { Objects } from "./artifacts/objects.ts";
import { type ArtifactFacts, artifactFacts, type Origin } from "./artifacts/record.ts";
import { confirmKind } from "./detect/confirm.ts";
import type { Claims, ContentKind, Detection } from "./detect/kind.ts";
import { SpillwayError, systemCode } from "./errors.ts";
import { extractText } from "./extract/extract.ts";
import type { Handler, Mode } from "./extract/handler.ts";
import { handlerFor } from "./extract/handlers.ts";
import { metadata } from "./extract/metadata.ts";
import { limitsOf } from "./extract/pool/pools.ts";
import { pagesOn, windowAt } from "./extract/select.ts";
import type { Extent } from "./extract/stored.ts";
import { titleOf } from "./extract/title.ts";
import { type Budget, makeBudget } from "./fit/budget.ts";
import { fitText } from "./fit/text.ts";
import { openAnew, recall, remember, reuse } from "./recall.ts";
import type { Session } from "./session.ts";
import { sweepIfDue } from "./sweep.ts";
import { sourceName } from "./telemetry/events.ts";

export type FetchOptions = TakeOptions & {
  readonly maxChars?: number | undefined;
  /** Characters left for this answer where it shares a reply with others. */
  readonly turnChars?: number | undefined;
  /** Opens an encrypted document for this reply; never stored or logged. */
  readonly password?: string | undefined;
  /** A document too is answered with as much as a page would be, not with an excerpt. */
  readonly inline?: boolean | undefined;
};

/** The verb behind every fetch: any source in, a bounded answer and a durable ref out. */
export async function fetchSource(
  given: string,
  options: FetchOptions,
  session: Session,
): Promise<Answer<FetchFields>> {
  try {
    return await ingest(given, options, session);
  } catch (error) {
    const code = error instanceof SpillwayError ? error.code : "internal";
    session.emit({ event: "ingest.failed", source: sourceName(given), code });
    throw error;
  }
}

async function ingest(given: string, options: FetchOptions, session: Session): Promise<Answer<FetchFields>> {
  const startedAt = session.now();
  await using taken = await takeIn(given, options, session);
  const extract = await extractText({
    ...taken,
    handler: routed(taken, session),
    mode: options.mode ?? "markdown",
    enough: enoughFor(taken.facts, options, session),
    limits: limitsOf(session.settings),
    signal: session.signal,
    password: options.password,
  });
  const budget = fetchBudget(taken.facts, options, session);
  const shown = fitText(await windowAt(extract, 0, budget.chars), budget);
  const pages = await pagesOn(extract, 0, shown.text.length);
  const title = await titleOf(extract, taken.facts);
  const answer = answerFetch({ ...taken, extract, title, shown, pages, budget });
  report(answer, startedAt, session);
  session.background(() => sweepIfDue(session));
  return answer;
}

/** What of a fetch decides which bytes come in. */
export type TakeOptions = {
  /** `raw` asks servers for the page as browsers get it, every other mode for Markdown where there is any. */
  readonly mode?: Mode | undefined;
  /** What was fetched before does not count. */
  readonly noCache?: boolean | undefined;
};

/** A source that was taken in. Its bytes are at hand until it is disposed. */
export type TakenIn = AsyncDisposable & {
  readonly facts: ArtifactFacts;
  readonly kept: Kept;
  readonly content: Content;
  /** Where its extract is stored. */
  readonly objects: Objects;
  readonly delivery: Delivery;
};

/** What was fetched before, if it still holds; else acquires, detects and keeps: the way in that everything takes. */
export async function takeIn(given: string, options: TakeOptions, session: Session): Promise<TakenIn> {
  const source = findSource(given, { ...session, prefers: options.mode === "raw" ? "source" : "markdown" });
  const recalled = options.noCache ? undefined : await recall(source, session);
  if (recalled?.fresh) return reuse(source, recalled, session);
  const opened = await openAnew(source, recalled, options.noCache ?? false, session);
  return "renewed" in opened ? reuse(source, opened.renewed, session) : keepNew(source, opened, session);
}

async function keepNew(source: Source, opened: Opened, session: Session): Promise<TakenIn> {
  const acquired = await acquireFrom(opened, session);
  try {
    const detection = await confirmKind(acquired.body, acquired.claims);
    const origin = { given: source.given, identity: source.identity, name: acquired.name };
    const facts = artifactFacts(acquired, detection, origin);
    const kept = await keep(acquired, detection, origin, session);
    if ("record" in kept) await remember(source, acquired, kept.record, session);
    const ref = "record" in kept ? kept.record.artifact_ref : null;
    session.emit({
      event: "ingest.classified",
      artifact_ref: ref,
      source: sourceName(source.given),
      ...classified(facts),
    });
    const objects = "record" in kept ? session.store.objects : memoryObjects();
    const { content, response, [Symbol.asyncDispose]: dispose } = acquired;
    return { facts, kept, content, objects, delivery: deliveryOf(response), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await acquired[Symbol.asyncDispose]();
    throw error;
  }
}

function deliveryOf(response: Response | undefined): Delivery {
  const shortfall = response?.shortfall();
  const notes = [...(shortfall === undefined ? [] : [brokenOff(shortfall)]), ...(response?.notes ?? [])];
  return { statusCode: response?.statusCode ?? null, notes, cachedAt: null };
}

/** A verdict, and whether it is on the beginning of the source only. */
export type Detected = Detection & { readonly sourceTruncated: boolean };

/** What a source is, by its bytes and by what is claimed; claims given here stand in for the source's own. */
export async function detectSource(given: string, claims: Partial<Claims>, session: Session): Promise<Detected> {
  const opened = await findSource(given, session).open({ signal: session.signal });
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
    return { record: await session.store.keep(acquired, detection, origin) };
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
    session.emit({ event: "store.unavailable", code: systemCode(error.cause) ?? "unknown" });
    return { notKept: error.advice };
  }
}

function classified({ content_kind, media_type, decided_by, signals, size_bytes }: ArtifactFacts) {
  return { content_kind, media_type, decided_by, signals, size_bytes };
}

/** A text is read whole, to know how long it is; of a document as much as is likely to be asked for. */
function enoughFor({ content_kind }: ArtifactFacts, { maxChars = 0 }: FetchOptions, { settings }: Session) {
  const wanted = isPage(content_kind) ? settings["extract.chars"] : Math.max(maxChars, settings["extract.fetch_chars"]);
  return ({ chars }: Extent) => chars >= wanted;
}

/** The ingest flag decides how far a kind is read; no value of it ever decodes a binary as text. */
function routed({ facts, kept }: TakenIn, { settings, emit }: Session): Handler {
  const { content_kind, media_type } = facts;
  const handler = handlerFor(content_kind, media_type);
  const flag = settings["runner.enable_filetype_ingest_router"];
  if (flag === "on" || (flag === "shadow" && isPage(content_kind))) return handler;
  const artifact_ref = "record" in kept ? kept.record.artifact_ref : null;
  if (flag === "shadow") emit({ event: "ingest.shadowed", artifact_ref, content_kind, handler: handler.name });
  return metadata;
}

function fetchBudget(
  { content_kind }: ArtifactFacts,
  { maxChars, turnChars, inline = false }: FetchOptions,
  { settings }: Session,
): Budget {
  const row = inline || isPage(content_kind) ? "fit.inline_chars" : "fit.excerpt_chars";
  return makeBudget({ requested: maxChars, default: settings[row], turn: turnChars });
}

/** Text and web pages are read as they are; everything else is a document with an excerpt. */
const isPage = (kind: ContentKind): boolean => kind === "text" || kind === "html";

function report({ fields, content }: Answer<FetchFields>, startedAt: number, { emit, now }: Session): void {
  emit({
    event: "ingest.completed",
    artifact_ref: fields.artifact_ref,
    content_kind: fields.content_kind,
    handler: fields.handler,
    size_bytes: fields.size_bytes,
    extracted_chars: fields.extracted_chars,
    returned_chars: content?.length ?? 0,
    limit_chars: fields.limit_chars,
    bound: fields.bound,
    truncated: fields.truncated,
    source_truncated: fields.source_truncated,
    status_code: fields.status_code,
    cached: fields.cached,
    duration_ms: now() - startedAt,
    error: fields.error ?? null,
  });
}
