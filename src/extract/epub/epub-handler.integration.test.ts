import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { makeZip } from "../../../test/zip.ts";
import { handlerContract, keep, run } from "../handler.contract.ts";
import { epub } from "./epub-handler.ts";

const book = makeDocuments().get("book.epub") ?? assert.fail();
const asBook = (bytes: Uint8Array) => ({ kind: "office_doc", mediaType: "application/epub+zip", bytes }) as const;

handlerContract(epub, [
  { name: "a book", ...asBook(book) },
  { name: "a book that is cut", ...asBook(book.subarray(0, 200)) },
]);

describe("a book that cannot be read says why", () => {
  const container = '<container><rootfile full-path="b.opf"/></container>';
  const reasons = [
    { name: "no package", parts: [], reason: "corrupt" },
    { name: "no chapters", parts: [{ name: "b.opf", data: "<package/>" }], reason: "corrupt" },
    { name: "rights management", parts: [{ name: "META-INF/rights.xml", data: "<rights/>" }], reason: "encrypted" },
  ];
  for (const { name, parts, reason } of reasons) {
    test(name, async () => {
      const bytes = makeZip([{ name: "META-INF/container.xml", data: container }, ...parts]);
      await using kept = await keep(asBook(bytes));
      const failures = (await run(epub, kept.file)).flatMap((item) => ("failed" in item ? [item.failed.reason] : []));
      assert.deepEqual(failures, [reason]);
    });
  }
});
