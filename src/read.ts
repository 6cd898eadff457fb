/** The verb behind every read: a ref and a selector in, the asked part with its places out. */
import type { Answer } from "./answer/answer.ts";
import { answerRead, type PartReading, passageHeader, type ReadFields, type Reading } from "./answer/read.ts";
import { type Extract, extractText } from "./extract/extract.ts";
import type { Mode } from "./extract/handler.ts";
import { handlerFor } from "./extract/handlers.ts";
import { type RankedPassage, rankPassages } from "./extract/passages.ts";
import {
  countLines,
  lineAt,
  type Part,
  selectLines,
  selectOffset,
  selectPages,
  selectSection,
  windowAt,
} from "./extract/select.ts";
import type { Selector } from "./extract/selector.ts";
import type { PlacedText } from "./extract/split.ts";
import type { Extent } from "./extract/stored.ts";
import { type Budget, firstExcess, makeBudget } from "./fit/budget.ts";
import { fitText } from "./fit/text.ts";
import type { Session } from "./session.ts";

export type ReadOptions = {
  readonly selector: Selector;
  readonly mode?: Mode;
  readonly maxChars?: number | undefined;
  /** Opens an encrypted document for this reply; never stored or logged. */
  readonly password?: string | undefined;
};

export async function readArtifact(ref: string, options: ReadOptions, session: Session): Promise<Answer<ReadFields>> {
  const { selector, mode = "markdown", maxChars, password } = options;
  const { store, settings, signal } = session;
  const record = await store.find(ref);
  const budget = makeBudget({ requested: maxChars, default: settings["fit.read_chars"] });
  await using content = await store.local(record);
  const extract = await extractText({
    objects: store.objects,
    facts: record,
    content,
    handler: handlerFor(record.content_kind, record.media_type),
    mode,
    enough: within(settings["extract.chars"], enoughFor(selector, budget)),
    signal,
    password,
  });
  const reading = await readPart(extract, selector, budget, signal);
  const totalLines = await countLines(extract);
  const answer = answerRead({ record, extract, selector, reading, totalLines, budget });
  report(answer, session);
  return answer;
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

async function readPart(extract: Extract, selector: Selector, budget: Budget, signal: AbortSignal): Promise<Reading> {
  switch (selector.by) {
    case "offset":
      return {
        ...(await readParts(extract, [selectOffset(extract, selector.offset)], budget)),
        askedChars: extract.extent.chars,
      };
    case "lines":
      return readParts(extract, [await selectLines(extract, selector.lines)], budget);
    case "pages":
      return readParts(extract, await selectPages(extract, selector.pages), budget);
    case "section":
      return readParts(extract, [await selectSection(extract, selector.heading)], budget);
    case "query":
      return readPassages(extract, selector.query, budget, signal);
  }
}

/** Stands between parts that do not follow each other. */
const partBreak = "\n\n";

async function readParts(extract: Extract, parts: readonly Part[], budget: Budget): Promise<PartReading> {
  const totalChars = parts.reduce((sum, { start, end }) => sum + end - start, (parts.length - 1) * partBreak.length);
  let text = "";
  for (const [index, { start, end }] of parts.entries()) {
    if (text.length > budget.chars) break;
    if (index > 0) text += partBreak;
    text += (await windowAt(extract, start, budget.chars, end)).text;
  }
  const shown = fitText({ text, offset: 0, totalChars }, budget);
  const start = parts[0]?.start ?? 0;
  const end = placeOf(parts, shown.text.length);
  return {
    by: "part",
    label: parts
      .map(({ label }) => label)
      .filter(Boolean)
      .join(", "),
    shown,
    nextOffset: shown.hasMore ? end : null,
    askedChars: totalChars,
    start: { offset: start, line: await lineAt(extract, start) },
    endLine: await lineAt(extract, Math.max(start, end - 1)),
  };
}

/** The document's offset of a place in the parts as they are joined. */
function placeOf(parts: readonly Part[], joined: number): number {
  let rest = joined;
  for (const { start, end } of parts) {
    if (rest <= end - start) return start + Math.max(0, rest);
    rest -= end - start + partBreak.length;
  }
  return parts.at(-1)?.end ?? 0;
}

/** More passages than any budget can show. */
const passageLimit = 100;
/** A passage this much weaker than the best one shares little more with the question than its small words. */
const weakestShare = 0.15;

async function readPassages(extract: Extract, query: string, budget: Budget, signal: AbortSignal): Promise<Reading> {
  const ranking = await rankPassages(placedTexts(extract), query, { limit: passageLimit, signal });
  const passages: RankedPassage[] = [];
  let text = "";
  const worthShowing = (ranking.passages[0]?.score ?? 0) * weakestShare;
  for (const passage of ranking.passages.filter(({ score }) => score >= worthShowing)) {
    const { text: body } = await windowAt(extract, passage.start, passage.end - passage.start);
    const next = `${text}${text === "" ? "" : partBreak}${passageHeader(passage)}\n${body}`;
    // Whole passages only; but the best one is shown in part rather than not at all.
    if (firstExcess(next, budget) && passages.length > 0) break;
    text = fitText({ text: next, offset: 0, totalChars: next.length }, budget).text;
    passages.push(passage);
  }
  return { by: "passages", text, passages, matchedCount: ranking.matchedCount };
}

/** Each segment by itself, so that no passage reaches over the end of a page. */
async function* placedTexts(extract: Extract): AsyncGenerator<PlacedText> {
  for await (const { segment, text, offset, line } of extract.from({ chars: -1 })) {
    const breakChars = text.length - segment.text.length;
    yield { text: segment.text, marks: segment.marks, offset: offset + breakChars, line: line + breakChars };
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
