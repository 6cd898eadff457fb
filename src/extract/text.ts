/** The text handler: text of any charset, kept as it is but for cleaning, in pieces of bounded size. */
import { splitsPair } from "../fit/measure.ts";
import { type Cleaner, createCleaner } from "./clean.ts";
import { canDecode, decodeText } from "./decode.ts";
import { readBytes } from "./file.ts";
import type { Handler, LocalFile, Mark, Segment } from "./handler.ts";
import { createHeadingFinder } from "./headings.ts";

/** Reads text and, as source, HTML and SVG. JSON, CSV, XML and logs stay as they are. */
export const text: Handler = {
  name: "text",
  version: 1,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" || kind === "html" || mediaType === "image/svg+xml",

  async *extract(file, ask, signal) {
    signal.throwIfAborted();
    yield { info: {} };
    if (!canDecode(file.charset)) {
      yield { failed: { reason: "unavailable", detail: `charset ${file.charset}` } };
      return;
    }
    // Read from the start even when resuming: where a piece begins depends on the text before it, and text is fast.
    const cleaner = createCleaner();
    for await (const segment of readSegments(file, cleaner, signal)) {
      signal.throwIfAborted();
      if (segment.index >= ask.from) yield { segment };
    }
    signal.throwIfAborted();
    yield { info: { removed: cleaner.removed } };
  },
};

async function* readSegments(file: LocalFile, cleaner: Cleaner, signal: AbortSignal): AsyncGenerator<Segment> {
  const marksOf = marksFor(file.mediaType);
  let index = 0;
  for await (const { text, last } of cut(clean(decodeText(readBytes(file, signal), file.charset), cleaner))) {
    yield { index, kind: "whole", label: labelOf(index, last), text, marks: marksOf(text) };
    index += 1;
  }
}

async function* clean(texts: AsyncIterable<string>, cleaner: Cleaner): AsyncGenerator<string> {
  for await (const text of texts) yield cleaner.push(text);
  yield cleaner.flush();
}

/** Part of the handler's version: other numbers give other segments. */
const segmentChars = 64 * 1024;
const shortestChars = 32 * 1024;

/** Bounded pieces of a text of any length. Where they are cut depends on the text alone, not on how it arrived. */
async function* cut(texts: AsyncIterable<string>): AsyncGenerator<{ readonly text: string; readonly last: boolean }> {
  let rest = "";
  for await (const text of texts) {
    rest += text;
    while (rest.length > segmentChars) {
      const end = cutAt(rest);
      yield { text: rest.slice(0, end), last: false };
      rest = rest.slice(end);
    }
  }
  yield { text: rest, last: true };
}

/** After the last line end within reach, else between two code points. */
function cutAt(text: string): number {
  const lineEnd = text.lastIndexOf("\n", segmentChars - 1) + 1;
  if (lineEnd >= shortestChars) return lineEnd;
  return splitsPair(text, segmentChars) ? segmentChars - 1 : segmentChars;
}

/** A text in one piece needs no name for it. */
function labelOf(index: number, last: boolean): string {
  return index === 0 && last ? "" : `part ${index + 1}`;
}

function marksFor(mediaType: string): (text: string) => readonly Mark[] {
  return mediaType === "text/markdown" ? createHeadingFinder() : () => [];
}
