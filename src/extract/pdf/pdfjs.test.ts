import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawLine, writePdf } from "../../../test/pdf.ts";
import { openWithPdfjs } from "./pdfjs.ts";

const pages = [
  { content: drawLine("one", 50, 700) + drawLine("more", 50, 680) },
  { content: drawLine("two", 50, 700) },
];

test("the fallback reads any page of a document", async () => {
  const document = await openWithPdfjs(writePdf(pages));
  assert.deepEqual(
    [document.pageCount, await document.readPageText(1), await document.readPageText(0)],
    [2, "two", "one\nmore"],
  );
  await document.close();
});

test("the fallback opens an encrypted document with its password", async () => {
  const document = await openWithPdfjs(writePdf(pages, { userPassword: "open" }), "open");
  assert.equal(await document.readPageText(1), "two");
  await document.close();
});

test("the fallback rejects what is not a PDF", async () => {
  await assert.rejects(openWithPdfjs(new TextEncoder().encode("This is a letter.")));
});

test("the fallback reads fonts that name a predefined character map", async () => {
  const bytes = readFileSync(new URL("../../../test/fixtures/pdfs/cjk-with-named-cmap.pdf", import.meta.url));
  const document = await openWithPdfjs(bytes);
  assert.match(await document.readPageText(0), /潮位記録/);
  await document.close();
});
