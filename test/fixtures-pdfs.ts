/** Makes the PDFs of test/fixtures/pdfs: `node test/fixtures-pdfs.ts` writes them, and a test compares them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixturesFolder } from "./fixtures.ts";
import { drawLine, type FixturePage, makeStream, writePdf } from "./pdf.ts";

/** The bytes of every PDF by its name. The same on every run. */
export function makePdfs(): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(makers).map(([name, make]) => [name, make()]));
}

const makers: Readonly<Record<string, () => Uint8Array>> = {
  "two-columns": makeTwoColumns,
  tables: makeTables,
  outline: makeOutline,
  "form-fields": makeFormFields,
  annotations: makeAnnotations,
  "rotated-pages": makeRotatedPages,
  "cjk-with-tounicode": makeCjkWithToUnicode,
  "cjk-with-named-cmap": makeCjkWithNamedCmap,
  ligatures: makeLigatures,
  hyphenation: makeHyphenation,
  encrypted: makeEncrypted,
  truncated: makeTruncated,
  "missing-end": makeMissingEnd,
  "scanned-page": makeScannedPage,
  "right-to-left": makeRightToLeft,
  "mixed-direction": makeMixedDirection,
  "headers-and-footnotes": makeHeadersAndFootnotes,
};

const BIG = "/F1 18 Tf";
const BODY = "/F1 10 Tf";
const SMALL = "/F1 7 Tf";

function drawLines(lines: readonly string[], x: number, top: number, font = BODY, leading = 14): string {
  return lines.map((line, index) => drawLine(line, x, top - leading * index, font)).join("");
}

function makeTwoColumns(): Uint8Array {
  const left = [
    "The gauge at Eastmere has been read",
    "every hour since 1931. Until 1964 the",
    "reading was done by hand, from a board",
    "that was painted on the quay wall.",
    "The right column must not be mixed",
    "into these lines.",
  ];
  const right = [
    "Since 1964 a float drives a pen on a",
    "drum. The drum is changed on Mondays,",
    "which is why every Monday has a gap of",
    "about four minutes in the record.",
    "A second gauge was added in 2009",
    "and agrees within two millimetres.",
  ];
  const content = [
    drawLine("Two gauges and a gap", 60, 740, BIG),
    drawLines(left, 60, 700),
    drawLines(right, 320, 700),
    drawLine("Both gauges are read in Coordinated Universal Time.", 60, 580, BODY),
  ].join("");
  return writePdf([{ content }], { info: "/Title (Two gauges and a gap) /Author (E. Varley)" });
}

function makeTables(): Uint8Array {
  const rows = [
    ["Station", "Level m", "Change", "Note"],
    ["Aldmoor", "2.41", "+0.12", "rising"],
    ["Brackwell", "1.08", "-0.03", "gate closed"],
    ["Cutter's Reach", "0.77", "0.00", ""],
    ["Dunmere", "12.60", "+1.15", "flood warning"],
  ];
  const columns = [60, 200, 290, 380];
  const cells = rows.flatMap((row, line) =>
    row.map((cell, column) => (cell === "" ? "" : drawLine(cell, columns[column] ?? 0, 700 - 18 * line, BODY))),
  );
  const rules = rows.map((_, line) => `60 ${714 - 18 * line} m 500 ${714 - 18 * line} l S\n`);
  return writePdf([{ content: drawLine("River levels at 06:00", 60, 740, BIG) + cells.join("") + rules.join("") }]);
}

function makeOutline(): Uint8Array {
  const page = (title: string, lines: readonly string[]): FixturePage => ({
    content: drawLine(title, 60, 740, BIG) + drawLines(lines, 60, 700),
  });
  const pages = [
    page("1 Scope", ["This handbook covers the locks between", "Millgate and the sea."]),
    page("2 Opening a lock", ["Look for boats before you look at the lamp."]),
    page("3 When the power fails", ["Every gate can be opened by hand.", "It takes two people eleven minutes."]),
  ];
  const item = (title: string, pageObject: number, links: string): string =>
    `<< /Title (${title}) /Parent 20 0 R /Dest [${pageObject} 0 R /Fit] ${links} >>`;
  return writePdf(pages, {
    catalog: "/Outlines 20 0 R /PageMode /UseOutlines",
    info: "/Title (Lock keeper's handbook)",
    objects: {
      20: "<< /Type /Outlines /First 21 0 R /Last 23 0 R /Count 3 >>",
      21: item("Scope", 100, "/Next 22 0 R"),
      22: item("Opening a lock", 102, "/Prev 21 0 R /Next 23 0 R"),
      23: item("When the power fails", 104, "/Prev 22 0 R"),
    },
  });
}

function makeFormFields(): Uint8Array {
  const appearance = (text: string): string =>
    makeStream(
      "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>",
      drawLine(text, 2, 6, BODY),
    );
  const field = (name: string, value: string, y: number, look: number): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${value}) /Rect [200 ${y} 400 ${y + 20}] /AP << /N ${look} 0 R >> /P 100 0 R /F 4 >>`;
  const content =
    drawLine("Application for a berth", 60, 740, BIG) +
    drawLines(["Name of boat", "Length in metres", "Winter storage"], 60, 706, BODY, 30);
  return writePdf([{ content, entries: "/Annots [20 0 R 22 0 R 24 0 R]" }], {
    catalog: "/AcroForm << /Fields [20 0 R 22 0 R 24 0 R] /DA (/F1 10 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> >>",
    objects: {
      20: field("boat", "Marigold", 700, 21),
      21: appearance("Marigold"),
      22: field("length", "9.40", 670, 23),
      23: appearance("9.40"),
      24: "<< /Type /Annot /Subtype /Widget /FT /Btn /T (winter) /V /Yes /AS /Yes /Rect [200 640 214 654] /P 100 0 R /F 4 >>",
    },
  });
}

function makeAnnotations(): Uint8Array {
  const content =
    drawLine("Minutes of the harbour trust", 60, 740, BIG) +
    drawLines(["The accounts were approved.", "Details are on the website of the trust."], 60, 700);
  return writePdf([{ content, entries: "/Annots [20 0 R 21 0 R 22 0 R]" }], {
    objects: {
      20: "<< /Type /Annot /Subtype /Link /Rect [60 680 260 698] /Border [0 0 0] /A << /S /URI /URI (https://trust.example/accounts) >> >>",
      21: "<< /Type /Annot /Subtype /Text /Rect [300 700 320 720] /T (R. Tuckett) /Contents (Was this not in April?) /F 4 >>",
      22: "<< /Type /Annot /Subtype /Highlight /Rect [60 696 200 712] /QuadPoints [60 712 200 712 60 696 200 696] /Contents (Check the figure) /F 4 >>",
    },
  });
}

function makeRotatedPages(): Uint8Array {
  const sideways = (lines: readonly string[]): string =>
    lines.map((line, index) => `BT /F1 12 Tf 0 1 -1 0 ${120 + 20 * index} 80 Tm (${line}) Tj ET\n`).join("");
  return writePdf([
    { content: drawLines(["This page is upright.", "It has two lines."], 60, 700) },
    { content: sideways(["This page is turned by 90 degrees.", "Its lines still follow each other."]), rotate: 90 },
    { content: drawLines(["This page is upside down in the file."], 60, 700), rotate: 180 },
  ]);
}

/** A font that is not embedded, with glyph numbers 1, 2, 3, … for the characters of a text and a map back to them. */
function makeMappedFont(text: string): { objects: Record<number, string>; encode(line: string): string } {
  const characters = [...new Set(text)];
  const hex = (value: number): string => value.toString(16).padStart(4, "0");
  const codeOf = (character: string): string => hex(characters.indexOf(character) + 1);
  const lines = characters.map((character) => `<${codeOf(character)}> <${hex(character.charCodeAt(0))}>`);
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${lines.length} beginbfchar
${lines.join("\n")}
endbfchar endcmap end end`;
  return {
    objects: {
      20: "<< /Type /Font /Subtype /Type0 /BaseFont /Mapped /Encoding /Identity-H /DescendantFonts [21 0 R] /ToUnicode 23 0 R >>",
      21: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Mapped /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 22 0 R /DW 1000 >>",
      22: "<< /Type /FontDescriptor /FontName /Mapped /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>",
      23: makeStream("", map),
    },
    encode: (line) => [...line].map(codeOf).join(""),
  };
}

const mappedResources = "/Resources << /Font << /F1 3 0 R /F2 20 0 R >> >>";

function drawHex(hex: string, x: number, y: number): string {
  return `BT /F2 12 Tf ${x} ${y} Td <${hex}> Tj ET\n`;
}

function makeCjkWithToUnicode(): Uint8Array {
  const lines = ["港の潮位は毎時記録される。", "最高水位は十二メートル六十。", "记录从一九三一年开始。"];
  const font = makeMappedFont(lines.join(""));
  const content = lines.map((line, index) => drawHex(font.encode(line), 60, 700 - 24 * index)).join("");
  return writePdf([{ content, entries: mappedResources }], { objects: font.objects });
}

/** Shift-JIS bytes and the name of a CMap that every reader has to bring along: nothing in the file says which characters. */
function makeCjkWithNamedCmap(): Uint8Array {
  // "潮位記録" and "東港" in Shift-JIS.
  const content = drawHex("92aa88ca8b4c985e", 60, 700) + drawHex("938c8d60", 60, 676);
  return writePdf([{ content, entries: mappedResources }], {
    objects: {
      20: "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [21 0 R] >>",
      21: "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 22 0 R /DW 1000 >>",
      22: "<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>",
    },
  });
}

function makeLigatures(): Uint8Array {
  const font =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Type /Encoding /Differences [1 /fi /fl /ff /ffi] >> >>";
  const content = `BT /F2 12 Tf 60 700 Td (The \\001rst \\002ood of the year was di\\003erent.) Tj ET
BT /F2 12 Tf 60 680 Td (The harbour o\\004ce kept the \\001les.) Tj ET
`;
  return writePdf([{ content, entries: mappedResources }], { objects: { 20: font } });
}

function makeHyphenation(): Uint8Array {
  const lines = [
    "The harbour commissioners reported that the instal-",
    "lation of the second gauge was well-known to all ship-",
    "owners, and that a long-term record would be kept.",
  ];
  return writePdf([{ content: drawLines(lines, 60, 700) }]);
}

function makeEncrypted(): Uint8Array {
  return writePdf([{ content: drawLine("Only for those who know the word.", 60, 700) }], { userPassword: "mooring" });
}

/** A download that broke off in the middle: the fourth page and the cross-reference table are missing. */
function makeTruncated(): Uint8Array {
  return cutBefore("106 0 obj");
}

/** The last line is missing, which says where the cross-reference table is. */
function makeMissingEnd(): Uint8Array {
  return cutBefore("startxref");
}

function cutBefore(text: string): Uint8Array {
  const pages = [1, 2, 3, 4].map((page) => ({
    content: drawLines([`Page ${page} of a file that was cut off.`, "Its first pages can still be read."], 60, 700),
  }));
  const whole = writePdf(pages);
  return whole.subarray(0, Buffer.from(whole).indexOf(text));
}

/** A picture of grey bars where text would be. */
function makeScannedPage(): Uint8Array {
  const rows = Array.from({ length: 32 }, (_, row) => (row % 4 < 2 ? "00" : "ff").repeat(8)).join("");
  const image = `q 480 0 0 640 60 80 cm BI /W 8 /H 32 /CS /G /BPC 8 /F /AHx ID ${rows}> EI Q\n`;
  return writePdf([{ content: image }, { content: image }]);
}

/** Hebrew as most programs write it: glyphs from left to right, as they are seen. */
function makeRightToLeft(): Uint8Array {
  const lines = ["המעבורת הקטנה שבה למים", "היו עליה נוסעים רבים"];
  const font = makeMappedFont(lines.join(""));
  const seen = (line: string): string => [...line].reverse().join("");
  const content = lines.map((line, index) => drawHex(font.encode(seen(line)), 200, 700 - 24 * index)).join("");
  return writePdf([{ content, entries: mappedResources }], { objects: font.objects });
}

/** Rows as they are seen from left to right: names and numbers are not reversed. */
function makeMixedDirection(): Uint8Array {
  const seen = [
    ".(ראוני) 1934 לירפאב 14-ב חתפנ למנה",
    ".ץבוקב Tool 2.0 (new one) םע םישמתשמ",
    ".רטמ 3,400 אוה 45% לכמ ךרואה",
  ];
  const font = makeMappedFont(seen.join(""));
  const content = seen.map((line, index) => drawHex(font.encode(line), 100, 700 - 24 * index)).join("");
  return writePdf([{ content, entries: mappedResources }], { objects: font.objects });
}

function makeHeadersAndFootnotes(): Uint8Array {
  const bodies = [
    ["The first survey found nothing unusual.", "Its report has been lost."],
    ["The second survey measured every pile.", "Eleven of them were hollow."],
    ["The third survey was never finished.", "The diver had moved away."],
  ];
  const pages = bodies.map((lines, index) => ({
    content: [
      drawLine("Survey of Custom House Quay", 60, 770, SMALL),
      drawLine("Harbour Trust", 480, 770, SMALL),
      drawLines(lines, 60, 700),
      index === 1 ? drawLine("1", 196, 690, SMALL) : "",
      index === 1 ? drawLine("1  Counted from the seaward end.", 60, 80, SMALL) : "",
      drawLine(`Page ${index + 1} of 3`, 280, 40, SMALL),
    ].join(""),
  }));
  return writePdf(pages, { info: "/Title (Survey of Custom House Quay)" });
}

if (import.meta.main) {
  for (const [name, bytes] of makePdfs()) writeFileSync(join(fixturesFolder, "pdfs", `${name}.pdf`), bytes);
}
