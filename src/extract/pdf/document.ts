/** Opens PDF documents with PDFium: page count, facts, outline, and text page by page. */
import { type OutlineItem, readOutline } from "./outline.ts";
import { type PageText, readPage } from "./page.ts";
import { guarded, isBroken, loadPdfium, type Pdfium, type Pointer, readText, withName } from "./pdfium.ts";

export type PdfFailure = { readonly reason: "corrupt" | "encrypted" | "too_large"; readonly detail: string };

export type PdfInfo = {
  readonly title: string | null;
  readonly author: string | null;
  /** Of the whole document, as the file states it: `en-GB`. */
  readonly language: string | null;
};

/** An open document. It holds the file in the engine's memory until it is closed. */
export interface PdfDocument {
  readonly pageCount: number;
  readonly info: PdfInfo;
  readonly outline: readonly OutlineItem[];
  /** The text of a page, counted from 0; throws a RangeError for a page that is not there. */
  pageText(index: number): PageText;
  close(): void;
}

export type OpenedPdf = { readonly document: PdfDocument } | { readonly failed: PdfFailure };

/** Opens a PDF. The bytes are copied, so the caller may drop them. A bad file is an answer, a bug of ours throws. */
export async function openPdf(bytes: Uint8Array, options: { readonly password?: string } = {}): Promise<OpenedPdf> {
  const pdfium = await loadPdfium();
  return guarded(pdfium, () => open(pdfium, bytes, options.password ?? ""));
}

function open(pdfium: Pdfium, bytes: Uint8Array, password: string): OpenedPdf {
  const { call } = pdfium;
  const file = call.malloc(Math.max(bytes.length, 1));
  if (file === 0) return { failed: { reason: "too_large", detail: `${bytes.length} bytes do not fit in memory` } };
  new Uint8Array(pdfium.memory(), file, bytes.length).set(bytes);
  const handle = withName(pdfium, password, (at) => call.FPDF_LoadMemDocument(file, bytes.length, at)) ?? 0;
  if (handle !== 0) return { document: openDocument(pdfium, handle, file) };
  const failed = failureOf(call.FPDF_GetLastError(), password);
  call.free(file);
  return { failed };
}

/** Numbers of FPDF_GetLastError. */
const passwordError = 4;
const securityError = 5;

function failureOf(error: number, password: string): PdfFailure {
  if (error === passwordError) {
    return { reason: "encrypted", detail: password === "" ? "password required" : "wrong password" };
  }
  if (error === securityError) return { reason: "encrypted", detail: "unsupported encryption" };
  return { reason: "corrupt", detail: "not a readable PDF" };
}

function openDocument(pdfium: Pdfium, handle: Pointer, file: Pointer): PdfDocument {
  const pageCount = Math.max(0, pdfium.call.FPDF_GetPageCount(handle));
  let closed = false;
  return {
    pageCount,
    get info() {
      return guarded(pdfium, () => readInfo(pdfium, handle));
    },
    get outline() {
      return guarded(pdfium, () => readOutline(pdfium, handle));
    },
    pageText(index) {
      if (closed || !Number.isInteger(index) || index < 0 || index >= pageCount) {
        throw new RangeError(`There is no page ${index} of ${pageCount} in this document, or it is closed.`);
      }
      return guarded(pdfium, () => readPage(pdfium, handle, index));
    },
    close() {
      if (closed || isBroken(pdfium)) return;
      closed = true;
      guarded(pdfium, () => {
        pdfium.call.FPDF_CloseDocument(handle);
        pdfium.call.free(file);
      });
    },
  };
}

function readInfo(pdfium: Pdfium, handle: Pointer): PdfInfo {
  const { call } = pdfium;
  const entry = (key: string): string | null =>
    withName(pdfium, key, (name) =>
      oneLine(readText(pdfium, (at, size) => call.FPDF_GetMetaText(handle, name, at, size))),
    );
  const language = readText(pdfium, (at, size) => call.FPDFCatalog_GetLanguage(handle, at, size));
  return { title: entry("Title"), author: entry("Author"), language: oneLine(language) };
}

function oneLine(text: string): string | null {
  return text.replace(/\s+/g, " ").trim() || null;
}
