/** Says whether text in pictures is recognised (OCR), and what is missing for it. */
import { SpillwayError } from "../../../errors.ts";
import { hintForOcr } from "../../../extract/ocr/describe-ocr.ts";
import { findOcr, type OcrSettings } from "../../../extract/ocr/ocr-options.ts";
import type { Check } from "./check.ts";

/** OCR that is off is not a fault; packages that the settings need and that are not there are one. */
export function checkOcr(settings: OcrSettings): Check {
  const name = "OCR";
  try {
    const ocr = findOcr(settings, { readsPictures: true });
    if (ocr !== undefined && !("missingPackages" in ocr))
      return { name, ok: true, detail: `on for ${ocr.languages.join(", ")}; its packages are installed` };
    return { name, ok: ocr === undefined, detail: hintForOcr(ocr).join(" ") };
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return { name, ok: false, detail: error.advice };
  }
}
