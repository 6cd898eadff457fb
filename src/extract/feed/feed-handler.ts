/** The feed handler: RSS, Atom and sitemaps as lists of entries. The scan is linear, so it runs in this process. */
import { decodeText } from "../decode-text.ts";
import type { Handler, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import { requireText } from "../require-text.ts";
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
  version: 1,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" && mediaTypes.has(mediaType),

  async *extract(file, options, signal) {
    if (options.mode === "raw") return yield* text.extract(file, options, signal);
    signal.throwIfAborted();
    const { FeedText } = await import("./feed-text.ts");
    const feedText = new FeedText();
    const segments = toTextSegments(readEntries(feedText, file, signal), { from: options.from, isMarkdown: true });
    for await (const item of requireText(segments, options.from)) {
      signal.throwIfAborted();
      yield "info" in item ? { info: { ...item.info, ...feedText.facts } } : item;
    }
    signal.throwIfAborted();
  },
};

async function* readEntries(feedText: FeedText, file: LocalFile, signal: AbortSignal): AsyncGenerator<string> {
  for await (const chunk of decodeText(readBytes(file, signal), file.charset)) yield feedText.write(chunk);
  yield feedText.end();
}
