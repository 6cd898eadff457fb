/** The read verb: a ref and a selector in, the chosen range of the artifact's text out. */
import type { Answer } from "../answer/answer.ts";
import { answerRead, formatPassageHeader } from "../answer/read-reply.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { type Extract, extractText } from "../extract/extract.ts";
import type { Mode } from "../extract/handler.ts";
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
  type SelectionSize,
} from "../extract/select/readings.ts";
import * as select from "../extract/select/select-range.ts";
import { parseSelector, type Selector, type SelectorInput } from "../extract/select/selector.ts";
import type { ExtractSize } from "../extract/stored-extract.ts";
import { type Budget, makeSourceBudget } from "../fit/budget.ts";
import { fitItems } from "../fit/fit-items.ts";
import { fitText } from "../fit/fit-text.ts";
import { type RankedPassage, rankPassages } from "../retrieval/passages.ts";
import type { PlacedText } from "../retrieval/split-passages.ts";
import type { Session } from "../session/session.ts";
import { openArtifact } from "./open-artifact.ts";

/** At most one of the selectors; without one the read starts at the beginning. */
export type ReadOptions = SelectorInput & {
  readonly mode?: Mode;
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
  const { mode = "markdown", maxChars, budget: replyBudget, password, ...input } = rest;
  const { settings, signal, store } = session;
  const budget = replyBudget ?? makeSourceBudget(settings, { requested: maxChars }).read;
  const selector = parseSelector(input);
  await using artifact = await openArtifact(ref, session);
  const { record } = artifact;
  const handler = findHandler(record.content_kind, record.media_type, session.handlers);
  const extract = await extractText({
    ...artifact,
    owner: store.owner,
    facts: record,
    handler,
    mode,
    enough: enoughFor(selector, budget),
    maxChars: settings["extract.chars"],
    pages: selector.type === "pages" ? selector.pages : undefined,
    limits: readChildLimits(settings),
    signal,
    password,
  });
  const reading = await readSelected(extract, selector, budget, signal);
  const [totalLines, linesSoFar] = [await select.countTotalLines(extract), await select.countLinesSoFar(extract)];
  const answer = answerRead({
    ...{ record, extract, selector, reading, totalLines, linesSoFar, budget, mode },
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

async function readSelected(extract: Extract, selector: Selector, budget: Budget, signal: AbortSignal) {
  // Without text no selector can be wrong: the answer says that there is nothing to read.
  if (!extract.hasText) return readRanges(extract, [], budget);
  switch (selector.type) {
    case "offset": {
      // Of a text from an offset on, the notice names the length of the whole text.
      const range = await select.selectOffset(extract, selector.offset);
      const selection = { chars: extract.totalChars, soFar: extract.size.chars, isWholeText: true };
      return readRanges(extract, [range], budget, { selection });
    }
    case "lines":
      return readLines(extract, await select.selectLines(extract, selector.lines), selector.lines, budget);
    case "pages":
      return readRanges(extract, await select.selectPages(extract, selector.pages), budget, {
        chosen: { selector: "pages", ranges: selector.pages },
      });
    case "section":
      return readLines(extract, await select.selectSection(extract, selector.heading), null, budget);
    case "query":
      return readPassages(extract, selector.query, budget, signal);
  }
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
  const { passages, matchedCount, isEstimated } = await rankPassages(segmentTexts(extract), query, signal);
  const texts: string[] = [];
  const { text, count } = await fitItems(collect(passageTexts(extract, passages), texts), RANGE_BREAK, budget);
  const shown = count === 1 ? [text] : texts.slice(0, count);
  return makePassageReading(shown, passages, { count: matchedCount, isEstimated });
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
    yield `${formatPassageHeader(passage)}\n${text}`;
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
