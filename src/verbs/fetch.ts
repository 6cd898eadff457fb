/** The fetch verb: load, extract, fit, answer. */
import type { Answer } from "../answer/answer.ts";
import { answerFetch, type SkippedReading } from "../answer/fetch-reply.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import type { FetchFields } from "../contract/fetch-fields.ts";
import { isPage } from "../detect/kind.ts";
import { SpillwayError } from "../errors.ts";
import { describeLongData, shareWithOverview } from "../extract/data/long-data.ts";
import { findDocumentTitle } from "../extract/document-title.ts";
import { type Extract, extractText } from "../extract/extract.ts";
import type { Handler, LinkStyle } from "../extract/handler.ts";
import { findHandler } from "../extract/handlers.ts";
import { metadata } from "../extract/metadata-handler.ts";
import { readChildLimits } from "../extract/pool/pools.ts";
import { findPages, readWindow } from "../extract/select/select-range.ts";
import type { ExtractSize } from "../extract/stored-extract.ts";
import { type Budget, makeSourceBudget, type SourceBudget } from "../fit/budget.ts";
import { fitText } from "../fit/fit-text.ts";
import { type LoadSourceOptions, loadSource } from "../load/load-source.ts";
import type { LoadedSource } from "../load/loaded-source.ts";
import { loadRendered, needsRendering } from "../load/render-page.ts";
import type { Session } from "../session/session.ts";
import { sourceName } from "../telemetry/events.ts";
import type { Attributes } from "../telemetry/spans.ts";
import { sweepIfDue } from "./sweep.ts";

export type FetchOptions = LoadSourceOptions & {
  /** Characters of content to show; the settings say how many by default. */
  readonly maxChars?: number | undefined;
  /** The budget of the reply, where a surface has made it; `maxChars` then does not count. */
  readonly budget?: SourceBudget | undefined;
  /** How the links of a web page are written; inline by default. */
  readonly links?: LinkStyle | undefined;
  /** Opens an encrypted document for this reply; never stored or logged. */
  readonly password?: string | undefined;
};

/** The verb behind every fetch: any source in, a bounded answer and a durable ref out. */
export function fetchSource(given: string, options: FetchOptions, session: Session): Promise<Answer<FetchFields>> {
  return session.trace(
    () => ({ name: "fetch", attributes: describePlace(given) }),
    async (span) => {
      const answer = await fetchReported(given, options, session);
      span.set(describeFetched(answer.fields));
      return answer;
    },
  );
}

/** Only the host: a path or the name of a file may be private. */
function describePlace(given: string): Attributes {
  const url = URL.parse(given);
  const isWeb = /^https?:$/.test(url?.protocol ?? "");
  return isWeb ? { "url.scheme": url?.protocol.slice(0, -1), "server.address": url?.hostname } : {};
}

const describeFetched = (fields: FetchFields): Attributes => ({
  "http.response.status_code": fields.status_code,
  "spillway.content_kind": fields.content_kind,
  "spillway.source.bytes": fields.size_bytes,
  "spillway.cached": fields.cached,
  "spillway.truncated": fields.truncated,
});

async function fetchReported(given: string, options: FetchOptions, session: Session): Promise<Answer<FetchFields>> {
  const startedAt = session.now();
  const { budget = makeSourceBudget(session.settings, { requested: options.maxChars }) } = options;
  try {
    const { answer, extractedChars } = await answerSource(given, { ...options, budget }, session);
    emitCompleted(answer, extractedChars, startedAt, session);
    session.background(() => sweepIfDue(session));
    return answer;
  } catch (error) {
    const code = error instanceof SpillwayError ? error.code : "internal";
    session.emit({ event: "ingest.failed", source: sourceName(given), code });
    throw error;
  }
}

/** The options with the one budget of the reply. */
type BudgetedOptions = FetchOptions & { readonly budget: SourceBudget };

/** An answer, and how much text was extracted for it. */
type Answered = { readonly answer: Answer<FetchFields>; readonly extractedChars: number };

async function answerSource(given: string, options: BudgetedOptions, session: Session): Promise<Answered> {
  await using source = await loadSource(given, options, session); // From the cache, or acquired, detected and kept.
  const extract = await extractSource(source, options, session);
  if (!needsRendering(extract, session)) return await fitAnswer(source, extract, options, session);
  await using rendered = await loadRendered(source, session); // The same page after its scripts ran, kept too.
  return await fitAnswer(rendered, await extractSource(rendered, options, session), options, session);
}

function extractSource(source: LoadedSource, options: BudgetedOptions, session: Session): Promise<Extract> {
  return extractText({
    ...source,
    trace: session.trace,
    owner: session.store.owner,
    handler: chooseHandler(source, session),
    mode: options.mode ?? "markdown",
    links: options.links,
    enough: enoughFor(source.facts, options, session),
    maxChars: session.settings["extract.chars"],
    limits: readChildLimits(session.settings),
    pictureSettings: session.settings,
    signal: session.signal,
    progress: session.progress,
    password: options.password,
  });
}

async function fitAnswer(
  source: LoadedSource,
  extract: Extract,
  options: BudgetedOptions,
  session: Session,
): Promise<Answered> {
  const { mode = "markdown", links = "inline", password } = options;
  const budget = chooseBudget(source.facts, options);
  const longData = await describeLongData(extract, {
    facts: source.facts,
    mode,
    chars: budget.chars,
    signal: session.signal,
  });
  const { overview, textChars } = shareWithOverview(longData, budget.chars);
  const fittedText = fitText(await readWindow(extract, 0, textChars), { ...budget, chars: textChars });
  const pages = await findPages(extract, 0, fittedText.text.length);
  const title = await findDocumentTitle(extract, source.facts);
  const answer = answerFetch({
    ...{ ...source, extract, title, overview, fittedText, pages, budget, mode, links },
    skipped: findSkippedReading(source.facts, session),
    hasPassword: password !== undefined,
    fenceWord: session.makeFenceWord(),
  });
  return { answer, extractedChars: extract.size.chars };
}

function chooseBudget({ content_kind }: ArtifactFacts, { budget }: BudgetedOptions): Budget {
  return isPage(content_kind) ? budget.inline : budget.excerpt;
}

/** Most documents are read to their end, to know their length; a very long one at least as far as it is shown. */
function enoughFor(facts: ArtifactFacts, options: BudgetedOptions, session: Session) {
  const wantedChars = Math.max(session.settings["extract.fetch_chars"], chooseBudget(facts, options).chars);
  return (size: ExtractSize) => size.chars >= wantedChars;
}

/** The ingest flag decides whether documents are read; no value of it ever decodes a binary as text. */
function chooseHandler({ facts, artifact_ref }: LoadedSource, session: Session): Handler {
  const { content_kind, media_type } = facts;
  const handler = findHandler(content_kind, media_type, session.handlers);
  const skipped = findSkippedReading(facts, session);
  if (skipped?.flag === "shadow")
    session.emit({ event: "ingest.shadowed", artifact_ref, content_kind, handler: handler.name });
  return skipped === null ? handler : metadata;
}

/** Whether the ingest flag keeps this source from being read; text and web pages are always read. */
function findSkippedReading({ content_kind, media_type }: ArtifactFacts, session: Session): SkippedReading | null {
  const flag = session.settings["runner.enable_filetype_ingest_router"];
  if (flag === "on" || isPage(content_kind)) return null;
  return { flag, isReadable: findHandler(content_kind, media_type, session.handlers) !== metadata };
}

function emitCompleted(
  { fields, content }: Answer<FetchFields>,
  extractedChars: number,
  startedAt: number,
  { emit, now }: Session,
): void {
  emit({
    event: "ingest.completed",
    artifact_ref: fields.artifact_ref,
    content_kind: fields.content_kind,
    handler: fields.handler,
    size_bytes: fields.size_bytes,
    extracted_chars: extractedChars,
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
