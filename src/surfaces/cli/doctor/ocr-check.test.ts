import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { defaultSettings } from "../../../config/settings.ts";
import { checkOcr } from "./ocr-check.ts";

const rows = [
  {
    name: "off",
    settings: {},
    ok: true,
    detail: /OCR is off\. To switch it on, run npm install -g tesseract\.js-core/,
  },
  { name: "on", settings: { "ocr.languages": ["eng"] }, ok: true, detail: /^on for eng; its packages are installed$/ },
  {
    name: "on without packages",
    settings: { "ocr.languages": ["eng", "deu"], "ocr.packages": tmpdir() },
    ok: false,
    detail:
      /packages are missing: run npm install -g tesseract\.js-core @tesseract\.js-data\/eng @tesseract\.js-data\/deu/,
  },
  {
    name: "on for a wrong name",
    settings: { "ocr.languages": ["../x"] },
    ok: false,
    detail: /is not a language.*eng, deu/,
  },
] as const;

for (const { name, settings, ok, detail } of rows) {
  test(`OCR that is ${name} is reported`, () => {
    const check = checkOcr({ ...defaultSettings, ...settings });
    assert.equal(check.ok, ok);
    assert.match(check.detail, detail);
  });
}
