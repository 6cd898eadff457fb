/** Cleans a text that arrives in chunks and splits it into segments, with its headings as marks. */
import { createCleaner } from "./clean.ts";
import type { ExtractItem, Mark } from "./handler.ts";
import { createHeadingFinder } from "./headings.ts";
import { splitSegments } from "./split-segments.ts";

export type TextOptions = {
  /** Index of the first segment to yield. */
  readonly from: number;
  /** Whether headings are to be found. */
  readonly isMarkdown: boolean;
  /** Whether stray control bytes are shown as U+FFFD; otherwise they are removed. */
  readonly showsControls?: boolean;
};

/**
 * Segments of a text of any length, then what cleaning removed. Reading begins at the start even when resuming: where a
 * segment begins depends on the text before it.
 */
export async function* toTextSegments(
  texts: AsyncIterable<string>,
  { from, isMarkdown, showsControls = false }: TextOptions,
): AsyncGenerator<ExtractItem> {
  const cleaner = createCleaner({ showControls: showsControls });
  const findMarks: (text: string) => readonly Mark[] = isMarkdown ? createHeadingFinder() : () => [];
  for await (const piece of splitSegments(cleanChunks(texts, cleaner))) {
    const marks = findMarks(piece.text);
    if (piece.index >= from) yield { segment: { ...piece, kind: "whole", marks } };
  }
  yield { info: { removed: cleaner.removed } };
}

async function* cleanChunks(
  texts: AsyncIterable<string>,
  cleaner: ReturnType<typeof createCleaner>,
): AsyncGenerator<string> {
  for await (const text of texts) yield cleaner.push(text);
  yield cleaner.flush();
}
