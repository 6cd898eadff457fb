/** The e-book handler: EPUB chapters in reading order. */
import { formatCount } from "../../system/quantities.ts";
import type { Handler } from "../handler.ts";
import { runEngine } from "../pool/run-engine.ts";

export type EpubFacts = { readonly cutChapters: number };

export const epub: Handler<EpubFacts> = {
  name: "epub",
  version: 2,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaType === "application/epub+zip",
  extract: (file, options, signal) => runEngine("epub", file, options, signal),

  describe: ({ cutChapters = 0 }) =>
    cutChapters === 0
      ? {}
      : { warnings: [`Read only in part because of their length: ${formatCount(cutChapters, "chapter")}.`] },
};
