/** The PDF handler: pages from PDFium in one child; pages it cannot decode from pdf.js in another. */
import {
  type ExtractItem,
  type Handler,
  type HandlerOptions,
  isRetryableFailure,
  type LocalFile,
  type Segment,
} from "../handler.ts";
import { toOcrFacts } from "../ocr/describe-ocr.ts";
import { getPool } from "../pool/pools.ts";
import { describePdf, type PdfFacts } from "./describe-pdf.ts";

export const pdf: Handler<PdfFacts> = {
  name: "pdf",
  version: 9,
  runs: "child",
  readsPictures: true,
  canHandle: (kind) => kind === "pdf",
  describe: describePdf,

  async *extract(file, options, signal) {
    const items = readItems(file, options, signal);
    if (options.mode !== "markdown") return yield* items;
    const { markPages } = await import("./page-marks.ts");
    yield* markPages(items);
  },
};

/** The pages from PDFium, and from pdf.js or OCR where PDFium cannot read them. */
async function* readItems(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<PdfFacts>> {
  const second = secondReader(file, options, signal);
  const scans = await openScans(file, options, signal);
  if (options.ocr !== undefined) yield { info: toOcrFacts(options.ocr) };
  try {
    for (let [from, losses] = [options.from, 0]; ; losses++) {
      const { next, pageCount, verdict } = yield* read(from, losses > 0);
      if (verdict === undefined) return;
      const { reason } = verdict.failed;
      if (reason === "corrupt" && pageCount === undefined) return yield* readRepaired(verdict, file, options, signal);
      if (reason !== "corrupt" || next >= (pageCount ?? 0) || losses === MAX_LOST_PAGES) return yield verdict;
      yield await second.readLost(next);
      from = next + 1;
    }
  } finally {
    await second.close();
  }

  /** Reads pages until PDFium is finished or crashes. */
  async function* read(from: number, isAfterCrash: boolean): AsyncGenerator<ExtractItem, Outcome> {
    let [next, pageCount]: [number, number | undefined] = [from, undefined];
    const job = { engine: "pdfium", file, options: { ...options, from, isAfterCrash } };
    for await (const piece of getPool("parse", options.limits).run(job, signal)) {
      if ("failed" in piece) return { next, pageCount, verdict: piece };
      if ("info" in piece) pageCount = piece.info.pageCount;
      if (scans && isPicture(piece)) {
        const hasMore = yield* scans.read(piece, pageCount ?? 0);
        if (!hasMore) break;
      } else {
        yield "segment" in piece ? await second.improve(piece) : piece;
      }
      if ("segment" in piece) next = piece.segment.index + 1;
    }
    return { next, pageCount };
  }
}

/** Loaded only where OCR is on. */
async function openScans(file: LocalFile, options: HandlerOptions, signal: AbortSignal) {
  const { ocr } = options;
  if (ocr === undefined || "missingPackages" in ocr) return undefined;
  const { openScanReader } = await import("./recognize-scans.ts");
  return openScanReader(file, { ...options, ocr }, signal);
}

function isPicture(piece: ExtractItem): piece is Page {
  return "segment" in piece && piece.note?.verdict === "image";
}

type Page = Extract<ExtractItem, { readonly segment: Segment }>;
type FailedFile = Extract<ExtractItem, { readonly failed: unknown }>;

/** How far PDFium got. Without a page count it could not open the file. */
type Outcome = { readonly next: number; readonly pageCount: number | undefined; readonly verdict?: FailedFile };

/** Pages that may crash PDFium, each in a new child, before the rest of a document is given up. */
const MAX_LOST_PAGES = 10;

/** pdf.js repairs some files that PDFium cannot open. If it cannot either, PDFium's verdict holds. */
async function* readRepaired(
  verdict: FailedFile,
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<PdfFacts>> {
  for await (const piece of getPool("second", options.limits).run({ engine: "pdfjs", file, options }, signal)) {
    if ("info" in piece) yield { info: { ...piece.info, rescued: true } };
    else if ("segment" in piece) yield piece;
    else if ("failed" in piece)
      yield isRetryableFailure(piece.failed) || piece.failed.reason === "encrypted" ? piece : verdict;
  }
}

/** Well-read pages in a row after which the second reader is closed, because others may wait for it. */
const MAX_IDLE_PAGES = 8;

/** Reads pages with guessed characters again. It stays open between nearby pages, because opening a document costs most. */
function secondReader(file: LocalFile, options: HandlerOptions, signal: AbortSignal) {
  let reading: AsyncGenerator<ExtractItem> | undefined;
  let next = -1;

  async function close(): Promise<void> {
    await reading?.return(undefined);
    [reading, next] = [undefined, -1];
  }

  /** The page as pdf.js reads it, skipping the pages since the last one. */
  async function read(index: number): Promise<string | undefined> {
    const job = { engine: "pdfjs", file, options: { ...options, from: index } };
    reading ??= getPool("second", options.limits).run(job, signal);
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
    async readLost(index: number): Promise<Page> {
      const text = (await read(index)) ?? "";
      const segment = { index, kind: "page", label: `page ${index + 1}`, text, marks: [] } as const;
      return { segment, note: { verdict: text === "" ? "damaged" : "read" } };
    },

    async improve(page: Page): Promise<Page> {
      const { segment, note } = page;
      if (note?.verdict !== "garbled") {
        if (segment.index - next >= MAX_IDLE_PAGES) await close();
        return page;
      }
      const secondText = await read(segment.index);
      if (secondText === undefined) return page;
      // Few documents need them.
      const [{ compareReadings }, { placeMarks }] = await Promise.all([
        import("./compare-readings.ts"),
        import("./outline-marks.ts"),
      ]);
      const { unknown, ...rest } = note;
      const { text, isGuesswork } = compareReadings(segment.text, secondText, unknown);
      const marks = placeMarks(segment.marks, text);
      return { segment: { ...segment, text, marks }, note: { ...rest, verdict: isGuesswork ? "garbled" : "read" } };
    },
  };
}
