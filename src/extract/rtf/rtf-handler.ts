/** The RTF handler: headings, paragraphs, tables and notes as Markdown. The scan is linear, so it runs in this process. */
import type { Handler, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import { requireText } from "../require-text.ts";
import { toTextSegments } from "../text-segments.ts";
import type { RtfText } from "./rtf-text.ts";

export const rtf: Handler = {
  name: "rtf",
  version: 1,
  runs: "inline",
  canHandle: (_kind, mediaType) => mediaType === "application/rtf",

  async *extract(file, { from }, signal) {
    signal.throwIfAborted();
    const { RtfText } = await import("./rtf-text.ts");
    const text = new RtfText();
    const segments = toTextSegments(readText(text, file, signal), { from, isMarkdown: true });
    for await (const item of requireText(segments, from)) {
      signal.throwIfAborted();
      yield "info" in item ? { info: { ...item.info, ...text.facts } } : item;
    }
    signal.throwIfAborted();
  },
};

async function* readText(text: RtfText, file: LocalFile, signal: AbortSignal): AsyncGenerator<string> {
  for await (const chunk of readBytes(file, signal)) {
    text.write(Buffer.from(chunk).toString("latin1"));
    yield text.blocks.take();
  }
  yield text.end();
}
