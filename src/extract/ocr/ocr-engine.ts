/** The OCR engine for images. */
import { readFile } from "node:fs/promises";
import type { Engine } from "../pool/child-loop.ts";
import { recognizePicture } from "./recognize-picture.ts";

/** Yields one segment, empty if no text is recognised. */
export const ocrEngine: Engine = {
  async *extract({ content }, { ocr }) {
    yield await recognizePicture("path" in content ? await readFile(content.path) : content.bytes, ocr);
  },
};
