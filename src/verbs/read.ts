/** The read verb: a ref and a selector in, the chosen range of the artifact's text out. */
import type { Answer } from "../answer/answer.ts";
import { answerRead, formatPassageHeader } from "../answer/read-reply.ts";
import type { ArtifactRecord } from "../artifacts/record.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { SpillwayError } from "../errors.ts";
import { describeLongData, type Overview, shareWithOverview } from "../extract/data/long-data.ts";
import { type Extract, extractText } from "../extract/extract.ts";
import type { Failure, FormatQuery, Handler, Limits, LinkStyle, Mode } from "../extract/handler.ts";
import { findHandler } from "../extract/handlers.ts";
import type { NumberRange } from "../extract/number-range.ts";
import { readChildLimits } from "../extract/pool/pools.ts";
import { joinRanges, measureRanges, RANGE_BREAK } from "../extract/select/join-ranges.ts";
import {
  type ChosenNumbers,
  findShownRanges,
  makePassageReading,
  makeRangeReading,
  type PassageReading,
  type PlacedRange,
  type RangeReading,
  type Reading,
  type SelectionSize,
} from "../extract/select/readings.ts";
import * as select from "../extract/select/select-range.ts";
import { parseSelector, type Selector, type SelectorInput } from "../extract/select/selector.ts";
import type { ExtractSize } from "../extract/stored-extract.ts";
import { type Budget, makeSourceBudget } from "../fit/budget.ts";
import { fitItems } from "../fit/fit-items.ts";
import { fitText } from "../fit/fit-text.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import { type RankedPassage, rankPassages } from "../retrieval/passages.ts";
import type { PlacedText } from "../retrieval/split-passages.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { openArtifact } from "./open-artifact.ts";

/** At most one of the selectors; without one the read starts at the beginning. */
export type ReadOptions = SelectorInput & {
  readonly mode?: Mode;
  /** How the links of a web page are written; inline by default. */
  readonly links?: LinkStyle | undefined;
  /** Characters of content to show; the settings say how many by default. */
  readonly maxChars?: number | undefined;
  /** The budget of the reply, where a surface has made it; `maxChars` then does not count. */
  readonly budget?: Budget | undefined;
  /** Opens an encrypted document for this reply; never stored or logged. */
  readonly password?: string | undefined;
  /** The path of a member, which is kept and read in place of the archive. */
  readonly entry?: string | undefined;
};

/** Reads the chosen range of a kept artifact within the budget, extracting more text where the range needs it. */
export async function readArtifact(ref: string, options: ReadOptions, session: Session): Promise<Answer<ReadFields>> {
  const { entry, ...rest } = options;
  if (entry !== undefined) return readEntry(ref, entry, rest, session);
  const {
    mode: requestedMode = "markdown",
    links = "inline",
    maxChars,
    budget: replyBudget,
    password,
    ...input
  } = rest;
  const { settings, signal, store } = session;
  const budget = replyBudget ?? makeSourceBudget(settings, { requested: maxChars }).read;
  const selector = parseSelector(input);
  await using artifact = await openArtifact(ref, session);
  const { record } = artifact;
  const handler = findHandler(record.content_kind, record.media_type, session.handlers);
  const mode = needsSource(selector, handler, record) ? "raw" : requestedMode;
  const formatQuery = findFormatQuery(selector, handler, record);
  const extract = await extractText({
    ...artifact,
    trace: session.trace,
    owner: store.owner,
    facts: record,
    handler,
    mode,
    links,
    enough: enoughFor(selector, budget),
    maxChars: settings["extract.chars"],
    pages: selector.type === "pages" ? selector.pages : undefined,
    limits: formatQuery === undefined ? readChildLimits(settings) : limitQuery(readChildLimits(settings)),
    pictureSettings: settings,
    signal,
    progress: session.progress,
    password,
    formatQuery,
  });
  if (formatQuery !== undefined && extract.ended?.failed) {
    const { failed } = extract.ended;
    throw "rows" in formatQuery ? makeRowsError(failed) : makeQueryError(failed);
  }
  const { reading, overview } = await readSelected(
    { extract, facts: record, signal, isQueryResult: formatQuery !== undefined },
    selector,
    budget,
    mode,
  );
  const [totalLines, linesSoFar] = [await select.countTotalLines(extract), await select.countLinesSoFar(extract)];
  const answer = answerRead({
    ...{ record, extract, selector, reading, overview, totalLines, linesSoFar, budget, mode, links },
    hasPassword: password !== undefined,
    fenceWord: session.makeFenceWord(),
  });
  emitRead(answer, session);
  return answer;
}

/** A member is kept as a source of its own, then read like any other. */
async function readEntry(ref: string, entry: string, options: ReadOptions, session: Session) {
  // Loaded here, because most reads keep nothing.
  const { keepEntry } = await import("./entry.ts");
  return readArtifact(await keepEntry(ref, entry, session), options, session);
}

type IsEnough = (size: ExtractSize) => boolean;

/** Offsets, lines and pages need the text up to their end; a heading or a question needs all of it. */
function enoughFor(selector: Selector, budget: Budget): IsEnough {
  switch (selector.type) {
    case "offset":
      return ({ chars }) => chars >= selector.offset + budget.chars;
    case "lines":
      return ({ lineEnds }) => selector.lines.last !== null && lineEnds >= selector.lines.last;
    case "pages":
      return ({ pages }) => selector.pages.every(({ last }) => last !== null && pages >= last);
    default:
      return () => false;
  }
}

/** What was selected, and what helps to understand it. */
type SelectedReading = { readonly reading: Reading; readonly overview: Overview | null };

/** A text, and what is known about its source. */
type KnownText = {
  readonly extract: Extract;
  readonly facts: ArtifactRecord;
  readonly signal: AbortSignal;
  readonly isQueryResult: boolean;
};

/** Rows and paths are places in the source of a text, whatever its handler makes of it. */
function needsSource({ type }: Selector, { name }: Handler, { content_kind }: ArtifactRecord): boolean {
  return (type === "rows" || type === "path") && content_kind === "text" && name !== "text";
}

/** What the format of the source answers itself: SQL, or rows of a table in columns. */
function findFormatQuery(
  selector: Selector,
  handler: Handler,
  { media_type }: ArtifactRecord,
): FormatQuery | undefined {
  if (selector.type === "query" && handler.isQuery?.(media_type, selector.query)) return { query: selector.query };
  return selector.type === "rows" && handler.readsRows?.(media_type) ? { rows: selector.rows } : undefined;
}

/** A query is often a mistake before it is a long one. */
const MAX_QUERY_CPU_MS = 5_000;

const limitQuery = (limits: Limits): Limits => ({ ...limits, cpuMs: Math.min(limits.cpuMs, MAX_QUERY_CPU_MS) });

function makeQueryError({ reason, detail }: Failure): SpillwayError {
  const hint =
    reason === "too_slow" || reason === "too_large"
      ? "Ask for less: add WHERE and LIMIT, or name fewer columns."
      : "Read the artifact without query to see its tables and columns, then correct the query.";
  return new SpillwayError("selector_invalid", `The query failed: ${clip(detail)}.`, { hint });
}

function makeRowsError({ reason, detail }: Failure): SpillwayError {
  const hint =
    reason === "no_text"
      ? "Choose an earlier row; the first row is 1."
      : "Read the artifact without rows to see its columns, or ask for fewer rows.";
  return new SpillwayError("place_not_found", `These rows cannot be read: ${clip(detail)}.`, { hint });
}

/** The rest of a result is not a place in the text. */
function withoutNext(reading: RangeReading): RangeReading {
  return { ...reading, next: null, shorten: (chars, bound) => withoutNext(reading.shorten(chars, bound)) };
}

/** Rows come with their header, and a long data file that is read from its start with its shape. */
async function readSelected(text: KnownText, selector: Selector, budget: Budget, mode: Mode): Promise<SelectedReading> {
  const { extract, facts, signal } = text;
  if (text.isQueryResult) return { reading: withoutNext(await readFromOffset(extract, 0, budget)), overview: null };
  if (!extract.hasText) return { reading: await readRanges(extract, [], budget), overview: null };
  if (selector.type === "rows") return readRows(text, selector.rows, budget);
  if (selector.type !== "offset" || !selector.isDefault)
    return { reading: await readChosen(text, selector, budget), overview: null };
  const longData = await describeLongData(extract, { facts, mode, chars: budget.chars, signal });
  const { overview, textChars } = shareWithOverview(longData, budget.chars);
  return { reading: await readChosen(text, selector, { ...budget, chars: textChars }), overview };
}

/** A longer header says more about the table than a reply needs. */
const MAX_HEADER_CHARS = 2_000;

async function readRows(text: KnownText, rows: NumberRange, budget: Budget): Promise<SelectedReading> {
  // Loaded here, because most texts have no rows.
  const { selectRows } = await import("../extract/data/select-data.ts");
  const { range, header } = await selectRows(text, rows);
  const shownHeader = header === null ? null : cutBetweenCodePoints(header, MAX_HEADER_CHARS);
  const { overview, textChars } = shareWithOverview(
    shownHeader === null ? null : { text: shownHeader, selector: null },
    budget.chars,
  );
  return { reading: await readLines(text.extract, range, null, { ...budget, chars: textChars }), overview };
}

async function readChosen(text: KnownText, selector: Exclude<Selector, { type: "rows" }>, budget: Budget) {
  const { extract, signal } = text;
  switch (selector.type) {
    case "offset":
      return readFromOffset(extract, selector.offset, budget);
    case "lines":
      return readLines(extract, await select.selectLines(extract, selector.lines), selector.lines, budget);
    case "pages":
      return readRanges(extract, await select.selectPages(extract, selector.pages), budget, {
        chosen: { selector: "pages", ranges: selector.pages },
      });
    case "section":
      return readLines(extract, await select.selectSection(extract, selector.heading), null, budget);
    case "path": {
      const [{ selectPath }, { parsePath }] = await Promise.all([
        import("../extract/data/select-data.ts"),
        import("../extract/data/path-steps.ts"),
      ]);
      return readLines(extract, await selectPath(text, parsePath(selector.path)), null, budget);
    }
    case "query":
      return readPassages(extract, selector.query, budget, signal);
  }
}

/** The notice of a text from an offset on names the length of the whole text. */
async function readFromOffset(extract: Extract, offset: number, budget: Budget): Promise<RangeReading> {
  const selection = { chars: extract.totalChars, soFar: extract.size.chars, isWholeText: true };
  return readRanges(extract, [await select.selectOffset(extract, offset)], budget, { selection });
}

/** Reads a range that is continued by the numbers of its lines. One to the end of the text is continued by offset. */
async function readLines(extract: Extract, range: select.TextRange, lines: NumberRange | null, budget: Budget) {
  const isToEnd = range.end === extract.size.chars || extract.onlyPages !== null;
  const given = isToEnd ? null : (lines ?? (await select.findLines(extract, range)));
  return readRanges(extract, [range], budget, { chosen: given && { selector: "lines", range: given } });
}

async function readRanges(
  extract: Extract,
  ranges: readonly select.TextRange[],
  budget: Budget,
  options: { readonly selection?: SelectionSize; readonly chosen?: ChosenNumbers | null } = {},
): Promise<RangeReading> {
  const { selection = measureRanges(ranges, extract), chosen = null } = options;
  const isPlaced = extract.onlyPages === null;
  const window = await joinRanges(extract, ranges, budget.chars);
  const placedRanges: PlacedRange[] = [];
  for (const { range } of findShownRanges(ranges, window.text.length))
    placedRanges.push(await placeRange(extract, range));
  return makeRangeReading({ window, ranges, placedRanges, selection, isPlaced, chosen }, fitText(window, budget));
}

async function placeRange(extract: Extract, range: select.TextRange): Promise<PlacedRange> {
  const line = await select.findLine(extract, range.start);
  return { ...range, line, pages: await select.findPages(extract, range.start, range.end) };
}

async function readPassages(
  extract: Extract,
  query: string,
  budget: Budget,
  signal: AbortSignal,
): Promise<PassageReading> {
  const ranking = await rankPassages(segmentTexts(extract), query, signal);
  const { matchedCount, isEstimated } = ranking;
  const passages = await narrowFirst(extract, ranking.passages, query, budget.chars);
  const texts: string[] = [];
  const { text, count } = await fitItems(collect(passageTexts(extract, passages), texts), RANGE_BREAK, budget);
  const shown = count === 1 ? [text] : texts.slice(0, count);
  return makePassageReading(shown, passages, { count: matchedCount, isEstimated });
}

/** The first passage is shown even if it does not fit. It then begins where it answers. */
async function narrowFirst(
  extract: Extract,
  passages: readonly RankedPassage[],
  query: string,
  chars: number,
): Promise<readonly RankedPassage[]> {
  const [first, ...others] = passages;
  if (first === undefined) return passages;
  const room = chars - formatPassageHeader(first).length;
  if (first.end - first.start <= room) return passages;
  const { narrowPassage } = await import("../retrieval/narrow-passage.ts");
  const { text } = await select.readWindow(extract, first.start, first.end - first.start);
  const { text: _, ...narrowed } = narrowPassage({ ...first, text }, query, room);
  return [narrowed, ...others];
}

/** Passes the items through and adds each to a list. */
async function* collect(items: AsyncIterable<string>, list: string[]): AsyncGenerator<string> {
  for await (const item of items) {
    list.push(item);
    yield item;
  }
}

async function* passageTexts(extract: Extract, passages: readonly RankedPassage[]): AsyncGenerator<string> {
  for (const passage of passages) {
    const { text } = await select.readWindow(extract, passage.start, passage.end - passage.start);
    const showsHeading = passage.heading !== null && text.replace(/^#+ /, "").startsWith(passage.heading);
    yield `${formatPassageHeader(showsHeading ? { ...passage, heading: null } : passage)}\n${text}`;
  }
}

/** Each segment separately, so that no passage crosses the end of a page. */
async function* segmentTexts(extract: Extract): AsyncGenerator<PlacedText> {
  for await (const { segment, offset, line, start } of extract.segments()) {
    const page = segment.kind === "whole" ? {} : { label: segment.label };
    yield { text: segment.text, marks: segment.marks, offset: start, line: line + start - offset, ...page };
  }
}

function emitRead({ fields, content }: Answer<ReadFields>, { emit }: Session): void {
  emit({
    event: "artifact.read",
    artifact_ref: fields.artifact_ref,
    selector: fields.selector,
    returned_chars: content?.length ?? 0,
    total_chars: fields.total_chars,
    limit_chars: fields.limit_chars,
    bound: fields.bound,
    truncated: fields.truncated,
  });
}
