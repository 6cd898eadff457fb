/**
 * Reads single pages with pdf.js, which is better with fonts without a character map, and opens some damaged files that
 * PDFium rejects. It is slower than PDFium and needs several times its memory: run it in a separate process, and only
 * where PDFium failed.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A document opened for reading single pages. */
interface FallbackDocument {
  readonly pageCount: number;
  /** The text of a page, counted from 0. The caller decides whether it is better than PDFium's. */
  readPageText(index: number): Promise<string>;
  close(): Promise<void>;
}

/** Opens a document, or rejects. It may take over the bytes: the caller must not use them afterwards. */
export async function openWithPdfjs(bytes: Uint8Array, password?: string): Promise<FallbackDocument> {
  const { getDocumentProxy } = await import("unpdf");
  const cMapUrl = findCharacterMaps();
  const options = { verbosity: 0, ...(cMapUrl && { cMapUrl, cMapPacked: true }), ...(password && { password }) };
  const document = await getDocumentProxy(toPlainBytes(bytes), options);
  return {
    pageCount: document.numPages,
    async readPageText(index) {
      const page = await document.getPage(index + 1);
      try {
        const { items } = await page.getTextContent();
        return removeControls(
          items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""),
        );
      } finally {
        page.cleanup();
      }
    },
    close: () => document.loadingTask.destroy(),
  };
}

/**
 * The folder of the predefined character maps, which fonts of Chinese, Japanese and Korean text name. The published
 * package has a copy beside this module; in the repository they are part of a development dependency.
 */
function findCharacterMaps(): string | undefined {
  const copy = fileURLToPath(new URL("./cmaps/", import.meta.url));
  if (existsSync(copy)) return copy;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve("pdfjs-dist/package.json"))), "cmaps/");
  } catch {
    // Without them only such fonts are lost.
    return undefined;
  }
}

/** pdf.js accepts no Buffer, and transfers the underlying memory, which a small Buffer shares with others. */
function toPlainBytes(bytes: Uint8Array): Uint8Array {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** pdf.js returns the codes of characters it cannot map; they are not text. */
function removeControls(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g, "").trim();
}
