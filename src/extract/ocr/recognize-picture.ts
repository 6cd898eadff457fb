/** Turns what the engine recognises in one picture into a segment. */
import { cleanText } from "../clean.ts";
import type { ExtractItem, HandlerOptions } from "../handler.ts";
import { recognizeText } from "./tesseract.ts";

/** Below this the engine has most likely read letters into a photo or a drawing. */
const MIN_CONFIDENCE = 40;

/** A segment, empty if no text is recognised, or a failure. */
export async function recognizePicture(
  picture: Uint8Array,
  ocr: HandlerOptions["ocr"],
  index = 0,
): Promise<ExtractItem> {
  if (ocr === undefined || "missingPackages" in ocr) return { failed: { reason: "unavailable", detail: "" } };
  const recognized = await recognizeText(picture, ocr);
  if (recognized === undefined) return { failed: { reason: "corrupt", detail: "it cannot be decoded" } };
  const text = recognized.confidence < MIN_CONFIDENCE ? "" : cleanText(recognized.text).text.trim();
  return { segment: { index, kind: "page", label: `page ${index + 1}`, text, marks: [] } };
}
