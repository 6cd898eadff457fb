/** Decides whether text in pictures is recognised (OCR): the settings switch it on, and its packages must be installed. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { Handler, MissingOcr, OcrOptions } from "../handler.ts";
import { ENGINE_PACKAGE, nameDataPackage } from "./describe-ocr.ts";

/** The settings of OCR. */
export type OcrSettings = Pick<Settings, "ocr.languages" | "ocr.packages" | "ocr.page_cpu" | "ocr.time">;

/** Node has had the vector instructions of this build since version 16. */
const ENGINE_MODULE = `${ENGINE_PACKAGE}/tesseract-core-simd-lstm.js`;

/** For handlers that read pictures; undefined where OCR is off. */
export function findOcr(
  settings: OcrSettings,
  { readsPictures }: Pick<Handler, "readsPictures">,
): OcrOptions | MissingOcr | undefined {
  const languages = settings["ocr.languages"];
  if (languages.length === 0 || !readsPictures) return undefined;
  for (const language of languages) assertLanguage(language);
  const folder = settings["ocr.packages"];
  const { resolve } = createRequire(folder === null ? import.meta.url : join(folder, "package.json"));
  const enginePath = findModule(resolve, ENGINE_MODULE);
  const data = languages.map((language) => findModule(resolve, dataModule(language)));
  const missingPackages = [
    ...(enginePath === undefined ? [ENGINE_PACKAGE] : []),
    ...languages.filter((_, index) => data[index] === undefined).map(nameDataPackage),
  ];
  if (enginePath === undefined || missingPackages.length > 0) return { missingPackages };
  return {
    languages,
    enginePath,
    dataPaths: data.filter((path) => path !== undefined),
    pageCpuMs: settings["ocr.page_cpu"],
    callMs: settings["ocr.time"],
  };
}

const dataModule = (language: string): string =>
  `${nameDataPackage(language)}/4.0.0_best_int/${language}.traineddata.gz`;

function findModule(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  try {
    return resolve(name);
  } catch {
    // It is not installed, which the answer says.
    return undefined;
  }
}

/** The name becomes a part of a path. */
function assertLanguage(language: string): void {
  if (/^[a-z]{3}(_[a-z]{2,8}){0,2}$/i.test(language)) return;
  throw new SpillwayError("config_invalid", `ocr.languages: ${JSON.stringify(clip(language))} is not a language.`, {
    hint: "Use the names of Tesseract's data, such as eng, deu, fra or chi_sim.",
  });
}
