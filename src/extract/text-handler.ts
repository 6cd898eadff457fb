/** The text handler: text of any charset, unchanged except for cleaning, in segments of bounded size. */
import { decodeText, hasDecoder } from "./decode-text.ts";
import type { Handler } from "./handler.ts";
import { readBytesInPlace } from "./local-file.ts";
import { toTextSegments } from "./text-segments.ts";

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
      yield { failed: { reason: "unsupported", detail: `the charset ${file.charset} is not decoded` } };
      return;
    }
    const tally = { undecoded: 0 };
    const texts = decodeText(readBytesInPlace(file, signal), file.charset, tally);
    const isMarkdown = file.mediaType === "text/markdown";
    for await (const item of toTextSegments(texts, { from: options.from, isMarkdown, showsControls: true })) {
      signal.throwIfAborted();
      yield "info" in item ? { info: { ...item.info, undecoded: tally.undecoded } } : item;
    }
    signal.throwIfAborted();
  },
};
