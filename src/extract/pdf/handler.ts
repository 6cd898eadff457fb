/** The PDF handler: pages from PDFium in one child, pages it cannot make sense of from pdf.js in another. */
import type { Ask, Extracted, Handler, LocalFile, PageVerdict, Segment } from "../handler.ts";
import { poolFor } from "../pool/pools.ts";
import { betterText } from "./garbled.ts";

export const pdf: Handler = {
  name: "pdf",
  version: 1,
  runs: "child",
  canHandle: (kind) => kind === "pdf",

  async *extract(file, ask, signal) {
    const second = secondReader(file, ask, signal);
    const scan = scanWatch(ask.from);
    const job = { engine: "pdfium", file, ask };
    try {
      for await (const piece of poolFor("parse", ask.limits).run(job, signal)) {
        if (!("segment" in piece)) yield piece;
        else
          for (const segment of scan.pass(await mended(piece.segment, piece.verdict), piece.verdict)) yield { segment };
        if ("failed" in piece) return;
      }
      yield* scan.end();
    } finally {
      await second.close();
    }

    async function mended(segment: Segment, verdict: PageVerdict | undefined): Promise<Segment> {
      if (verdict !== "garbled") return segment;
      const other = await second.page(segment.index);
      return other === undefined ? segment : { ...segment, text: betterText(segment.text, other) };
    }
  },
};

/** Holds the empty pages a document begins with: when no page has text, it is a scan and there is nothing to show. */
function scanWatch(from: number) {
  let held: Segment[] | undefined = from === 0 ? [] : undefined;
  const counts = { pages: 0, images: 0, damaged: 0 };
  return {
    pass(segment: Segment, verdict: PageVerdict | undefined): readonly Segment[] {
      counts.pages++;
      counts.images += verdict === "image" ? 1 : 0;
      counts.damaged += verdict === "damaged" ? 1 : 0;
      if (held === undefined) return [segment];
      held.push(segment);
      if (segment.text.trim() === "") return [];
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
      const { value, done } = await reading.next();
      if (!done && "segment" in value) return value.segment.text;
      await this.close();
      return undefined;
    },
    async close(): Promise<void> {
      await reading?.return(undefined);
      [reading, next] = [undefined, -1];
    },
  };
}
