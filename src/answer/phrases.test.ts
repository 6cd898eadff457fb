import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatCount, formatSize, nameKind } from "./phrases.ts";

describe("sizes in words", () => {
  for (const [bytes, words] of [
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.0 KB"],
    [9_949, "9.9 KB"],
    [9_950, "10 KB"],
    [612_345, "612 KB"],
    [999_499, "999 KB"],
    [999_500, "1.0 MB"],
    [1_440_000, "1.4 MB"],
    [67_108_864, "67 MB"],
    [2 ** 40, "1.1 TB"],
  ] as const) {
    test(`${bytes} bytes are ${words}`, () => assert.equal(formatSize(bytes), words));
  }
});

test("kinds have the names that people use", () => {
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  assert.equal(nameKind("pdf", "application/pdf"), "PDF");
  assert.equal(nameKind("office_doc", docx), "Word document");
  assert.equal(nameKind("office_doc", "application/vnd.ms-excel"), "spreadsheet");
  assert.equal(nameKind("office_doc", "application/vnd.oasis.opendocument.presentation"), "presentation");
  assert.equal(nameKind("unknown_binary", "audio/mpeg"), "binary (audio/mpeg)");
  assert.equal(nameKind("unknown_binary", "application/octet-stream"), "binary (application/octet-stream)");
  assert.equal(nameKind("unknown_binary", "x/obey-me"), 'binary ("x/obey-me")');
  assert.equal(nameKind("archive", "application/zip"), "archive");
  assert.equal(formatCount(1, "line"), "1 line");
  assert.equal(formatCount(12_000, "line"), "12,000 lines");
});
