import type { Answer } from "../answer/answer.ts";
import { answerFetch } from "../answer/fetch-reply.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import type { ContentKind } from "../detect/kind.ts";
import { SpillwayError } from "../errors.ts";
import { type Extract, extractText } from "../extract/extract.ts";
import type { Handler } from "../extract/handler.ts";
import { handlerFor } from "../extract/handlers.ts";
import { metadata } from "../extract/metadata-handler.ts";
import { limitsOf } from "../extract/pool/pools.ts";
import { pagesOn, windowAt } from "../extract/select.ts";
import type { Extent } from "../extract/stored.ts";
import { titleOf } from "../extract/title-text.ts";
import { type Budget, makeBudget } from "../fit/budget.ts";
import { fitText } from "../fit/fit-text.ts";
import { type TakenIn, type TakeOptions, takeIn } from "../load/load-source.ts";
import { takeRendered, wantsRendering } from "../load/render-page.ts";
import type { Session } from "../session/session.ts";
import { sourceName } from "../telemetry/events.ts";
import { sweepIfDue } from "./sweep.ts";

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
  const extract = await extractFrom(taken, options, session);
  await using rendered = wantsRendering(extract, session) ? await takeRendered(taken, session) : null;
  const answer = rendered
    ? await fitted(rendered, await extractFrom(rendered, options, session), options, session)
    : await fitted(taken, extract, options, session);
  report(answer, startedAt, session);
  session.background(() => sweepIfDue(session));
  return answer;
}

function extractFrom(taken: TakenIn, options: FetchOptions, session: Session): Promise<Extract> {
  return extractText({
    ...taken,
    handler: routed(taken, session),
    mode: options.mode ?? "markdown",
    enough: enoughFor(taken.facts, options, session),
    limits: limitsOf(session.settings),
    signal: session.signal,
    password: options.password,
  });
}

async function fitted(
  taken: TakenIn,
  extract: Extract,
  options: FetchOptions,
  session: Session,
): Promise<Answer<FetchFields>> {
  const budget = fetchBudget(taken.facts, options, session);
  const shown = fitText(await windowAt(extract, 0, budget.chars), budget);
  const pages = await pagesOn(extract, 0, shown.text.length);
  const title = await titleOf(extract, taken.facts);
  return answerFetch({ ...taken, extract, title, shown, pages, budget });
}

/** A text is read whole, to know how long it is; of a document as much as is likely to be asked for. */
function enoughFor({ content_kind }: ArtifactFacts, { maxChars = 0 }: FetchOptions, { settings }: Session) {
  const wanted = isPage(content_kind) ? settings["extract.chars"] : Math.max(maxChars, settings["extract.fetch_chars"]);
  return ({ chars }: Extent) => chars >= wanted;
}

/** The ingest flag decides how far a kind is read; no value of it ever decodes a binary as text. */
function routed({ facts, artifact_ref }: TakenIn, { settings, emit }: Session): Handler {
  const { content_kind, media_type } = facts;
  const handler = handlerFor(content_kind, media_type);
  const flag = settings["runner.enable_filetype_ingest_router"];
  if (flag === "on" || (flag === "shadow" && isPage(content_kind))) return handler;
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
