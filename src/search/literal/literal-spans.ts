/** Chooses the lines to show of a file that contains a text exactly: where it is defined, then from the beginning. */
import { type Lines, measureLines } from "../index/chunk.ts";
import { findDefinition } from "../index/definitions.ts";
import { type ChosenSpan, overlaps } from "../rank/spans.ts";
import { SPAN_FRAME_CHARS, type SpanLimits } from "../rank/weights.ts";

/** Occurrences that are looked at in one file. */
const MAX_OCCURRENCES_SEEN = 1_000;

/** The spans around occurrences of the literal, as many as the limits allow; the first shows the lines after it too. */
export function chooseLiteralSpans(text: string, literal: string, limits: SpanLimits): ChosenSpan[] {
  const lines = measureLines(text);
  const occurrences = findOccurrences(text, literal).map((offset) => locate(text, lines, offset, literal.length));
  const [main, ...others] = occurrences.toSorted((one, other) => Number(other.isDefined) - Number(one.isDefined));
  if (main === undefined) return [];
  const chosen: ChosenSpan[] = [{ ...main.span, endLine: extendSpan(lines, main.span, limits.mainChars) }];
  let room = limits.totalChars;
  for (const { span } of others) {
    if (chosen.length > limits.furtherSpans) break;
    const cost = (lines.starts[span.endLine] ?? 0) - (lines.starts[span.startLine - 1] ?? 0) + SPAN_FRAME_CHARS;
    if (cost > room || chosen.some((each) => overlaps(each, span))) continue;
    chosen.push(span);
    room -= cost;
  }
  return chosen;
}

function findOccurrences(text: string, literal: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length)) {
    offsets.push(at);
    if (offsets.length === MAX_OCCURRENCES_SEEN) break;
  }
  return offsets;
}

/** The lines of an occurrence, and whether they define a name that is in it. */
function locate(text: string, lines: Lines, offset: number, length: number) {
  const [first, last] = [lineAt(lines, offset), lineAt(lines, offset + length - 1)];
  const [start, end] = [lines.starts[first] ?? 0, lines.starts[first + 1] ?? 0];
  const definition = findDefinition(text, start, end, lines.indents[first] ?? -1);
  const isDefined = definition !== null && definition.start < offset + length && offset < definition.end;
  return { span: { startLine: first + 1, endLine: last + 1, focus: offset }, isDefined };
}

/** The line that has this offset, from 0. */
function lineAt({ starts, count }: Lines, offset: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The last line of a span that is as long as it may be. */
function extendSpan({ starts, count }: Lines, { startLine, endLine }: ChosenSpan, maxChars: number): number {
  let end = endLine;
  while (end < count && (starts[end + 1] ?? 0) - (starts[startLine - 1] ?? 0) <= maxChars) end++;
  return end;
}
