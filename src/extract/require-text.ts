/** Tells a document without any text from one with text. */
import type { ExtractItem } from "./handler.ts";

/** The same items; a document whose text is blank ends in the failure `no_text` instead. */
export async function* requireText(items: AsyncIterable<ExtractItem>, from: number): AsyncGenerator<ExtractItem> {
  // What is resumed has text already.
  let hasText = from > 0;
  for await (const item of items) {
    if ("segment" in item) hasText ||= item.segment.text.trim() !== "";
    if (hasText || !("segment" in item)) yield item;
  }
  if (!hasText) yield { failed: { reason: "no_text", detail: "" } };
}
