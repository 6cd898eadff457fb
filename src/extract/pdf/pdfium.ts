/** PDFium in WebAssembly: loads the engine, and gives safe access to its memory and strings. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** A handle or address inside the engine; 0 is none. */
export type Pointer = number;

/**
 * The calls we use. They are the raw exports of the module: the package's wrappers check every call, which costs more
 * than the call itself if there is one per character. Parameters and results are numbers; see fpdfview.h,
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
  | "FPDF_GetPageSizeByIndexF"
  | "FPDF_RenderPageBitmap"
  | "FPDFBitmap_CreateEx"
  | "FPDFBitmap_FillRect"
  | "FPDFBitmap_GetBuffer"
  | "FPDFBitmap_GetStride"
  | "FPDFBitmap_Destroy"
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
  | "FPDFAnnot_GetStringValue"
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
  | "FPDFText_GetMatrix"
  | "FPDFText_HasUnicodeMapError"
  | "FPDFText_GetTextObject"
  | "FPDFTextObj_GetTextRenderMode"
  | "FPDFTextObj_GetFont"
  | "FPDFFont_GetBaseFontName"
  | "FPDFFont_GetFlags"
  | "FPDFPageObj_GetMarkedContentID"
  | "FPDFPageObj_GetMatrix"
  | "FPDFPath_GetDrawMode"
  | "FPDFPath_CountSegments"
  | "FPDFPath_GetPathSegment"
  | "FPDFPathSegment_GetType"
  | "FPDFPathSegment_GetPoint"
  | "FPDF_StructTree_GetForPage"
  | "FPDF_StructTree_Close"
  | "FPDF_StructTree_CountChildren"
  | "FPDF_StructTree_GetChildAtIndex"
  | "FPDF_StructElement_GetType"
  | "FPDF_StructElement_CountChildren"
  | "FPDF_StructElement_GetChildAtIndex"
  | "FPDF_StructElement_GetChildMarkedContentID";

/** One running engine. */
export type Pdfium = {
  readonly call: Calls;
  /** A small buffer for one call. */
  readonly scratch: Pointer;
  /** The engine's current memory. Do not store it: it is replaced when the memory grows. */
  memory(): ArrayBuffer;
};

/** The engine, started on first use and shared by all documents of this process. */
export function loadPdfium(): Promise<Pdfium> {
  engine ??= startEngine();
  return engine;
}

let engine: Promise<Pdfium> | undefined;
const brokenEngines = new WeakSet<Pdfium>();

/** Runs a call of the engine. After a trap its memory may be corrupt, so the next document gets a new engine. */
export function guardEngine<T>(pdfium: Pdfium, use: () => T): T {
  if (isBroken(pdfium)) throw new Error("The PDF engine crashed on this document.");
  try {
    return use();
  } catch (error) {
    if (isTrap(error)) {
      brokenEngines.add(pdfium);
      engine = undefined;
    }
    throw error;
  }
}

/** Gives up the engine and its memory, which never shrinks. All its documents must be closed. */
export function releasePdfium(): void {
  engine = undefined;
}

/** Traps and aborts of the module are RuntimeErrors; a stack overflow inside it is a RangeError. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && (error.name === "RuntimeError" || error instanceof RangeError);
}

/** Whether the engine was abandoned, so that nothing needs to be freed. */
export function isBroken(pdfium: Pdfium): boolean {
  return brokenEngines.has(pdfium);
}

/**
 * V8 optimises a WebAssembly function after this many bytes of it ran. With the default of 13 million, a fifth of the
 * first page's CPU time goes into functions that are hardly used later, and many pages are not read faster.
 */
const TIERING_BUDGET_BYTES = 50_000_000;

async function startEngine(): Promise<Pdfium> {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`);
  const { init } = await import("@embedpdf/pdfium");
  const path = fileURLToPath(import.meta.resolve("@embedpdf/pdfium/pdfium.wasm"));
  const { buffer } = new Uint8Array(readFileSync(path));
  const { pdfium } = await init({ wasmBinary: buffer, print: ignore, printErr: ignore });
  const exports = pdfium.wasmExports as unknown as Calls & { readonly memory: { readonly buffer: ArrayBuffer } };
  exports.PDFiumExt_Init();
  return { call: exports, scratch: exports.malloc(SCRATCH_BYTES), memory: () => exports.memory.buffer };
}

/** Most names and titles are shorter. */
const SCRATCH_BYTES = 256;

/** PDFium's messages about damaged files must not mix with the output of the process. */
function ignore(): void {}

/** Allocates memory for the duration of one call; returns null if there is none. */
export function withMemory<T>({ call }: Pdfium, sizeBytes: number, use: (pointer: Pointer) => T): T | null {
  const pointer = call.malloc(sizeBytes);
  if (pointer === 0) return null;
  try {
    return use(pointer);
  } finally {
    call.free(pointer);
  }
}

/** Longer titles are cut. */
const MAX_TEXT_BYTES = 8_192;

/** Reads text that PDFium writes to a buffer as UTF-16; `write` returns its size in bytes, with the final NUL. */
export function readPdfString(pdfium: Pdfium, write: (pointer: Pointer, sizeBytes: number) => number): string {
  const sizeBytes = write(pdfium.scratch, SCRATCH_BYTES);
  if (sizeBytes <= 2) return "";
  if (sizeBytes <= SCRATCH_BYTES) return readShortString(pdfium, sizeBytes);
  const text = withMemory(pdfium, sizeBytes, (pointer) => {
    write(pointer, sizeBytes);
    return utf16.decode(new Uint8Array(pdfium.memory(), pointer, Math.min(sizeBytes, MAX_TEXT_BYTES) & ~1));
  });
  return (text ?? "").split("\0", 1)[0] ?? "";
}

const utf16 = new TextDecoder("utf-16le");

/** Names of tags are short and many; a decoder costs more than they do. */
function readShortString(pdfium: Pdfium, sizeBytes: number): string {
  const units = new Uint16Array(pdfium.memory(), pdfium.scratch, sizeBytes >> 1);
  const end = units.indexOf(0);
  return String.fromCharCode(...units.subarray(0, end === -1 ? undefined : end)).toWellFormed();
}

/** Allocates a name as NUL-terminated bytes for the duration of one call. */
export function withName<T>(pdfium: Pdfium, name: string, use: (pointer: Pointer) => T): T | null {
  const bytes = new TextEncoder().encode(`${name}\0`);
  return withMemory(pdfium, bytes.length, (pointer) => {
    new Uint8Array(pdfium.memory(), pointer, bytes.length).set(bytes);
    return use(pointer);
  });
}
