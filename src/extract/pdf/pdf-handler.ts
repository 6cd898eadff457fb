/** The PDF handler: pages from PDFium in one child, what it cannot make sense of from pdf.js in another. */
import {
  type Ask,
  type Extracted,
  type Handler,
  isRetryableFailure,
  type LocalFile,
  type Segment,
} from "../handler.ts";
import { poolFor } from "../pool/pools.ts";
import { describePdf, type PdfFacts } from "./describe-pdf.ts";
import { betterText } from "./garbled.ts";

export const pdf: Handler<PdfFacts> = {
  name: "pdf",
  version: 2,
  runs: "child",
  canHandle: (kind) => kind === "pdf",
  describe: describePdf,

  async *extract(file, ask, signal) {
    const second = secondReader(file, ask, signal);
    try {
      for (let [from, losses] = [ask.from, 0]; ; losses++) {
        const { next, pageCount, verdict } = yield* read(from);
        if (verdict === undefined) return;
        const { reason } = verdict.failed;
        if (reason === "corrupt" && pageCount === undefined) return yield* rescued(verdict, file, ask, signal);
        if (reason !== "corrupt" || next >= (pageCount ?? 0) || losses === mostLosses) return yield verdict;
        yield await second.instead(next);
        from = next + 1;
      }
    } finally {
      await second.close();
    }

    /** Pages from one on until PDFium is through or breaks down. */
    async function* read(from: number): AsyncGenerator<Extracted, Outcome> {
      let [next, pageCount]: [number, number | undefined] = [from, undefined];
      const job = { engine: "pdfium", file, ask: { ...ask, from } };
      for await (const piece of poolFor("parse", ask.limits).run(job, signal)) {
        if ("failed" in piece) return { next, pageCount, verdict: piece };
        if ("info" in piece) pageCount = piece.info.pageCount;
        else next = piece.segment.index + 1;
        yield "segment" in piece ? await second.mended(piece) : piece;
      }
      return { next, pageCount };
    }
  },
};

type Page = Extract<Extracted, { readonly segment: Segment }>;
type Failed = Extract<Extracted, { readonly failed: unknown }>;

/** How far PDFium came; without a page count it could not open the file. */
type Outcome = { readonly next: number; readonly pageCount: number | undefined; readonly verdict?: Failed };

/** Pages that may break PDFium down, each in a new child, before the rest of a document is given up. */
const mostLosses = 10;

/** pdf.js repairs some files that PDFium cannot open; where it cannot either, that verdict stands. */
async function* rescued(
  verdict: Failed,
  file: LocalFile,
  ask: Ask,
  signal: AbortSignal,
): AsyncGenerator<Extracted<PdfFacts>> {
  for await (const piece of poolFor("second", ask.limits).run({ engine: "pdfjs", file, ask }, signal)) {
    if ("info" in piece) yield { info: { ...piece.info, rescued: true } };
    else if ("segment" in piece) yield piece;
    else yield isRetryableFailure(piece.failed) || piece.failed.reason === "encrypted" ? piece : verdict;
  }
}

/** Pages in order that are read well before the second reader is let go: others may wait for it. */
const patiencePages = 8;

/** Reads garbled pages again. It stays open between pages that are near each other: opening a document costs most. */
function secondReader(file: LocalFile, ask: Ask, signal: AbortSignal) {
  let reading: AsyncGenerator<Extracted> | undefined;
  let next = -1;

  async function close(): Promise<void> {
    await reading?.return(undefined);
    [reading, next] = [undefined, -1];
  }

  /** The page as pdf.js reads it, passing over those between it and the last one. */
  async function read(index: number): Promise<string | undefined> {
    const job = { engine: "pdfjs", file, ask: { ...ask, from: index } };
    reading ??= poolFor("second", ask.limits).run(job, signal);
    for (let step = await reading.next(); !step.done; step = await reading.next()) {
      if (!("segment" in step.value)) continue;
      next = step.value.segment.index + 1;
      if (next > index) return step.value.segment.text;
    }
    await close();
    return undefined;
  }

  return {
    close,

    /** A page that PDFium cannot read at all. */
    async instead(index: number): Promise<Page> {
      const text = (await read(index)) ?? "";
      const segment = { index, kind: "page", label: `page ${index + 1}`, text, marks: [] } as const;
      return { segment, note: { verdict: text === "" ? "damaged" : "read" } };
    },

    async mended(page: Page): Promise<Page> {
      const { segment, note } = page;
      if (note?.verdict !== "garbled") {
        if (segment.index - next >= patiencePages) await close();
        return page;
      }
      const other = await read(segment.index);
      if (other === undefined || betterText(segment.text, other) !== other) return page;
      return { segment: { ...segment, text: other }, note: { ...note, verdict: "read" } };
    },
  };
}
