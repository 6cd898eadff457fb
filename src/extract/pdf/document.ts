/** Opens PDF documents with PDFium: page count, metadata, outline, and the text of each page. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type OutlineItem, readOutline } from "./outline.ts";
import { guardEngine, isBroken, loadPdfium, type Pdfium, type Pointer, readPdfString, withName } from "./pdfium.ts";
import { type PageText, readPage, type WantedPage } from "./read-page.ts";
import { type RebuiltPdf, rebuildPdf } from "./rebuild/rebuild-pdf.ts";
import { renderPage } from "./render-page.ts";

/** Why a document cannot be opened. */
type PdfFailure = { readonly reason: "corrupt" | "encrypted" | "too_large"; readonly detail: string };

/** What the document says about itself. */
type PdfInfo = {
  readonly title: string | null;
  readonly author: string | null;
  /** Of the whole document, as the file states it: `en-GB`. */
  readonly language: string | null;
};

/** The bookmarks that lead to the page, and whether the pages before it must not be read. */
type MarkdownOptions = Required<Pick<WantedPage, "bookmarks">> & Pick<WantedPage, "isFirst">;

/** An open document. The file stays in the engine's memory until it is closed. */
export interface PdfDocument {
  readonly pageCount: number;
  readonly info: PdfInfo;
  /** Set if the end of the file is missing or damaged, so that its pages had to be searched for. */
  readonly rebuilt?: Pick<RebuiltPdf, "hasPageList" | "pagesWithoutFonts">;
  readonly outline: readonly OutlineItem[];
  /** The text of a page, counted from 0. Throws a RangeError if there is no such page. */
  readPageText(index: number): PageText;
  /** The same as Markdown, without running headers and footers that the pages before it have. */
  readPageMarkdown(index: number, options: MarkdownOptions): PageText;
  /** The page as a picture in shades of grey (PNM); null if it cannot be drawn. */
  renderPage(index: number): Uint8Array | null;
  close(): void;
}

/** An open document, or why it cannot be opened. */
type OpenedPdf = { readonly document: PdfDocument } | { readonly failed: PdfFailure };

/** The bytes of a file, or its path. A path is read directly into the engine's memory, without another copy. */
type PdfSource = Uint8Array | { readonly path: string };

/** Opens a PDF and copies its bytes. A bad file is reported as `failed`; a crash of the engine throws. */
export async function openPdf(source: PdfSource, options: { readonly password?: string } = {}): Promise<OpenedPdf> {
  const pdfium = await loadPdfium();
  return guardEngine(pdfium, () => openSource(pdfium, source, options.password ?? ""));
}

function openSource(pdfium: Pdfium, source: PdfSource, password: string): OpenedPdf {
  const file = source instanceof Uint8Array ? copyBytes(pdfium, source) : readFile(pdfium, source.path);
  if (file === null) return { failed: { reason: "too_large", detail: "the file does not fit in memory" } };
  const opened = openFile(pdfium, file, password);
  const needsRebuilding = "failed" in opened ? opened.failed.reason === "corrupt" : !hasEnd(pdfium, file);
  const rebuilt = needsRebuilding ? openRebuilt(pdfium, file, password) : undefined;
  if (rebuilt !== undefined && "document" in opened) opened.document.close();
  else if ("failed" in opened) pdfium.call.free(file.pointer);
  return rebuilt ?? opened;
}

/** A file in the engine's memory. */
type LoadedFile = { readonly pointer: Pointer; readonly sizeBytes: number };

/** The memory of the file belongs to the document, if it can be opened. */
function openFile(pdfium: Pdfium, file: LoadedFile, password: string, rebuilt?: RebuiltPdf): OpenedPdf {
  const { call } = pdfium;
  const handle =
    withName(pdfium, password, (pointer) => call.FPDF_LoadMemDocument(file.pointer, file.sizeBytes, pointer)) ?? 0;
  if (handle === 0) return { failed: toFailure(call.FPDF_GetLastError(), password) };
  return { document: openDocument(pdfium, handle, file.pointer, rebuilt) };
}

/** Readers look for the place of the cross-reference table in this part of a file. */
const END_BYTES = 4_096;
/** Readers accept this much before the header. */
const START_BYTES = 1_024;

function hasEnd(pdfium: Pdfium, file: LoadedFile): boolean {
  return viewFile(pdfium, file).subarray(-END_BYTES).includes("startxref");
}

/** Opens the file with a new list of its objects; undefined if that does not help. */
function openRebuilt(pdfium: Pdfium, file: LoadedFile, password: string): OpenedPdf | undefined {
  const start = viewFile(pdfium, file).subarray(0, START_BYTES).indexOf("%PDF-");
  const rebuilt = start === -1 ? undefined : rebuildPdf(viewFile(pdfium, file).subarray(start));
  const longer = rebuilt && appendBytes(pdfium, file, rebuilt.tail);
  if (!longer) return undefined;
  const opened = openFile(pdfium, longer, password, rebuilt);
  if ("document" in opened && opened.document.pageCount > 0) return opened;
  if ("document" in opened) opened.document.close();
  else pdfium.call.free(longer.pointer);
  return "failed" in opened && opened.failed.reason === "encrypted" ? opened : undefined;
}

function viewFile(pdfium: Pdfium, { pointer, sizeBytes }: LoadedFile): Buffer {
  return Buffer.from(pdfium.memory(), pointer, sizeBytes);
}

function appendBytes(pdfium: Pdfium, file: LoadedFile, tail: Uint8Array): LoadedFile | null {
  const sizeBytes = file.sizeBytes + tail.length;
  const pointer = pdfium.call.malloc(sizeBytes + 1);
  if (pointer === 0) return null;
  const longer = { pointer, sizeBytes };
  viewFile(pdfium, longer).set(viewFile(pdfium, file));
  viewFile(pdfium, longer).set(tail, file.sizeBytes);
  return longer;
}

function copyBytes(pdfium: Pdfium, bytes: Uint8Array): LoadedFile | null {
  const pointer = pdfium.call.malloc(bytes.length + 1);
  if (pointer === 0) return null;
  new Uint8Array(pdfium.memory(), pointer, bytes.length).set(bytes);
  return { pointer, sizeBytes: bytes.length };
}

function readFile(pdfium: Pdfium, path: string): LoadedFile | null {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const pointer = pdfium.call.malloc(size + 1);
    if (pointer === 0) return null;
    return { pointer, sizeBytes: fillFromFile(descriptor, new Uint8Array(pdfium.memory(), pointer, size)) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads until the target is full or the file ends. One call reads at most 2 GiB, and may read less. */
function fillFromFile(descriptor: number, target: Uint8Array): number {
  let filledBytes = 0;
  for (;;) {
    const readBytes = readSync(descriptor, target, filledBytes, target.length - filledBytes, filledBytes);
    filledBytes += readBytes;
    if (readBytes === 0 || filledBytes === target.length) return filledBytes;
  }
}

/** Error numbers of FPDF_GetLastError. */
const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;

function toFailure(error: number, password: string): PdfFailure {
  if (error === PASSWORD_ERROR) {
    return { reason: "encrypted", detail: password === "" ? "password required" : "wrong password" };
  }
  if (error === SECURITY_ERROR) return { reason: "encrypted", detail: "unsupported encryption" };
  return { reason: "corrupt", detail: "not a readable PDF" };
}

function openDocument(pdfium: Pdfium, handle: Pointer, file: Pointer, rebuilt?: RebuiltPdf): PdfDocument {
  const pageCount = Math.max(0, pdfium.call.FPDF_GetPageCount(handle));
  const memory = { objectCounts: new Map(), recentLines: new Map() };
  let isClosed = false;
  const withPage = <T>(index: number, use: () => T): T => {
    if (isClosed || !Number.isInteger(index) || index < 0 || index >= pageCount) {
      throw new RangeError(`There is no page ${index} of ${pageCount} in this document, or it is closed.`);
    }
    return guardEngine(pdfium, use);
  };
  const read = (page: WantedPage): PageText => withPage(page.index, () => readPage(pdfium, handle, page, memory));
  return {
    pageCount,
    ...(rebuilt && { rebuilt: { hasPageList: rebuilt.hasPageList, pagesWithoutFonts: rebuilt.pagesWithoutFonts } }),
    get info() {
      return guardEngine(pdfium, () => readInfo(pdfium, handle));
    },
    get outline() {
      return guardEngine(pdfium, () => readOutline(pdfium, handle));
    },
    readPageText: (index) => read({ index }),
    readPageMarkdown: (index, options) => read({ index, ...options }),
    renderPage: (index) => withPage(index, () => renderPage(pdfium, handle, index)),
    close() {
      if (isClosed || isBroken(pdfium)) return;
      isClosed = true;
      guardEngine(pdfium, () => {
        pdfium.call.FPDF_CloseDocument(handle);
        pdfium.call.free(file);
      });
    },
  };
}

function readInfo(pdfium: Pdfium, handle: Pointer): PdfInfo {
  const { call } = pdfium;
  const readEntry = (key: string): string | null =>
    withName(pdfium, key, (name) =>
      toOneLine(readPdfString(pdfium, (pointer, size) => call.FPDF_GetMetaText(handle, name, pointer, size))),
    );
  const language = readPdfString(pdfium, (pointer, size) => call.FPDFCatalog_GetLanguage(handle, pointer, size));
  return { title: readEntry("Title"), author: readEntry("Author"), language: toOneLine(language) };
}

function toOneLine(text: string): string | null {
  return text.replace(/\s+/g, " ").trim() || null;
}
