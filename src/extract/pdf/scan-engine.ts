/** The OCR engine for scanned pages: draws one page and recognises its text. */
import { recognizePicture } from "../ocr/recognize-picture.ts";
import type { Engine } from "../pool/child-loop.ts";
import { collectGarbage } from "../pool/collect-garbage.ts";
import { openPdf } from "./document.ts";
import { releasePdfium } from "./pdfium.ts";

/** Yields one segment: the page that `from` names, empty if no text is recognised. */
export const scanEngine: Engine = {
  async *extract({ content }, { from, password, ocr }) {
    const source = "path" in content ? content : content.bytes;
    const opened = await openPdf(source, password === undefined ? {} : { password });
    if ("failed" in opened) return yield { failed: opened.failed };
    const { document } = opened;
    const picture = document.renderPage(from);
    // Before recognition, which needs memory too.
    document.close();
    releasePdfium();
    collectGarbage();
    if (picture === null) yield { failed: { reason: "corrupt", detail: "it cannot be drawn" } };
    else yield await recognizePicture(picture, ocr, from);
  },
};
