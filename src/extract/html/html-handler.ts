/** The HTML handler: the main content, parsed in a child if the page is large; if that fails, all text without structure. */
import { SpillwayError } from "../../errors.ts";
import { type Cleaner, createCleaner } from "../clean.ts";
import { type DecodeTally, decodeText, hasDecoder } from "../decode-text.ts";
import type { ExtractItem, Handler, HandlerOptions, LocalFile } from "../handler.ts";
import { assertFileExists, readBytes } from "../local-file.ts";
import { getPool } from "../pool/pools.ts";
import { splitSegments } from "../split-segments.ts";
import { text } from "../text-handler.ts";
import { describeHtml, type HtmlFacts } from "./describe-html.ts";

/** Parsing is linear in the size of a page, so a child would cost a small page more than it saves. */
const MAX_INLINE_BYTES = 256 * 1024;

/** Larger pages are not parsed: their tree may not fit into a child's memory. */
const MAX_PARSED_BYTES = 24 * 1024 * 1024;

export const html: Handler<HtmlFacts> = {
  name: "html",
  version: 4,
  runs: "child",
  canHandle: (kind) => kind === "html",
  fields: { kept_share: "number", needs_js: "boolean", link_base: "string" },
  describe: describeHtml,

  async *extract(file, options, signal) {
    await assertFileExists(file, signal);
    for await (const piece of chooseReader(file, options)(file, options, signal)) {
      signal.throwIfAborted();
      yield piece;
    }
    signal.throwIfAborted();
  },
};

type Reader = (file: LocalFile, options: HandlerOptions, signal: AbortSignal) => AsyncIterable<ExtractItem<HtmlFacts>>;

function chooseReader({ charset, sizeBytes }: LocalFile, { mode }: HandlerOptions): Reader {
  if (mode === "raw" || !hasDecoder(charset)) return readSource;
  return sizeBytes > MAX_PARSED_BYTES ? readLinear : readParsed;
}

async function* readSource(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<HtmlFacts>> {
  yield { info: { method: "raw" } };
  yield* text.extract(file, options, signal);
}

/** A failure before any text falls back to the plain text; a later one ends the extract. */
async function* readParsed(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<HtmlFacts>> {
  let hasText = options.from > 0;
  const read = file.sizeBytes <= MAX_INLINE_BYTES ? readInline : readInChild;
  for await (const piece of read(file, options, signal)) {
    if ("failed" in piece && piece.failed.reason !== "unavailable" && !hasText) {
      return yield* readLinear(file, options, signal);
    }
    hasText ||= "segment" in piece;
    yield piece;
  }
}

function readInChild(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncIterable<ExtractItem<HtmlFacts>> {
  return getPool("parse", options.limits).run({ engine: "html", file, options }, signal);
}

async function* readInline(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<HtmlFacts>> {
  const { htmlEngine: engine } = await import("./html-engine.ts");
  try {
    yield* engine.extract(file, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpillwayError) throw error;
    yield { failed: { reason: "corrupt", detail: error instanceof Error ? error.message : "" } };
  }
}

/** Streams the page's text in this process: cheap, in bounded memory, and it cannot fail. */
async function* readLinear(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<HtmlFacts>> {
  const cleaner = createCleaner();
  yield { info: { method: "linear", keptShare: 1, needsJs: false } };
  const tally = { undecoded: 0 };
  for await (const piece of splitSegments(strip(file, cleaner, tally, signal))) {
    if (piece.index >= options.from) yield { segment: { ...piece, kind: "whole", marks: [] } };
  }
  yield { info: { removed: cleaner.removed, ...tally } };
}

async function* strip(
  file: LocalFile,
  cleaner: Cleaner,
  tally: DecodeTally,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { createStripper } = await import("./plain-text.ts");
  const stripper = createStripper();
  for await (const piece of decodeText(readBytes(file, signal), file.charset, tally))
    yield cleaner.push(stripper.push(piece));
  yield cleaner.push(stripper.flush()) + cleaner.flush();
}
