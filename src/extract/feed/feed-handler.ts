/** The feed handler: RSS, Atom and sitemaps as lists of entries. The scan is linear, so it runs in this process. */
import { decodeText } from "../decode-text.ts";
import type { Handler, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import { text } from "../text-handler.ts";
import { toTextSegments } from "../text-segments.ts";
import type { FeedText } from "./feed-text.ts";

const mediaTypes: ReadonlySet<string> = new Set([
  "application/rss+xml",
  "application/atom+xml",
  "application/sitemap+xml",
]);

export const feed: Handler = {
  name: "feed",
  version: 2,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" && mediaTypes.has(mediaType),

  async *extract(file, options, signal) {
    if (options.mode === "raw") return yield* text.extract(file, options, signal);
    signal.throwIfAborted();
    const { FeedText } = await import("./feed-text.ts");
    const feedText = new FeedText();
    const segments = toTextSegments(readEntries(feedText, file, signal), { from: 0, isMarkdown: true });
    for await (const item of segments) {
      signal.throwIfAborted();
      // Other XML may have the root element of a feed and no entry.
      if ("segment" in item && item.segment.index === 0 && item.segment.text.trim() === "")
        return yield* text.extract(file, options, signal);
      if ("segment" in item && item.segment.index < options.from) continue;
      yield "info" in item ? { info: { ...item.info, ...feedText.facts } } : item;
    }
    signal.throwIfAborted();
  },
};

async function* readEntries(feedText: FeedText, file: LocalFile, signal: AbortSignal): AsyncGenerator<string> {
  for await (const chunk of decodeText(readBytes(file, signal), file.charset)) yield feedText.write(chunk);
  yield feedText.end();
}
