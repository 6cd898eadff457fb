/** The text handler: text of any charset, unchanged except for cleaning, in segments of bounded size. */
import { type Cleaner, createCleaner } from "./clean.ts";
import { type DecodeTally, decodeText, hasDecoder } from "./decode-text.ts";
import type { Handler, LocalFile, Mark, Segment } from "./handler.ts";
import { createHeadingFinder } from "./headings.ts";
import { readBytesInPlace } from "./local-file.ts";
import { splitSegments } from "./split-segments.ts";

/** Reads text and, as source, HTML. JSON, CSV, XML and logs stay as they are. */
export const text: Handler = {
  name: "text",
  version: 2,
  runs: "inline",
  canHandle: (kind) => kind === "text" || kind === "html",

  async *extract(file, options, signal) {
    signal.throwIfAborted();
    yield { info: {} };
    if (!hasDecoder(file.charset)) {
      yield { failed: { reason: "unavailable", detail: `charset ${file.charset}` } };
      return;
    }
    // Read from the start even when resuming: where a segment begins depends on the text before it, and text is fast.
    const cleaner = createCleaner({ showControls: true });
    const tally = { undecoded: 0 };
    for await (const segment of readSegments(file, cleaner, tally, signal)) {
      signal.throwIfAborted();
      if (segment.index >= options.from) yield { segment };
    }
    signal.throwIfAborted();
    yield { info: { removed: cleaner.removed, undecoded: tally.undecoded } };
  },
};

async function* readSegments(
  file: LocalFile,
  cleaner: Cleaner,
  tally: DecodeTally,
  signal: AbortSignal,
): AsyncGenerator<Segment> {
  const findMarks = makeHeadingFinder(file.mediaType);
  const texts = decodeText(readBytesInPlace(file, signal), file.charset, tally);
  for await (const segment of splitSegments(cleanChunks(texts, cleaner))) {
    yield { ...segment, kind: "whole", marks: findMarks(segment.text) };
  }
}

async function* cleanChunks(texts: AsyncIterable<string>, cleaner: Cleaner): AsyncGenerator<string> {
  for await (const text of texts) yield cleaner.push(text);
  yield cleaner.flush();
}

function makeHeadingFinder(mediaType: string): (text: string) => readonly Mark[] {
  return mediaType === "text/markdown" ? createHeadingFinder() : () => [];
}
