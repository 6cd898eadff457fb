import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeCompoundFile } from "../../../test/compound-file.ts";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { makeDoc, makeOldWorkbook, makePpt } from "../../../test/legacy-documents.ts";
import { makeZip } from "../../../test/zip.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { legacy } from "./legacy-handler.ts";

const doc = makeDocuments().get("works.doc") ?? assert.fail();
const [wordType, slidesType, sheetsType] = [
  "application/msword",
  "application/vnd.ms-powerpoint",
  "application/vnd.ms-excel",
] as const;
const binaryType = "application/vnd.ms-excel.sheet.binary.macroenabled.12";
const asOffice = (mediaType: string, bytes: Uint8Array) => ({ kind: "office_doc", mediaType, bytes }) as const;

handlerContract(legacy, [
  { name: "a Word document", ...asOffice(wordType, doc) },
  { name: "a Word document that is cut", ...asOffice(wordType, doc.subarray(0, 3_000)) },
  { name: "a presentation", ...asOffice(slidesType, makePpt()) },
  { name: "a workbook", ...asOffice(sheetsType, makeOldWorkbook("biff8")) },
  { name: "a binary workbook", ...asOffice(binaryType, makeOldWorkbook("xlsb")) },
]);

async function read(mediaType: string, bytes: Uint8Array) {
  await using kept = await keep(asOffice(mediaType, bytes));
  const items = await run(legacy, kept.file);
  const failed = items.flatMap((item) => ("failed" in item ? [item.failed.reason] : []))[0];
  const texts = segmentsOf(items).map(({ text }) => text);
  return { texts, failed };
}

describe("an old workbook", () => {
  for (const [bookType, mediaType] of [
    ["biff8", sheetsType],
    ["xlsb", binaryType],
  ] as const) {
    test(`shows numbers and dates as its author sees them, and marks hidden sheets (${bookType})`, async () => {
      const { texts } = await read(mediaType, makeOldWorkbook(bookType));
      assert.deepEqual(texts, [
        "## Ships\n\n| Ship | Draught | Arrival |\n| --- | --- | --- |\n| Heron | 3.25 | 2026-05-08 |\n| Möwe | 50% |  |",
        "## Notes (hidden)\n\nsecret",
      ]);
    });
  }
});

describe("an old document that cannot be read says why", () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const cases = [
    {
      name: "an encrypted document",
      type: wordType,
      bytes: makeDoc([{ text: "x\r" }], { isEncrypted: true }),
      reason: "encrypted",
    },
    { name: "an encrypted presentation", type: slidesType, bytes: makePpt({ isEncrypted: true }), reason: "encrypted" },
    {
      name: "another compound file",
      type: wordType,
      bytes: makeCompoundFile({ other: Buffer.alloc(10) }),
      reason: "corrupt",
    },
    {
      name: "no slides",
      type: slidesType,
      bytes: makeCompoundFile({ "PowerPoint Document": Buffer.alloc(5_000) }),
      reason: "no_text",
    },
    { name: "blank text", type: wordType, bytes: makeDoc([{ text: "\r" }]), reason: "no_text" },
    {
      name: "junk",
      type: sheetsType,
      bytes: Buffer.from(`\xd0\xcf\x11\xe0${"x".repeat(2_000)}`, "latin1"),
      reason: "corrupt",
    },
    {
      name: "a binary workbook that is a bomb",
      type: binaryType,
      bytes: makeZip([{ name: "xl/workbook.bin", data: zeros }]),
      reason: "too_large",
    },
  ];
  for (const { name, type, bytes, reason } of cases) {
    test(name, async () => {
      assert.deepEqual(await read(type, bytes), { texts: [], failed: reason });
    });
  }
});
