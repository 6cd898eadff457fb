/** The e-book handler: EPUB chapters in reading order. */
import type { Handler } from "../handler.ts";
import { getPool } from "../pool/pools.ts";

export const epub: Handler = {
  name: "epub",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaType === "application/epub+zip",
  extract: (file, options, signal) => getPool("parse", options.limits).run({ engine: "epub", file, options }, signal),
};
