/** The verb behind every read: a ref and a selector in, the asked part with its places out. */
import type { Content } from "../acquire/spool.ts";
import type { Answer } from "../answer/answer.ts";
import { answerRead, passageHeader } from "../answer/read-reply.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { ArtifactRecord } from "../artifacts/record.ts";
import type { ReadFields } from "../contract/read-fields.ts";
import { type Extract, extractText } from "../extract/extract.ts";
import type { Mode } from "../extract/handler.ts";
import { handlerFor } from "../extract/handlers.ts";
import { joinParts, partBreak } from "../extract/parts.ts";
import { limitsOf } from "../extract/pool/pools.ts";
import {
  type PartReading,
  type PassageReading,
  type PlacedPart,
  partReading,
  passageReading,
  reachedParts,
} from "../extract/readings.ts";
import * as select from "../extract/select.ts";
import { parseSelector, type Selector, type SelectorInput } from "../extract/selector.ts";
import type { Extent } from "../extract/stored.ts";
import { type Budget, makeSourceBudget } from "../fit/budget.ts";
import { fitItems } from "../fit/fit-items.ts";
import { fitText } from "../fit/fit-text.ts";
import { type RankedPassage, rankPassages } from "../retrieval/passages.ts";
import type { PlacedText } from "../retrieval/split.ts";
import type { Session } from "../session/session.ts";

/** At most one of the selectors; none reads from the beginning. */
export type ReadOptions = SelectorInput & {
  readonly mode?: Mode;
  /** Characters of content to show; the settings say how many by default. */
  readonly maxChars?: number | undefined;
  /** The budget of the reply, where a surface has made it; `maxChars` then does not count. */
  readonly budget?: Budget | undefined;
  /** Opens an encrypted document for this reply; never stored or logged. */
  readonly password?: string | undefined;
};

/** Reads the chosen part of a kept artifact, within the budget, extracting on as far as that needs. */
export async function readArtifact(ref: string, options: ReadOptions, session: Session): Promise<Answer<ReadFields>> {
  const { mode = "markdown", maxChars, budget: replyBudget, password, ...input } = options;
  const { settings, signal } = session;
  const budget = replyBudget ?? makeSourceBudget(settings, { requested: maxChars }).read;
  const selector = parseSelector(input);
  await using opened = await openArtifact(ref, session);
  const { record } = opened;
  const handler = handlerFor(record.content_kind, record.media_type);
  const enough = within(settings["extract.chars"], enoughFor(selector, budget));
  const limits = limitsOf(settings);
  const extract = await extractText({ ...opened, facts: record, handler, mode, enough, limits, signal, password });
  const reading = await readSelected(extract, selector, budget, signal);
  const totalLines = await select.totalLines(extract);
  const answer = answerRead({ record, extract, selector, reading, totalLines, budget });
  report(answer, session);
  return answer;
}

/** A kept artifact whose bytes are at hand until it is disposed. */
type OpenedArtifact = AsyncDisposable & {
  readonly record: ArtifactRecord;
  readonly content: Content;
  /** Where its extract is stored. */
  readonly objects: Objects;
};

/** Opens a kept artifact of the session's owner, marking it as used. */
export async function openArtifact(ref: string, { store }: Session): Promise<OpenedArtifact> {
  const record = await store.find(ref);
  const { path, [Symbol.asyncDispose]: dispose } = await store.local(record);
  return { record, content: { path }, objects: store.objects, [Symbol.asyncDispose]: dispose };
}

/** One call extracts only so much more than there was. */
function within(chars: number, enough: (extent: Extent) => boolean): (extent: Extent) => boolean {
  let before: number | undefined;
  return (extent) => {
    before ??= extent.chars;
    return enough(extent) || extent.chars - before >= chars;
  };
}

/** A part by place needs the text up to its end; a heading or a question needs all of it. */
function enoughFor(selector: Selector, budget: Budget): (extent: Extent) => boolean {
  switch (selector.by) {
    case "offset":
      return ({ chars }) => chars >= selector.offset + budget.chars;
    case "lines":
      return ({ lineEnds }) => selector.lines.last !== null && lineEnds >= selector.lines.last;
    case "pages":
      return ({ segments }) => selector.pages.every(({ last }) => last !== null && segments >= last);
    default:
      return () => false;
  }
}

async function readSelected(extract: Extract, selector: Selector, budget: Budget, signal: AbortSignal) {
  // Without text every place is the same: the answer says that there is nothing to read.
  if (!extract.hasText) return readParts(extract, [], budget);
  switch (selector.by) {
    case "offset": {
      const part = await select.selectOffset(extract, selector.offset);
      return readParts(extract, [part], budget, extract.extent.chars);
    }
    case "lines":
      return readParts(extract, [await select.selectLines(extract, selector.lines)], budget);
    case "pages":
      return readParts(extract, await select.selectPages(extract, selector.pages), budget);
    case "section":
      return readParts(extract, [await select.selectSection(extract, selector.heading)], budget);
    case "query":
      return readPassages(extract, selector.query, budget, signal);
  }
}

async function readParts(
  extract: Extract,
  parts: readonly select.Part[],
  budget: Budget,
  ofChars?: number,
): Promise<PartReading> {
  const window = await joinParts(extract, parts, budget.chars);
  const placed: PlacedPart[] = [];
  for (const { part } of reachedParts(parts, window.text.length)) placed.push(await placePart(extract, part));
  return partReading({ window, parts, placed, askedChars: ofChars ?? window.totalChars }, fitText(window, budget));
}

async function placePart(extract: Extract, part: select.Part): Promise<PlacedPart> {
  const line = await select.lineAt(extract, part.start);
  return { ...part, line, pages: await select.pagesOn(extract, part.start, part.end) };
}

async function readPassages(
  extract: Extract,
  query: string,
  budget: Budget,
  signal: AbortSignal,
): Promise<PassageReading> {
  const { passages, matchedCount } = await rankPassages(segmentTexts(extract), query, signal);
  const texts: string[] = [];
  const { text, count } = await fitItems(remembered(passageTexts(extract, passages), texts), partBreak, budget);
  return passageReading(count === 1 ? [text] : texts.slice(0, count), passages, matchedCount);
}

async function* remembered(items: AsyncIterable<string>, seen: string[]): AsyncGenerator<string> {
  for await (const item of items) {
    seen.push(item);
    yield item;
  }
}

async function* passageTexts(extract: Extract, passages: readonly RankedPassage[]): AsyncGenerator<string> {
  for (const passage of passages) {
    const { text } = await select.windowAt(extract, passage.start, passage.end - passage.start);
    yield `${passageHeader(passage)}\n${text}`;
  }
}

/** Each segment by itself, so that no passage reaches over the end of a page. */
async function* segmentTexts(extract: Extract): AsyncGenerator<PlacedText> {
  for await (const { segment, offset, line, start } of extract.all()) {
    yield { text: segment.text, marks: segment.marks, offset: start, line: line + start - offset };
  }
}

function report({ fields, content }: Answer<ReadFields>, { emit }: Session): void {
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
