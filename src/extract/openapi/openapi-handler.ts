/** The OpenAPI handler: what an API offers, operation by operation. What is not such a description is shown as it is. */
import type { Handler, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import { text } from "../text-handler.ts";
import { toTextSegments } from "../text-segments.ts";

/** A description is parsed whole, in this process. */
const MAX_BYTES = 8 * 1024 * 1024;

export const openapi: Handler = {
  name: "openapi",
  version: 1,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" && mediaType === "application/vnd.oai.openapi+json",

  async *extract(file, options, signal) {
    signal.throwIfAborted();
    const description = options.mode === "raw" || file.sizeBytes > MAX_BYTES ? undefined : await parse(file, signal);
    if (description === undefined) return yield* text.extract(file, options, signal);
    const { writeApi } = await import("./write-api.ts");
    const { markdown, title } = writeApi(description);
    yield { info: title === "" ? {} : { title } };
    async function* chunks() {
      yield markdown;
    }
    for await (const item of toTextSegments(chunks(), { from: options.from, isMarkdown: true })) {
      signal.throwIfAborted();
      yield item;
    }
    signal.throwIfAborted();
  },
};

async function parse(file: LocalFile, signal: AbortSignal): Promise<unknown> {
  const bytes = Buffer.concat(await Array.fromAsync(readBytes(file, signal)));
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    return undefined; // It is shown as it is.
  }
}
