/**
 * Reads single pages with pdf.js, which knows more about fonts that do not say what their characters mean. It is slower
 * than PDFium and needs several times its memory: run it in a process of its own, and only on garbled pages.
 */

/** A document opened for reading single pages. */
export interface FallbackDocument {
  /** The text of a page, counted from 0; which of two readings is better is the caller's to choose. */
  pageText(index: number): Promise<string>;
  close(): Promise<void>;
}

/** Opens a document that PDFium could open. Takes the bytes over: they are gone for the caller. */
export async function openWithPdfjs(bytes: Uint8Array, password?: string): Promise<FallbackDocument> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, {
    verbosity: 0,
    ...(password && { password }),
  });
  return {
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

/** pdf.js passes on the codes of characters it cannot name; they are no text. */
function clean(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g, "").trim();
}
