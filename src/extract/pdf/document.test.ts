import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { drawLine, type FixtureOptions, type FixturePage, makeStream, writePdf } from "../../../test/pdf.ts";
import { openPdf, type PdfDocument } from "./document.ts";

async function open(bytes: Uint8Array, password?: string): Promise<PdfDocument> {
  const opened = await openPdf(bytes, password === undefined ? {} : { password });
  assert.ok("document" in opened, "failed" in opened ? opened.failed.detail : "");
  return opened.document;
}

async function readFirstPage(page: FixturePage, options?: FixtureOptions): Promise<string> {
  const document = await open(writePdf([page], options));
  const { text } = document.readPageText(0);
  document.close();
  return text;
}

const freeText = makeStream(
  "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>",
  drawLine("Approved", 2, 5),
);
function drawAppearance(text: string): string {
  return makeStream(
    "/Type /XObject /Subtype /Form /BBox [0 0 90 20] /Resources << /Font << /F1 3 0 R >> >>",
    drawLine(text, 2, 5),
  );
}

function drawField(name: string, x: number, y: number, appearance: number): string {
  return `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /Rect [${x} ${y} ${x + 90} ${y + 20}] /AP << /N ${appearance} 0 R >> /F 4 >>`;
}

/** One line of text at an angle. */
function drawTurned(text: string, degrees: number, x: number, y: number): string {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return `BT /F1 12 Tf ${cos} ${sin} ${-sin} ${cos} ${x} ${y} Tm (${text}) Tj ET`;
}

const paragraph = ["The first line of it runs on", "and so does the second one", "until it ends here."];

const pages: readonly { name: string; page: FixturePage; options?: FixtureOptions; text: string }[] = [
  {
    name: "lines of a paragraph stay together",
    page: { content: paragraph.map((text, index) => drawLine(text, 50, 700 - 14 * index)).join("") },
    text: paragraph.join("\n"),
  },
  {
    name: "a wide gap starts a paragraph",
    page: {
      content:
        paragraph.map((text, index) => drawLine(text, 50, 700 - 14 * index)).join("") +
        drawLine("Another begins.", 50, 640),
    },
    text: `${paragraph.join("\n")}\n\nAnother begins.`,
  },
  {
    name: "cells of a row stay in one line, separated by tabs",
    page: { content: drawLine("Name", 50, 700) + drawLine("Amount", 250, 700) + drawLine("Total", 450, 700) },
    text: "Name\tAmount\tTotal",
  },
  {
    name: "a superscript joins its word",
    page: { content: drawLine("area in m", 50, 700) + drawLine("2", 101, 704, "/F1 8 Tf") },
    text: "area in m2",
  },
  {
    name: "a word split by a hyphen is joined",
    page: { content: drawLine("This is an exam-", 50, 700) + drawLine("ple of it.", 50, 686) },
    text: "This is an example\nof it.",
  },
  {
    name: "a hyphen before a capital stays",
    page: { content: drawLine("They met Smith-", 50, 700) + drawLine("Jones there.", 50, 686) },
    text: "They met Smith-\nJones there.",
  },
  {
    name: "columns are read one after the other",
    page: {
      content:
        drawLine("left one", 50, 700) +
        drawLine("left two", 50, 686) +
        drawLine("right one", 320, 700) +
        drawLine("right two", 320, 686),
    },
    text: "left one\nleft two\n\nright one\nright two",
  },
  {
    name: "text outside the crop box is omitted",
    page: { cropBox: "0 400 600 800", content: drawLine("shown", 50, 700) + drawLine("cut off", 50, 300) },
    text: "shown",
  },
  {
    name: "text outside the media box is omitted",
    page: { content: drawLine("shown", 50, 700) + drawLine("far below", 50, -300) },
    text: "shown",
  },
  {
    name: "a rotated page is read like any other",
    page: {
      rotate: 90,
      content: "BT /F1 12 Tf 0 1 -1 0 100 50 Tm (first) Tj ET BT /F1 12 Tf 0 1 -1 0 114 50 Tm (second) Tj ET",
    },
    text: "first\nsecond",
  },
  {
    name: "accents drawn over letters are combined with them",
    page: {
      content: `${drawLine("Sch", 50, 700)}BT /F1 12 Tf 71.4 700 Td (o) Tj ET BT /F1 12 Tf 72.4 700 Td (\\250) Tj ET`,
      entries: "/Resources << /Font << /F1 20 0 R >> >>",
    },
    options: { objects: { 20: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>" } },
    text: "Schö",
  },
  {
    name: "text without ink is read if there is no other text",
    page: { content: "BT 3 Tr /F1 12 Tf 50 650 Td (recognised) Tj ET" },
    text: "recognised",
  },
  {
    name: "an annotation's text is read at its position",
    page: { content: drawLine("State:", 50, 700) + drawLine("Below it", 50, 600), entries: "/Annots [20 0 R]" },
    options: {
      objects: { 20: "<< /Type /Annot /Subtype /Stamp /Rect [100 695 300 715] /AP << /N 21 0 R >> >>", 21: freeText },
    },
    text: "State: Approved\n\nBelow it",
  },
  {
    name: "a hidden annotation is omitted",
    page: { content: drawLine("State:", 50, 700), entries: "/Annots [20 0 R]" },
    options: {
      objects: {
        20: "<< /Type /Annot /Subtype /Stamp /F 2 /Rect [100 695 300 715] /AP << /N 21 0 R >> >>",
        21: freeText,
      },
    },
    text: "State:",
  },
  {
    name: "an annotation for print only is omitted",
    page: { content: drawLine("State:", 50, 700), entries: "/Annots [20 0 R]" },
    options: {
      objects: {
        20: "<< /Type /Annot /Subtype /Stamp /F 36 /Rect [100 695 300 715] /AP << /N 21 0 R >> >>",
        21: freeText,
      },
    },
    text: "State:",
  },
  {
    name: "a form field is read with its value",
    page: { content: drawLine("Name:", 50, 700), entries: "/Annots [20 0 R]" },
    options: {
      catalog: "/AcroForm << /Fields [20 0 R] /DR << /Font << /Helv 3 0 R >> >> /DA (/Helv 12 Tf 0 g) >>",
      objects: {
        20: "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /DA (/Helv 12 Tf 0 g) /Rect [100 695 300 715] >>",
      },
    },
    text: "Name: Ada",
  },
  {
    name: "each form field is read behind its label, and a tick before its text",
    page: {
      content:
        drawLine("Name:", 50, 700) +
        drawLine("Town:", 50, 670) +
        drawLine("Member:", 50, 640) +
        drawLine("yes", 140, 640) +
        drawLine("no", 200, 640) +
        drawLine("Newsletter", 70, 610),
      entries: "/Annots [20 0 R 21 0 R 22 0 R 23 0 R]",
    },
    options: {
      objects: {
        20: drawField("Town", 100, 665, 30),
        21: drawField("Name", 100, 695, 31),
        22: drawField("Tick", 120, 635, 32),
        23: drawField("Tick", 50, 605, 32),
        30: drawAppearance("Poole"),
        31: drawAppearance("Ada"),
        32: drawAppearance("X"),
      },
    },
    text: "Name: Ada\nTown: Poole\nMember:\tX yes\tno\nX Newsletter",
  },
  {
    name: "text drawn again over itself is read once",
    page: { content: drawLine("Harbour trust", 50, 700) + drawLine("Harbour trust", 50.4, 700) },
    text: "Harbour trust",
  },
  {
    name: "letters drawn twice are read once",
    page: {
      content: [50, 58.7]
        .map((x, i) => drawLine("HO"[i] ?? "", x, 700) + drawLine("HO"[i] ?? "", x + 0.4, 700))
        .join(""),
    },
    text: "HO",
  },
  {
    name: "a stamp is read once although it is there many times",
    page: {
      content: drawLine("State:", 50, 700),
      entries: `/Annots [${Array.from({ length: 37 }, (_, index) => `${30 + index} 0 R`).join(" ")}]`,
    },
    options: {
      objects: {
        20: freeText,
        ...Object.fromEntries(
          Array.from({ length: 37 }, (_, index) => [
            30 + index,
            "<< /Type /Annot /Subtype /Stamp /Rect [100 695 300 715] /AP << /N 20 0 R >> >>",
          ]),
        ),
      },
    },
    text: "State: Approved",
  },
  {
    name: "a note without an appearance is read at its position",
    page: { content: drawLine("State:", 50, 700), entries: "/Annots [20 0 R]" },
    options: {
      objects: { 20: "<< /Type /Annot /Subtype /FreeText /Contents (Approved by Ada) /Rect [100 695 300 715] >>" },
    },
    text: "State: Approved by Ada",
  },
  {
    name: "a note without an appearance whose letters cannot be drawn is read behind the page",
    page: { content: drawLine("Page text", 50, 700), entries: "/Annots [20 0 R]" },
    options: {
      objects: { 20: "<< /Type /Annot /Subtype /FreeText /Contents <FEFF4E16754C> /Rect [100 600 300 620] >>" },
    },
    text: "Page text\n\n世界",
  },
  {
    name: "words whose letters are set apart stay whole",
    page: { content: "BT /F1 12 Tf 3 Tc 50 700 Td (HARBOUR TRUST) Tj ET" },
    text: "HARBOUR TRUST",
  },
  {
    name: "letters in columns stay apart",
    page: { content: [..."ABCDEF"].map((letter, index) => drawLine(letter, 50 + 30 * index, 700)).join("") },
    text: "A\tB\tC\tD\tE\tF",
  },
  ...[10, 30, 45, 60, -35].map((degrees) => ({
    name: `numbers at ${degrees} degrees are read as drawn`,
    page: { content: drawTurned("165 29 50", degrees, 300, 400) },
    text: "165 29 50",
  })),
  { name: "a page without content is empty", page: { content: "" }, text: "" },
];

for (const { name, page, options, text } of pages) {
  test(name, async () => assert.equal(await readFirstPage(page, options), text));
}

test("ligatures are read as letters", async () => {
  const map =
    "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <fb01> endbfchar endcmap";
  const objects = {
    20: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 21 0 R >>",
    21: makeStream("", map),
  };
  const page = { content: drawLine("An", 50, 700), entries: "/Resources << /Font << /F1 20 0 R >> >>" };
  assert.equal((await readFirstPage(page, { objects })).slice(0, 2), "fi");
});

/** A font without a character map: its codes are glyph numbers, as in many files printed by older programs. */
const unmappedFont = {
  20: "<< /Type /Font /Subtype /Type0 /BaseFont /Nameless /Encoding /Identity-H /DescendantFonts [21 0 R] >>",
  21: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nameless /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /FontDescriptor 22 0 R >>",
  22: "<< /Type /FontDescriptor /FontName /Nameless /Flags 4 /FontBBox [0 0 1000 1000] /Ascent 800 /Descent -200 /ItalicAngle 0 /CapHeight 700 /StemV 80 >>",
};

function writeGlyphNumbers(text: string, offset: number): string {
  return `BT /F1 12 Tf 50 700 Td <${[...text].map((char) => (char.charCodeAt(0) - offset).toString(16).padStart(4, "0")).join("")}> Tj ET`;
}

test("glyph numbers in the usual order are read as letters", async () => {
  const page = {
    content: writeGlyphNumbers("The quarterly report, page three", 29),
    entries: "/Resources << /Font << /F1 20 0 R >> >>",
  };
  assert.equal(await readFirstPage(page, { objects: unmappedFont }), "The quarterly report, page three");
});

test("glyph numbers in an unknown order are reported as guessed", async () => {
  const content = writeGlyphNumbers("The quarterly report, page three", -0x180);
  const document = await open(
    writePdf([{ content, entries: "/Resources << /Font << /F1 20 0 R >> >>" }], { objects: unmappedFont }),
  );
  assert.equal(document.readPageText(0).guessed, true);
});

/** Maps the letters of "hafen" only. */
const partialMap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <0000> <ffff> endcodespacerange
5 beginbfchar
${[..."hafen"].map((letter, index) => `<${(0xba01 + index).toString(16)}> <00${letter.charCodeAt(0).toString(16)}>`).join("\n")}
endbfchar endcmap end end`;

test("a glyph that its font does not map is not read as another letter", async () => {
  const objects = { ...unmappedFont, 23: makeStream("", partialMap) };
  objects[20] = objects[20].replace(">>", "/ToUnicode 23 0 R >>");
  const word = "<ba01ba02ba03ba04ba05>";
  const draw = (hex: string, y: number): string => `BT /F1 12 Tf 50 ${y} Td ${hex} Tj ET\n`;
  const content = draw("<ba01ba02ba03ba04ba05ba3e>", 700) + draw(word, 680) + draw(word, 660);
  const document = await open(writePdf([{ content, entries: "/Resources << /Font << /F1 20 0 R >> >>" }], { objects }));
  const { text, guessed, unknown } = document.readPageText(0);
  assert.equal(text, "hafen\ufffd\nhafen\nhafen");
  assert.equal(guessed, true, "one of sixteen is enough to ask a second reader");
  assert.equal(unknown, "\uba3e");
});

test("text that a viewer does not see is kept and counted", async () => {
  const hidden = "BT 3 Tr /F1 12 Tf 50 650 Td (secret order) Tj ET";
  const document = await open(writePdf([{ content: drawLine("shown", 50, 700) + hidden }, { content: hidden }]));
  assert.deepEqual(
    [0, 1].map((index) => document.readPageText(index).hiddenChars),
    [11, 0],
  );
  assert.equal(document.readPageText(0).text, "shown\n\nsecret order");
});

test("a page that is an image is distinguished from an empty one", async () => {
  const image = makeStream(
    "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
    "x",
  );
  const scan = { content: "q 600 0 0 800 0 0 cm /Im0 Do Q", entries: "/Resources << /XObject << /Im0 20 0 R >> >>" };
  const document = await open(writePdf([scan, { content: "" }], { objects: { 20: image } }));
  assert.deepEqual(
    [0, 1].map((index) => document.readPageText(index).imageOnly),
    [true, false],
  );
});

test("title, author and language are read", async () => {
  const document = await open(
    writePdf([{ content: "" }], { info: "/Title (A  title) /Author (Ada)", catalog: "/Lang (en-GB)" }),
  );
  assert.deepEqual(document.info, { title: "A title", author: "Ada", language: "en-GB" });
});

test("the outline has labels, levels and pages", async () => {
  const objects = {
    20: "<< /First 21 0 R /Last 23 0 R /Count 3 >>",
    21: "<< /Title (One) /Parent 20 0 R /Next 23 0 R /First 22 0 R /Last 22 0 R /Dest [100 0 R /Fit] >>",
    22: "<< /Title (One point one) /Parent 21 0 R /Dest [102 0 R /Fit] >>",
    23: "<< /Title (Nowhere) /Parent 20 0 R /Prev 21 0 R >>",
  };
  const document = await open(writePdf([{ content: "" }, { content: "" }], { objects, catalog: "/Outlines 20 0 R" }));
  assert.deepEqual(document.outline, [
    { label: "One", level: 1, page: 0 },
    { label: "One point one", level: 2, page: 1 },
    { label: "Nowhere", level: 1, page: null },
  ]);
});

test("a circular outline ends", async () => {
  const objects = {
    20: "<< /First 21 0 R /Last 22 0 R >>",
    21: "<< /Title (One) /Parent 20 0 R /Next 22 0 R /First 22 0 R >>",
    22: "<< /Title (Two) /Parent 20 0 R /Next 21 0 R /First 21 0 R >>",
  };
  const document = await open(writePdf([{ content: "" }], { objects, catalog: "/Outlines 20 0 R" }));
  assert.deepEqual(document.outline.map(({ label }) => label).sort(), ["One", "Two"]);
});

const secret = [{ content: drawLine("secret", 50, 700) }];

test("an encrypted document opens with its password", async () => {
  const document = await open(writePdf(secret, { userPassword: "open" }), "open");
  assert.equal(document.readPageText(0).text, "secret");
});

test("an encrypted document with an empty password opens without one", async () => {
  const document = await open(writePdf(secret, { userPassword: "", ownerPassword: "boss" }));
  assert.equal(document.readPageText(0).text, "secret");
});

const unreadable: readonly { name: string; bytes: Uint8Array; password?: string; failed: object }[] = [
  {
    name: "no password",
    bytes: writePdf(secret, { userPassword: "open" }),
    failed: { reason: "encrypted", detail: "password required" },
  },
  {
    name: "a wrong password",
    bytes: writePdf(secret, { userPassword: "open" }),
    password: "shut",
    failed: { reason: "encrypted", detail: "wrong password" },
  },
  {
    name: "other content",
    bytes: Buffer.from("This is a letter."),
    failed: { reason: "corrupt", detail: "not a readable PDF" },
  },
  { name: "no bytes", bytes: new Uint8Array(), failed: { reason: "corrupt", detail: "not a readable PDF" } },
];

for (const { name, bytes, password, failed } of unreadable) {
  test(`a document with ${name} fails with a reason`, async () => {
    assert.deepEqual(await openPdf(bytes, password === undefined ? {} : { password }), { failed });
  });
}

test("a damaged cross-reference table is repaired", async () => {
  const bytes = Buffer.from(writePdf([{ content: drawLine("still here", 50, 700) }]));
  const damaged = Buffer.from(bytes.toString("latin1").replace(/\d{10} 00000 n/g, "0000000009 00000 n"), "latin1");
  assert.equal((await open(damaged)).readPageText(0).text, "still here");
});

test("a document is read from a path as from bytes", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "spillway-pdf-")), "file.pdf");
  writeFileSync(path, writePdf(secret));
  const opened = await openPdf({ path });
  rmSync(dirname(path), { recursive: true });
  assert.ok("document" in opened);
  assert.equal(opened.document.readPageText(0).text, "secret");
});

test("a missing file throws and is not reported as a bad document", async () => {
  await assert.rejects(openPdf({ path: "/nowhere/file.pdf" }), { code: "ENOENT" });
});

test("a document may have no pages", async () => {
  const document = await open(writePdf([]));
  assert.equal(document.pageCount, 0);
  assert.throws(() => document.readPageText(0), RangeError);
});

test("every page of a long document can be read, in any order, and again", async () => {
  const document = await open(
    writePdf(Array.from({ length: 300 }, (_, index) => ({ content: drawLine(`Page ${index}`, 50, 700) }))),
  );
  for (const index of [299, 0, 150, 150]) assert.equal(document.readPageText(index).text, `Page ${index}`);
});

test("a page with an annotation is the same when read again", async () => {
  const objects = {
    20: "<< /Type /Annot /Subtype /Stamp /Rect [100 695 300 715] /AP << /N 21 0 R >> >>",
    21: freeText,
  };
  const content = drawLine("State:", 50, 700) + drawLine("Below it", 50, 600);
  const document = await open(writePdf([{ content, entries: "/Annots [20 0 R]" }], { objects }));
  assert.deepEqual(document.readPageText(0), document.readPageText(0));
});

test("a closed document reads nothing, and closing twice is harmless", async () => {
  const document = await open(writePdf(secret));
  document.close();
  document.close();
  assert.throws(() => document.readPageText(0), RangeError);
});
