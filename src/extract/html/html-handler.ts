/** The HTML handler: the main content from a child; where that fails, the page's whole text without structure. */
import { SpillwayError } from "../../errors.ts";
import { type Cleaner, createCleaner } from "../clean.ts";
import { decodeText, hasDecoder } from "../decode-text.ts";
import type { Ask, Extracted, Handler, LocalFile } from "../handler.ts";
import { assertFileExists, readBytes } from "../local-file.ts";
import { poolFor } from "../pool/pools.ts";
import { splitSegments } from "../split-segments.ts";
import { text } from "../text-handler.ts";
import { describeHtml, type HtmlFacts } from "./describe-html.ts";

/** Reading a page takes time in proportion to its size, so a child would cost a small one more than it could save. */
const smallBytes = 256 * 1024;

/** Longer pages are not parsed: beyond this a tree may not fit into a child's memory. */
const longestParsedBytes = 24 * 1024 * 1024;

export const html: Handler<HtmlFacts> = {
  name: "html",
  version: 1,
  runs: "child",
  canHandle: (kind) => kind === "html",
  fields: { kept_share: "number", needs_js: "boolean" },
  describe: describeHtml,

  async *extract(file, ask, signal) {
    await assertFileExists(file, signal);
    for await (const piece of readerFor(file, ask)(file, ask, signal)) {
      signal.throwIfAborted();
      yield piece;
    }
    signal.throwIfAborted();
  },
};

type Reader = (file: LocalFile, ask: Ask, signal: AbortSignal) => AsyncIterable<Extracted<HtmlFacts>>;

function readerFor({ charset, sizeBytes }: LocalFile, { mode }: Ask): Reader {
  if (mode === "raw" || !hasDecoder(charset)) return readSource;
  return sizeBytes > longestParsedBytes ? readLinear : readParsed;
}

async function* readSource(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncGenerator<Extracted<HtmlFacts>> {
  yield { info: { method: "raw" } };
  yield* text.extract(file, ask, signal);
}

/** A failure that comes before any text is made up for; one that comes later ends what was given. */
async function* readParsed(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncGenerator<Extracted<HtmlFacts>> {
  let isBegun = ask.from > 0;
  const read = file.sizeBytes <= smallBytes ? readHere : readInChild;
  for await (const piece of read(file, ask, signal)) {
    if ("failed" in piece && piece.failed.reason !== "unavailable" && !isBegun) {
      return yield* readLinear(file, ask, signal);
    }
    isBegun ||= "segment" in piece;
    yield piece;
  }
}

function readInChild(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncIterable<Extracted<HtmlFacts>> {
  return poolFor("parse", ask.limits).run({ engine: "html", file, ask }, signal);
}

async function* readHere(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncGenerator<Extracted<HtmlFacts>> {
  const { html: engine } = await import("./html-engine.ts");
  try {
    yield* engine.extract(file, ask);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpillwayError) throw error;
    yield { failed: { reason: "corrupt", detail: error instanceof Error ? error.message : "" } };
  }
}

/** The page's text as it comes, in this process: cheap, in bounded memory, and nothing in it can fail. */
async function* readLinear(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncGenerator<Extracted<HtmlFacts>> {
  const cleaner = createCleaner();
  yield { info: { method: "linear", keptShare: 1, needsJs: false } };
  for await (const piece of splitSegments(strip(file, cleaner, signal))) {
    if (piece.index >= ask.from) yield { segment: { ...piece, kind: "whole", marks: [] } };
  }
  yield { info: { removed: cleaner.removed } };
}

async function* strip(file: LocalFile, cleaner: Cleaner, signal: AbortSignal): AsyncGenerator<string> {
  const { createStripper } = await import("./plain-text.ts");
  const stripper = createStripper();
  for await (const piece of decodeText(readBytes(file, signal), file.charset)) yield cleaner.push(stripper.push(piece));
  yield cleaner.push(stripper.flush()) + cleaner.flush();
}
