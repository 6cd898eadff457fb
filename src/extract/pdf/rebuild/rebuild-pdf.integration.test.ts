import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateSync } from "node:zlib";
import { drawLine, makeStream, writePdf } from "../../../../test/pdf.ts";
import { openPdf } from "../document.ts";
import { rebuildPdf } from "./rebuild-pdf.ts";

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const pageWith = (contents: number, more = "/Resources << /Font << /F1 3 0 R >> >>"): string =>
  `<< /Type /Page /Parent 2 0 R /Contents ${contents} 0 R ${more} >>`;
const contentOf = (text: string): string => makeStream("", drawLine(text, 72, 720));

/** A file of these objects that ends without a cross-reference table. */
function writeObjects(...objects: readonly (readonly [number, string])[]): Buffer {
  const written = objects.map(([number, body]) => `${number} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.7\n${written.join("")}`, "latin1");
}

/** A stream of compressed objects (ISO 32000-1, 7.5.7). */
function packObjects(objects: readonly (readonly [number, string])[]): string {
  const bodies = objects.map(([, body]) => `${body}\n`);
  const starts = bodies.map((_, index) => bodies.slice(0, index).join("").length);
  const head = `${objects.map(([number], index) => `${number} ${starts[index]}`).join(" ")}\n`;
  const data = deflateSync(Buffer.from(`${head}${bodies.join("")}`, "latin1")).toString("latin1");
  return makeStream(`/Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode`, data);
}

async function readAll(bytes: Uint8Array) {
  const opened = await openPdf(bytes);
  if ("failed" in opened) return opened.failed.reason;
  const { document } = opened;
  const pages = Array.from({ length: document.pageCount }, (_, index) => document.readPageText(index));
  document.close();
  return { rebuilt: document.rebuilt, texts: pages.map(({ text, damaged }) => (damaged ? null : text)) };
}

describe("a PDF without its end", () => {
  test("gives the pages before the cut under their numbers, wherever it is cut", async () => {
    const whole = writePdf(["one", "two", "three"].map((text) => ({ content: drawLine(text, 72, 720) })));
    const file = Buffer.from(whole);
    const afterFirst = file.indexOf("102 0 obj");
    for (let cut = afterFirst; cut < file.length - 10; cut += 97) {
      const result = await readAll(file.subarray(0, cut));
      assert.ok(typeof result === "object", `cut at ${cut}: ${result}`);
      assert.equal(result.rebuilt?.hasPageList, true);
      assert.deepEqual([result.texts.length, result.texts[0]], [3, "one"], `cut at ${cut}`);
    }
  });

  test("gives its pages in the order of the file if the list of pages is lost", async () => {
    const file = writeObjects(
      [3, FONT],
      [9, pageWith(5)],
      [5, contentOf("first")],
      [4, pageWith(6)],
      [6, contentOf("second")],
    );
    const rebuilt = { hasPageList: false, pagesWithoutFonts: 0 };
    assert.deepEqual(await readAll(file), { rebuilt, texts: ["first", "second"] });
  });

  test("gives text outside of any usual page only if the page's size is lost", async () => {
    const high = makeStream("", drawLine("near the top of a sheet of A4", 72, 830));
    const file = writeObjects([3, FONT], [4, pageWith(5)], [5, high]);
    assert.deepEqual(await readAll(file), {
      rebuilt: { hasPageList: false, pagesWithoutFonts: 0 },
      texts: ["near the top of a sheet of A4"],
    });
  });

  test("gives a page whose content is cut off as far as it goes, and none whose content is missing", async () => {
    const file = writeObjects(
      [3, FONT],
      [4, pageWith(5)],
      [6, pageWith(7)],
      [5, contentOf("whole") + drawLine("x", 1, 1)],
    );
    const cut = file.subarray(0, file.indexOf("endstream"));
    for (const bytes of [file, cut]) {
      assert.deepEqual(await readAll(bytes), {
        rebuilt: { hasPageList: false, pagesWithoutFonts: 0 },
        texts: ["whole"],
      });
    }
  });

  test("gives pages from compressed objects, also if their stream is cut off", async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const contents = numbers.map((index): [number, string] => [200 + index, contentOf(`page ${index}`)]);
    const pages = numbers.map((index): [number, string] => [
      100 + index,
      pageWith(200 + index, `/Lot (${index * 7919}) /Resources << /Font << /F1 3 0 R >> >>`),
    ]);
    const file = writeObjects([3, FONT], ...contents, [9, packObjects(pages)]);
    const expected = numbers.map((index) => `page ${index}`);
    const result = await readAll(file);
    assert.deepEqual(typeof result === "object" && result.texts, expected);
    const cut = file.subarray(0, Math.floor((2 * file.length + file.indexOf("/ObjStm")) / 3));
    const partly = await readAll(cut);
    assert.ok(
      typeof partly === "object" && partly.texts.length > 5 && partly.texts.length < 60,
      JSON.stringify(partly),
    );
    assert.deepEqual(partly.texts, expected.slice(0, partly.texts.length));
  });

  test("gives the older version of a page if the content of its update is missing", async () => {
    const file = writeObjects([3, FONT], [4, pageWith(5)], [5, contentOf("as published")], [4, pageWith(99)]);
    const result = await readAll(file);
    assert.deepEqual(typeof result === "object" && result.texts, ["as published"]);
  });

  test("counts pages whose fonts are missing", async () => {
    const file = writeObjects(
      [4, pageWith(5)],
      [5, contentOf("a")],
      [6, pageWith(7, "/Resources 8 0 R")],
      [7, contentOf("b")],
      [8, "<< /Font << /F1 4 0 R >> >>"],
    );
    const result = await readAll(file);
    assert.equal(typeof result === "object" && result.rebuilt?.pagesWithoutFonts, 1);
  });

  test("takes nothing inside of a stream for an object", async () => {
    const attachment = makeStream("", `7 0 obj\n${pageWith(8)}\nendobj\n8 0 obj\n${contentOf("inner")}\nendobj\n`);
    const file = writeObjects([3, FONT], [4, pageWith(5)], [6, attachment], [5, contentOf("outer")]);
    const result = await readAll(file);
    assert.deepEqual(typeof result === "object" && result.texts, ["outer"]);
  });

  test("is still unreadable if it has no page", async () => {
    for (const file of [
      writeObjects([3, FONT]),
      Buffer.from("%PDF-1.7\n"),
      Buffer.from("%PDF-1.7\n1 0 obj << /Type /Pa"),
    ])
      assert.equal(await readAll(file), "corrupt");
  });
});

describe("searching a file for objects", () => {
  const parts = [
    "1 0 obj (",
    "1 0 obj <</A <",
    "1 0 obj [[[[[[[[",
    "1 0 obj %",
    "1 0 obj <<>> stream ",
    "1 0 obj <</Type /Page /Contents 9 0 R>> endobj ",
    "trailer <<",
    "obj ",
  ];
  for (const part of parts) {
    test(`takes time in proportion to the size of many "${part}"`, () => {
      const measure = (sizeBytes: number): number => {
        const bytes = Buffer.from(`%PDF-1.7\n${part.repeat(sizeBytes / part.length)}`);
        const start = process.cpuUsage();
        rebuildPdf(bytes);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      measure(500_000);
      const [small, large] = [measure(500_000), measure(4_000_000)];
      // A quadratic search would take 64 times as long.
      assert.ok(large < 24 * Math.max(small, 20_000), `${small} and ${large} µs`);
    });
  }
});
