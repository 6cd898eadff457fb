/** Opens PDF documents with PDFium: page count, facts, outline, and text page by page. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type OutlineItem, readOutline } from "./outline.ts";
import { guarded, isBroken, loadPdfium, type Pdfium, type Pointer, readText, withName } from "./pdfium.ts";
import { type PageText, readPage } from "./read-page.ts";

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

/** The bytes of a file, or where they are: from a path they go into the engine's memory without a copy of ours. */
export type PdfSource = Uint8Array | { readonly path: string };

/** Opens a PDF. Bytes are copied, so the caller may drop them. A bad file is an answer; a breakdown of the engine throws. */
export async function openPdf(source: PdfSource, options: { readonly password?: string } = {}): Promise<OpenedPdf> {
  const pdfium = await loadPdfium();
  return guarded(pdfium, () => open(pdfium, source, options.password ?? ""));
}

function open(pdfium: Pdfium, source: PdfSource, password: string): OpenedPdf {
  const { call } = pdfium;
  const file = source instanceof Uint8Array ? copyBytes(pdfium, source) : readFile(pdfium, source.path);
  if (file === null) return { failed: { reason: "too_large", detail: "the file does not fit in memory" } };
  const handle = withName(pdfium, password, (at) => call.FPDF_LoadMemDocument(file.at, file.sizeBytes, at)) ?? 0;
  if (handle !== 0) return { document: openDocument(pdfium, handle, file.at) };
  const failed = failureOf(call.FPDF_GetLastError(), password);
  call.free(file.at);
  return { failed };
}

/** A file in the engine's memory. */
type Loaded = { readonly at: Pointer; readonly sizeBytes: number };

function copyBytes(pdfium: Pdfium, bytes: Uint8Array): Loaded | null {
  const at = pdfium.call.malloc(bytes.length + 1);
  if (at === 0) return null;
  new Uint8Array(pdfium.memory(), at, bytes.length).set(bytes);
  return { at, sizeBytes: bytes.length };
}

function readFile(pdfium: Pdfium, path: string): Loaded | null {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const at = pdfium.call.malloc(size + 1);
    if (at === 0) return null;
    return { at, sizeBytes: readInto(descriptor, new Uint8Array(pdfium.memory(), at, size)) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads until the target is full or the file ends; one call reads at most 2 GiB, and may read less. */
function readInto(descriptor: number, target: Uint8Array): number {
  let filled = 0;
  for (;;) {
    const read = readSync(descriptor, target, filled, target.length - filled, filled);
    filled += read;
    if (read === 0 || filled === target.length) return filled;
  }
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
  const own = new Map<number, number>();
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
      return guarded(pdfium, () => readPage(pdfium, handle, index, own));
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
