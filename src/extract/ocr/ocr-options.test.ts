import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { defaultSettings, type Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { image } from "../image/image-handler.ts";
import { pdf } from "../pdf/pdf-handler.ts";
import { text } from "../text-handler.ts";
import { hintForOcr } from "./describe-ocr.ts";
import { findOcr } from "./ocr-options.ts";

const find = (settings: Partial<Settings>, handler = pdf) => findOcr({ ...defaultSettings, ...settings }, handler);

describe("OCR", () => {
  test("is off unless the settings name a language, and only for handlers of pictures", () => {
    assert.equal(find({}), undefined);
    assert.equal(find({ "ocr.languages": ["eng"] }, text), undefined);
    assert.match(
      hintForOcr(undefined)[0] ?? "",
      /npm install -g tesseract\.js-core @tesseract\.js-data\/eng and set ocr/,
    );
  });

  test("names the packages that are missing in the folder of the settings", async () => {
    await using folder = await makeTemporaryFolder();
    const settings = { "ocr.languages": ["eng", "chi_sim"], "ocr.packages": folder.path };
    const missing = find(settings, image);
    assert.deepEqual(missing, {
      missingPackages: ["tesseract.js-core", "@tesseract.js-data/eng", "@tesseract.js-data/chi_sim"],
    });
    assert.match(
      hintForOcr(missing && "missingPackages" in missing ? missing : undefined)[0] ?? "",
      /^OCR is on, but packages are missing: run npm install -g tesseract\.js-core /,
    );
  });

  test("uses the packages in the folder of the settings", async () => {
    await using folder = await makeTemporaryFolder();
    const data = join(folder.path, "node_modules/@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz");
    const engine = join(folder.path, "node_modules/tesseract.js-core/tesseract-core-simd-lstm.js");
    for (const path of [data, engine]) {
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, "");
    }
    const found = find({ "ocr.languages": ["eng"], "ocr.packages": folder.path });
    assert.deepEqual(found && "enginePath" in found ? [found.enginePath, found.dataPaths] : found, [engine, [data]]);
  });

  for (const language of ["../../etc", "e", "eng/../x", "", "eng+deu"]) {
    test(`rejects the language ${JSON.stringify(language)}`, () => {
      assert.throws(
        () => find({ "ocr.languages": [language] }),
        (error) =>
          error instanceof SpillwayError && error.code === "config_invalid" && /eng, deu/.test(error.hint ?? ""),
      );
    });
  }
});
