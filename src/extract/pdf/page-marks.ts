/** Marks where the pages of a document begin: `<!-- page 12 -->`, which the selector `pages` understands. */
import type { ExtractItem, Mark, Segment } from "../handler.ts";
import type { PdfFacts } from "./describe-pdf.ts";

/** The items with a mark before the text of every page, if there are several pages. Pages without text have none. */
export async function* markPages(items: AsyncIterable<ExtractItem<PdfFacts>>): AsyncGenerator<ExtractItem<PdfFacts>> {
  let pageCount = 0;
  for await (const item of items) {
    if ("info" in item) pageCount = item.info.pageCount ?? pageCount;
    const isMarked = "segment" in item && pageCount > 1 && item.segment.text.trim() !== "";
    yield isMarked ? { ...item, segment: markPage(item.segment) } : item;
  }
}

function markPage(segment: Segment): Segment {
  const mark = `<!-- page ${segment.index + 1} -->\n\n`;
  // A section that begins with the page begins with its mark.
  const marks = segment.marks.map((place): Mark => ({ ...place, at: place.at === 0 ? 0 : place.at + mark.length }));
  return { ...segment, text: mark + segment.text, marks };
}

/** Text of a page that looks like a mark is escaped. */
export function escapePageMarks(text: string): string {
  return text.replace(/^(?=<!-- page \d+ -->)/gm, "\\");
}
