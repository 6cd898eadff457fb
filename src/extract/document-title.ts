/** Finds the title of a document: its own, else its first heading, else its URL or file name. */
import type { ArtifactFacts } from "../artifacts/record.ts";
import { TITLE_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Extract } from "./extract.ts";

/** A heading further down is not the title of the document. */
const HEADING_WITHIN_CHARS = 5_000;

/** One line, never empty. */
export async function findDocumentTitle(
  extract: Extract,
  facts: Pick<ArtifactFacts, "name" | "source_url">,
): Promise<string> {
  const ownTitle = clip(extract.info.title?.trim() ?? "", TITLE_CHARS);
  if (ownTitle !== "") return ownTitle;
  const heading = await findFirstHeading(extract);
  if (heading !== "") return heading;
  return clip(/^https?:/i.test(facts.source_url) ? facts.source_url : facts.name, TITLE_CHARS);
}

async function findFirstHeading(extract: Extract): Promise<string> {
  for await (const { segment, start } of extract.segments()) {
    const mark = segment.marks.find(({ label }) => label.trim() !== "");
    if (start + (mark?.at ?? segment.text.length) > HEADING_WITHIN_CHARS) break;
    if (mark !== undefined) return clip(mark.label.trim(), TITLE_CHARS);
  }
  return "";
}
