/** What a reader should call a document: its own title, else its first heading, else where it came from. */
import type { ArtifactFacts } from "../artifacts/record.ts";
import { clipped } from "../system/safe-names.ts";
import type { Extract } from "./extract.ts";

const titleChars = 200;
/** A heading further down is that of a part, not of the whole. */
const headingWithin = 5_000;

/** One line, never empty. */
export async function titleOf(extract: Extract, facts: Pick<ArtifactFacts, "name" | "source_url">): Promise<string> {
  const named = clipped(extract.info.title?.trim() ?? "", titleChars);
  if (named !== "") return named;
  const heading = await firstHeading(extract);
  if (heading !== "") return heading;
  return clipped(/^https?:/i.test(facts.source_url) ? facts.source_url : facts.name, titleChars);
}

async function firstHeading(extract: Extract): Promise<string> {
  for await (const { segment, start } of extract.all()) {
    const mark = segment.marks.find(({ label }) => label.trim() !== "");
    if (start + (mark?.at ?? segment.text.length) > headingWithin) break;
    if (mark !== undefined) return clipped(mark.label.trim(), titleChars);
  }
  return "";
}
