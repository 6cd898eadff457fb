/** Reads the scanned pages of a PDF by OCR. */
import type { ExtractItem, HandlerOptions, LocalFile, OcrOptions, Segment } from "../handler.ts";
import { createPageRecognizer, isPassingFailure, pauseBefore } from "../ocr/recognize-page.ts";

type Page = Extract<ExtractItem, { readonly segment: Segment }>;

/** Reads pages that are pictures. */
export type ScanReader = {
  /** Yields the page with its recognised text. Returns false if the document must not be read on in this call. */
  read(page: Page, pageCount: number): AsyncGenerator<ExtractItem, boolean>;
};

export function openScanReader(
  file: LocalFile,
  options: HandlerOptions & { readonly ocr: OcrOptions },
  signal: AbortSignal,
): ScanReader {
  const recognizer = createPageRecognizer("scan", file, options, signal);
  return {
    async *read(page, pageCount) {
      const number = page.segment.index + 1;
      if (recognizer.isTimeUp()) {
        yield pauseBefore(number, pageCount, options.ocr);
        return false;
      }
      yield { progress: `OCR: page ${number} of ${pageCount}` };
      const recognition = await recognizer.recognize(page.segment.index);
      if ("text" in recognition) {
        yield toRecognized(page, recognition.text);
        return true;
      }
      if (isPassingFailure(recognition.failed)) {
        yield { failed: recognition.failed };
        return false;
      }
      yield { ...page, note: { verdict: "image", counts: { ...page.note?.counts, unrecognized: 1 } } };
      return true;
    },
  };
}

/** A stamp on a scan is drawn too, so the longer of both texts has all of it. */
function toRecognized(page: Page, text: string): Page {
  if (text.length > page.segment.text.length)
    return { segment: { ...page.segment, text, marks: [] }, note: { ...page.note, verdict: "recognized" } };
  return { ...page, note: { ...page.note, verdict: page.segment.text === "" ? "image" : "read" } };
}
