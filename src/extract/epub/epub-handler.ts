/** The e-book handler: EPUB chapters in reading order. */
import type { Handler } from "../handler.ts";
import { runEngine } from "../pool/run-engine.ts";

export const epub: Handler = {
  name: "epub",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaType === "application/epub+zip",
  extract: (file, options, signal) => runEngine("epub", file, options, signal),
};
