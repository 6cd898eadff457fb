/** The PDF handler: pages from PDFium in one child, what it cannot make sense of from pdf.js in another. */
import type { Ask, Extracted, Handler, LocalFile, Segment } from "../handler.ts";
import { poolFor } from "../pool/pools.ts";
import { betterText } from "./garbled.ts";

export const pdf: Handler = {
  name: "pdf",
  version: 2,
  runs: "child",
  canHandle: (kind) => kind === "pdf",

  async *extract(file, ask, signal) {
    const second = secondReader(file, ask, signal);
    const scan = scanWatch(ask.from);
    try {
      for await (const piece of poolFor("parse", ask.limits).run({ engine: "pdfium", file, ask }, signal)) {
        if ("failed" in piece) return yield* refused(piece);
        if ("info" in piece) yield piece;
        else yield* scan.pass(await mended(piece));
      }
      yield* scan.end();
    } finally {
      await second.close();
    }

    async function mended(page: Page): Promise<Page> {
      if (page.verdict !== "garbled") return page;
      const { segment } = page;
      const other = await second.page(segment.index);
      return other === undefined ? page : { ...page, segment: { ...segment, text: betterText(segment.text, other) } };
    }

    /** pdf.js repairs some files that PDFium calls corrupt; where it finds no text either, that verdict stands. */
    async function* refused(verdict: Failed): AsyncGenerator<Extracted> {
      if (verdict.failed.reason !== "corrupt") return yield verdict;
      const job = { engine: "pdfjs", file, ask: { ...ask, from: scan.next } };
      for await (const piece of poolFor("second", ask.limits).run(job, signal)) {
        if ("failed" in piece) return yield verdict;
        if ("info" in piece) yield piece;
        else yield* scan.pass(piece);
      }
      if (scan.isEmpty) yield verdict;
    }
  },
};

type Page = Extract<Extracted, { readonly segment: Segment }>;
type Failed = Extract<Extracted, { readonly failed: unknown }>;

/** Holds the empty pages a document begins with: when no page has text, it is a scan and there is nothing to show. */
function scanWatch(from: number) {
  let held: Page[] | undefined = from === 0 ? [] : undefined;
  const counts = { pages: 0, images: 0, damaged: 0 };
  return {
    /** Index of the page that follows. */
    get next() {
      return from + counts.pages;
    },
    get isEmpty() {
      return held !== undefined;
    },
    pass(page: Page): readonly Page[] {
      counts.pages++;
      counts.images += page.verdict === "image" ? 1 : 0;
      counts.damaged += page.verdict === "damaged" ? 1 : 0;
      if (held === undefined) return [page];
      held.push(page);
      if (page.segment.text.trim() === "") return [];
      const all = held;
      held = undefined;
      return all;
    },
    *end(): Generator<Extracted> {
      if (held === undefined) return;
      const { pages, images, damaged } = counts;
      if (damaged > 0 && damaged === pages) yield { failed: { reason: "corrupt", detail: "no page can be read" } };
      else yield { failed: { reason: "no_text", detail: images > 0 ? `${images} of ${pages} pages are images` : "" } };
    },
  };
}

/** The second reader goes on where it is while the pages asked for follow each other: opening a document costs most. */
function secondReader(file: LocalFile, ask: Ask, signal: AbortSignal) {
  let reading: AsyncGenerator<Extracted> | undefined;
  let next = -1;
  return {
    async page(index: number): Promise<string | undefined> {
      if (index !== next) await this.close();
      const job = { engine: "pdfjs", file, ask: { ...ask, from: index } };
      reading ??= poolFor("second", ask.limits).run(job, signal);
      next = index + 1;
      for await (const piece of unfinished(reading)) {
        if ("segment" in piece) return piece.segment.text;
      }
      await this.close();
      return undefined;
    },
    async close(): Promise<void> {
      await reading?.return(undefined);
      [reading, next] = [undefined, -1];
    },
  };
}

/** Leaving a loop over these ends the loop only: the generator can be gone on with. */
async function* unfinished<T>(pieces: AsyncGenerator<T>): AsyncGenerator<T> {
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
}
