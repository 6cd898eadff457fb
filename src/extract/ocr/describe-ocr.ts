/** What answers say about text in pictures: that it is guesswork, or how OCR is switched on. */
import type { MissingOcr, OcrOptions } from "../handler.ts";
import { formatPages, type NumberRange } from "../number-range.ts";

/** Facts of a document that was read with OCR on. */
export type OcrFacts = {
  readonly ocr: Pick<OcrOptions, "languages"> | MissingOcr;
};

/** The fact to store; none where OCR is off. */
export function toOcrFacts(ocr: OcrOptions | MissingOcr | undefined): Partial<OcrFacts> {
  if (ocr === undefined) return {};
  return { ocr: "missingPackages" in ocr ? ocr : { languages: ocr.languages } };
}

/** The engine of tesseract.js alone, without its part that downloads. */
export const ENGINE_PACKAGE = "tesseract.js-core";

/** The package with the data of a language. */
export const nameDataPackage = (language: string): string => `@tesseract.js-data/${language}`;

/** How the text of pictures can be read; nothing where OCR has tried. Brief where few pages are pictures. */
export function hintForOcr(ocr: OcrFacts["ocr"] | undefined, isBrief = false): string[] {
  if (ocr === undefined) {
    if (isBrief) return ["OCR is off (setting ocr.languages)."];
    return [
      `Text in pictures is not read, because OCR is off. To switch it on, run npm install -g ${ENGINE_PACKAGE} ${nameDataPackage("eng")} ` +
        "and set ocr.languages=eng (SPILLWAY_OCR_LANGUAGES=eng).",
    ];
  }
  if (!("missingPackages" in ocr)) return [];
  const packages = ocr.missingPackages.join(" ");
  return [
    `OCR is on, but packages are missing: run npm install -g ${packages}, or install them in the folder that the setting ocr.packages names.`,
  ];
}

/** Says that recognised text is guesswork; `ranges` are pages. */
export function recognizedWarning(ranges: readonly NumberRange[]): string {
  const { isOne, words } = formatPages(ranges);
  return `The text of ${words} is OCR guesswork: it was recognised from ${isOne ? "a picture" : "pictures"}, so words and numbers may be wrong.`;
}
