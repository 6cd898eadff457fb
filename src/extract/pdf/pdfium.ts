/** PDFium in WebAssembly: loads the engine, and lends its memory and its text without leaking either. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** A handle or address inside the engine; 0 is none. */
export type Pointer = number;

/**
 * The calls we use. They are the raw exports of the module: the package's own wrappers check every call, which costs
 * more than the call where there is one for each character. Parameters and results are numbers; see fpdfview.h,
 * fpdf_text.h, fpdf_annot.h and fpdf_doc.h of PDFium for their meaning.
 */
type Calls = { readonly [K in CallName]: (...parameters: number[]) => number };
type CallName =
  | "malloc"
  | "free"
  | "PDFiumExt_Init"
  | "FPDF_LoadMemDocument"
  | "FPDF_CloseDocument"
  | "FPDF_GetLastError"
  | "FPDF_GetPageCount"
  | "FPDF_GetMetaText"
  | "FPDFCatalog_GetLanguage"
  | "FPDFBookmark_GetFirstChild"
  | "FPDFBookmark_GetNextSibling"
  | "FPDFBookmark_GetTitle"
  | "FPDFBookmark_GetDest"
  | "FPDFBookmark_GetAction"
  | "FPDFAction_GetDest"
  | "FPDFDest_GetDestPageIndex"
  | "FPDF_LoadPage"
  | "FPDF_ClosePage"
  | "FPDF_GetPageBoundingBox"
  | "FPDFPage_GetRotation"
  | "FPDFPage_CountObjects"
  | "FPDFPage_GetObject"
  | "FPDFPageObj_GetType"
  | "FPDFPageObj_GetBounds"
  | "FPDFFormObj_CountObjects"
  | "FPDFFormObj_GetObject"
  | "FPDFPage_Flatten"
  | "FPDFPage_GetAnnotCount"
  | "FPDFPage_GetAnnot"
  | "FPDFPage_CloseAnnot"
  | "FPDFAnnot_GetSubtype"
  | "FPDFAnnot_GetFlags"
  | "FPDFAnnot_SetFlags"
  | "EPDFAnnot_HasAppearanceStream"
  | "EPDFAnnot_GenerateAppearance"
  | "EPDFAnnot_GenerateFormFieldAP"
  | "FPDFText_LoadPage"
  | "FPDFText_ClosePage"
  | "FPDFText_CountChars"
  | "FPDFText_GetUnicode"
  | "FPDFText_IsHyphen"
  | "FPDFText_GetCharBox"
  | "FPDFText_GetLooseCharBox"
  | "FPDFText_GetCharAngle"
  | "FPDFText_GetFontSize"
  | "FPDFText_HasUnicodeMapError"
  | "FPDFText_GetTextObject"
  | "FPDFTextObj_GetTextRenderMode";

/** One running engine. */
export type Pdfium = {
  readonly call: Calls;
  /** The engine's memory as it is now. Do not keep it: it is replaced when the memory grows. */
  memory(): ArrayBuffer;
};

/** The engine, started on first use and shared by all documents of this process. */
export function loadPdfium(): Promise<Pdfium> {
  engine ??= start();
  return engine;
}

let engine: Promise<Pdfium> | undefined;
const broken = new WeakSet<Pdfium>();

/** Uses the engine. After a trap its memory may be in any state, so it is given up and the next document gets a new one. */
export function guarded<T>(pdfium: Pdfium, use: () => T): T {
  if (isBroken(pdfium)) throw new Error("The PDF engine broke down on this document.");
  try {
    return use();
  } catch (error) {
    if (isTrap(error)) {
      broken.add(pdfium);
      engine = undefined;
    }
    throw error;
  }
}

/** Traps and aborts of the module are RuntimeErrors; a stack used up inside it is a RangeError. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && (error.name === "RuntimeError" || error instanceof RangeError);
}

/** True once the engine was given up; there is nothing left to free. */
export function isBroken(pdfium: Pdfium): boolean {
  return broken.has(pdfium);
}

/**
 * V8 optimises a WebAssembly function after this many bytes of it ran; its usual 13 million cost the first page a
 * fifth of its CPU time for functions that are then hardly used, and many pages are read no faster with it.
 */
const tieringBudget = 50_000_000;

async function start(): Promise<Pdfium> {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const { init } = await import("@embedpdf/pdfium");
  const path = fileURLToPath(import.meta.resolve("@embedpdf/pdfium/pdfium.wasm"));
  const { buffer } = new Uint8Array(readFileSync(path));
  const { pdfium } = await init({ wasmBinary: buffer, print: ignore, printErr: ignore });
  const exports = pdfium.wasmExports as unknown as Calls & { readonly memory: { readonly buffer: ArrayBuffer } };
  exports.PDFiumExt_Init();
  return { call: exports, memory: () => exports.memory.buffer };
}

/** What PDFium prints about damaged files would mix with the output of the process that reads them. */
function ignore(): void {}

/** Lends memory for the time of one use; null where there is none left. */
export function withMemory<T>({ call }: Pdfium, sizeBytes: number, use: (at: Pointer) => T): T | null {
  const at = call.malloc(sizeBytes);
  if (at === 0) return null;
  try {
    return use(at);
  } finally {
    call.free(at);
  }
}

/** A title of more than this is no title; it is cut. */
const longestTextBytes = 8_192;

/** Text that PDFium writes as UTF-16 into a buffer, answering how many bytes it has in all, the final NUL included. */
export function readText(pdfium: Pdfium, write: (at: Pointer, sizeBytes: number) => number): string {
  const sizeBytes = write(0, 0);
  if (sizeBytes <= 2) return "";
  const text = withMemory(pdfium, sizeBytes, (at) => {
    write(at, sizeBytes);
    return utf16.decode(new Uint8Array(pdfium.memory(), at, Math.min(sizeBytes, longestTextBytes) & ~1));
  });
  return (text ?? "").split("\0", 1)[0] ?? "";
}

const utf16 = new TextDecoder("utf-16le");

/** Lends a name as the NUL-terminated bytes PDFium takes. */
export function withName<T>(pdfium: Pdfium, name: string, use: (at: Pointer) => T): T | null {
  const bytes = new TextEncoder().encode(`${name}\0`);
  return withMemory(pdfium, bytes.length, (at) => {
    new Uint8Array(pdfium.memory(), at, bytes.length).set(bytes);
    return use(at);
  });
}
