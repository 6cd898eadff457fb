/**
 * Reads single pages with pdf.js, which knows more about fonts that do not say what their characters mean, and opens
 * some damaged files that PDFium refuses. It is slower than PDFium and needs several times its memory: run it in a
 * process of its own, and only where PDFium failed.
 */

/** A document opened for reading single pages. */
export interface FallbackDocument {
  readonly pageCount: number;
  /** The text of a page, counted from 0; which of two readings is better is the caller's to choose. */
  pageText(index: number): Promise<string>;
  close(): Promise<void>;
}

/** Opens a document, or rejects. Takes the bytes over where it can: they may be gone for the caller. */
export async function openWithPdfjs(bytes: Uint8Array, password?: string): Promise<FallbackDocument> {
  const { getDocumentProxy } = await import("unpdf");
  const options = { verbosity: 0, ...(password && { password }) };
  const document = await getDocumentProxy(plainBytes(bytes), options);
  return {
    pageCount: document.numPages,
    async pageText(index) {
      const page = await document.getPage(index + 1);
      try {
        const { items } = await page.getTextContent();
        return clean(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
      } finally {
        page.cleanup();
      }
    },
    close: () => document.loadingTask.destroy(),
  };
}

/** pdf.js takes no Buffer, and moves the memory under the bytes, which a small Buffer shares with others. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** pdf.js passes on the codes of characters it cannot name; they are no text. */
function clean(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g, "").trim();
}
