/** The text handler: text of any charset, unchanged except for cleaning, in segments of bounded size. */
import { decodeText, hasDecoder } from "./decode-text.ts";
import type { Handler } from "./handler.ts";
import { readBytes } from "./local-file.ts";
import { toTextSegments } from "./text-segments.ts";

/** Reads text and, as source, HTML and SVG. JSON, CSV, XML and logs stay as they are. */
export const text: Handler = {
  name: "text",
  version: 2,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" || kind === "html" || mediaType === "image/svg+xml",

  async *extract(file, { from }, signal) {
    signal.throwIfAborted();
    yield { info: {} };
    if (!hasDecoder(file.charset)) {
      yield { failed: { reason: "unavailable", detail: `charset ${file.charset}` } };
      return;
    }
    const texts = decodeText(readBytes(file, signal), file.charset);
    for await (const piece of toTextSegments(texts, { from, isMarkdown: file.mediaType === "text/markdown" })) {
      signal.throwIfAborted();
      yield piece;
    }
    signal.throwIfAborted();
  },
};
