/** The extract of a text in parts of any length, for tests of data files. */
import { memoryObjects } from "../src/artifacts/memory-objects.ts";
import { type Extract, toExtract } from "../src/extract/extract.ts";
import type { Segment } from "../src/extract/handler.ts";
import { appendFile, emptySize, openExtract } from "../src/extract/stored-extract.ts";

/** A text in segments of so many characters. */
export async function extractOf(text: string, segmentChars = text.length): Promise<Extract> {
  const size = Math.max(1, segmentChars);
  const segments = Array.from({ length: Math.max(1, Math.ceil(text.length / size)) }, (_, index): Segment => {
    const part = text.slice(index * size, (index + 1) * size);
    return { index, kind: "whole", label: `part ${index + 1}`, text: part, marks: [] };
  });
  const objects = memoryObjects();
  await appendFile(objects, "x/", emptySize, { info: {}, segments, failed: null, last: true });
  return toExtract(await openExtract(objects, "x/"), { name: "text" });
}
