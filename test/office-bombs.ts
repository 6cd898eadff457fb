/** Documents made to exhaust a reader: small files that expand, repeat, nest or refer without end. */
import { makeDocx, makeOdf, makeParagraph, makePptx, makeShape, makeXlsx, readStored } from "./office.ts";
import { encryptAgile } from "./office-encryption.ts";
import type { officeTypes } from "./office-text.ts";
import { makeZip, type ZipPart } from "./zip.ts";

export type Bomb = { readonly name: string; readonly format: keyof typeof officeTypes; make(): Buffer };

const MB = 1024 * 1024;

/** A text of this size, made of copies of another. */
const fill = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length));

const repack = (bytes: Buffer, replaced: readonly ZipPart[]): Buffer => {
  const names = new Set(replaced.map(({ name }) => name));
  return makeZip([...readStored(bytes).filter(({ name }) => !names.has(name)), ...replaced]);
};

/** A document whose main part is this; it is compressed. */
const docxOf = (body: string, claimedBytes?: number): Buffer =>
  repack(makeDocx(""), [
    {
      name: "word/document.xml",
      data: `<w:document><w:body>${body}</w:body></w:document>`,
      ...(claimedBytes === undefined ? {} : { claimedBytes }),
    },
  ]);
const docxWith = (name: string, type: string, data: string, body = makeParagraph("x")): Buffer =>
  repack(makeDocx(body, { relations: [{ id: "rId1", type, target: name }] }), [{ name: `word/${name}`, data }]);
const sheetOf = (rows: string): Buffer =>
  repack(makeXlsx([{ name: "S", rows: "" }]), [
    { name: "xl/worksheets/sheet1.xml", data: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
  ]);
const bookWith = (type: string, name: string, data: string, rows: string): Buffer =>
  repack(makeXlsx([{ name: "S", rows }], { relations: [{ id: "rIdX", type, target: name }] }), [
    { name: `xl/${name}`, data },
  ]);
const odfOf = (kind: "text" | "spreadsheet" | "presentation", body: string): Buffer => {
  const [content] = readStored(makeOdf(kind, body)).filter(({ name }) => name === "content.xml");
  return content ? repack(makeOdf(kind, ""), [content]) : Buffer.alloc(0);
};

const cellAt = (reference: string, value: string): string => `<c r="${reference}" t="str"><v>${value}</v></c>`;
const entities = Array.from({ length: 12 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join("");

/** A document that includes so many others. */
const docxOfDocuments = (count: number, inner: Buffer): Buffer => {
  const names = Array.from({ length: count }, (_, index) => `inner${index}.docx`);
  const relations = names.map((target, index) => ({ id: `rId${index}`, type: "aFChunk", target }));
  return repack(
    makeDocx(makeParagraph("x"), { relations }),
    names.map((name) => ({ name: `word/${name}`, data: inner })),
  );
};

/** All of them, each a different way to cost more than it weighs. */
export const bombs: readonly Bomb[] = [
  {
    name: "one text of 300 MB",
    format: "docx",
    make: () => docxOf(`<w:p><w:r><w:t>${fill("a", 300 * MB)}</w:t></w:r></w:p>`),
  },
  { name: "200 MB of empty paragraphs", format: "docx", make: () => docxOf(fill("<w:p/>", 200 * MB)) },
  {
    name: "50 included documents of 7 MB each",
    format: "docx",
    make: () => docxOfDocuments(50, docxOf(fill("<w:p/>", 7 * MB))),
  },
  {
    name: "included documents that include eight others, three deep",
    format: "docx",
    make: () => docxOfDocuments(8, docxOfDocuments(8, docxOfDocuments(8, docxOf(fill(makeParagraph("y"), MB))))),
  },
  { name: "a part that claims 10 bytes", format: "docx", make: () => docxOf(fill("<w:p/>", 100 * MB), 10) },
  { name: "a part that claims 4 GB", format: "docx", make: () => docxOf(makeParagraph("x"), 0xfffffff0) },
  { name: "tables nested 100,000 deep", format: "docx", make: () => docxOf("<w:tbl><w:tr><w:tc>".repeat(100_000)) },
  {
    name: "text boxes nested 1,900 deep",
    format: "docx",
    make: () => docxOf(`${"<w:p>".repeat(1_900)}<w:r><w:t>x</w:t></w:r>${"</w:p>".repeat(1_900)}`),
  },
  {
    name: "entities that expand to 10^12 characters",
    format: "docx",
    make: () =>
      repack(makeDocx(""), [
        {
          name: "word/document.xml",
          data: `<!DOCTYPE x [<!ENTITY e0 "lol">${entities}]><w:document><w:body>${makeParagraph("y")}<w:p><w:r><w:t>&e12;</w:t></w:r></w:p></w:body></w:document>`,
        },
      ]),
  },
  {
    name: "an external entity",
    format: "docx",
    make: () =>
      repack(makeDocx(""), [
        {
          name: "word/document.xml",
          data: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>`,
        },
      ]),
  },
  { name: "a tag of 50 MB", format: "docx", make: () => docxOf(`<w:p x="${fill("y", 50 * MB)}"/>`) },
  {
    name: "a comment that does not end",
    format: "docx",
    make: () => docxOf(`${makeParagraph("x")}<!--${fill("y", 50 * MB)}`),
  },
  {
    name: "an equation of 1,000,000 elements",
    format: "docx",
    make: () => docxOf(`<w:p><m:oMath>${"<m:r><m:t>x</m:t></m:r>".repeat(500_000)}</m:oMath></w:p>`),
  },
  {
    name: "an equation nested 1,500 deep",
    format: "docx",
    make: () => docxOf(`<w:p><m:oMath>${"<m:rad><m:e>".repeat(750)}</m:oMath></w:p>`),
  },
  {
    name: "1,000,000 references to notes",
    format: "docx",
    make: () => docxOf(`<w:p>${'<w:r><w:footnoteReference w:id="2"/></w:r>'.repeat(1_000_000)}</w:p>`),
  },
  {
    name: "1,000,000 styles",
    format: "docx",
    make: () =>
      docxWith(
        "styles.xml",
        "styles",
        `<w:styles>${Array.from({ length: 1_000_000 }, (_, i) => `<w:style w:styleId="s${i}"><w:basedOn w:val="s${i + 1}"/></w:style>`).join("")}</w:styles>`,
      ),
  },
  {
    name: "styles that are based on each other",
    format: "docx",
    make: () =>
      docxWith(
        "styles.xml",
        "styles",
        '<w:styles><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>',
        makeParagraph("x", '<w:pStyle w:val="a"/>'),
      ),
  },
  {
    name: "1,000,000 relations",
    format: "docx",
    make: () =>
      repack(makeDocx(makeParagraph("x")), [
        {
          name: "word/_rels/document.xml.rels",
          data: `<Relationships>${Array.from({ length: 1_000_000 }, (_, i) => `<Relationship Id="r${i}" Type="x/header" Target="h.xml"/>`).join("")}</Relationships>`,
        },
      ]),
  },
  {
    name: "100 MB of comments",
    format: "docx",
    make: () =>
      docxWith(
        "comments.xml",
        "comments",
        `<w:comments>${fill(`<w:comment w:id="0" w:author="a">${makeParagraph("words of a comment")}</w:comment>`, 100 * MB)}</w:comments>`,
        '<w:p><w:r><w:commentReference w:id="0"/></w:r></w:p>',
      ),
  },
  {
    name: "a package inside a package",
    format: "docx",
    make: () =>
      repack(makeDocx(makeParagraph("x")), [
        { name: "word/embeddings/inner.docx", data: docxOf(fill("<w:p/>", 50 * MB)) },
      ]),
  },
  {
    name: "200,000 members",
    format: "docx",
    make: () =>
      makeZip([
        ...readStored(makeDocx(makeParagraph("x"))),
        ...Array.from({ length: 200_000 }, (_, i) => ({ name: `word/media/${i}.png`, data: "", stored: true })),
      ]),
  },
  { name: "a sheet of 300 MB", format: "xlsx", make: () => sheetOf(fill("<row><c><v>1</v></c></row>", 300 * MB)) },
  {
    name: "300 MB of strings",
    format: "xlsx",
    make: () =>
      bookWith("sharedStrings", "sharedStrings.xml", `<sst>${fill("<si><t>abc</t></si>", 300 * MB)}</sst>`, ""),
  },
  {
    name: "3,000,000 strings",
    format: "xlsx",
    make: () =>
      bookWith(
        "sharedStrings",
        "sharedStrings.xml",
        `<sst>${"<si><t>a</t></si>".repeat(3_000_000)}</sst>`,
        '<row><c t="s"><v>0</v></c></row>',
      ),
  },
  {
    name: "a long string in 1,000,000 cells",
    format: "xlsx",
    make: () =>
      repack(makeXlsx([{ name: "S", rows: "" }]), [
        { name: "xl/sharedStrings.xml", data: `<sst><si><t>${fill("long ", MB)}</t></si></sst>` },
        {
          name: "xl/worksheets/sheet1.xml",
          data: `<worksheet><sheetData>${'<row><c t="s"><v>0</v></c></row>'.repeat(1_000_000)}</sheetData></worksheet>`,
        },
      ]),
  },
  {
    name: "100,000 rows with one cell at the far right",
    format: "xlsx",
    make: () =>
      sheetOf(
        Array.from(
          { length: 100_000 },
          (_, i) => `<row r="${i + 1}">${cellAt(`XFD${i + 1}`, "x")}${cellAt(`A${i + 1}`, "y")}</row>`,
        ).join(""),
      ),
  },
  {
    name: "cells on a diagonal",
    format: "xlsx",
    make: () =>
      sheetOf(
        Array.from(
          { length: 16_000 },
          (_, i) =>
            `<row r="${i + 1}">${cellAt(`${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[Math.floor(i / 676) % 26]}${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[Math.floor(i / 26) % 26]}${"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 26]}${i + 1}`, "x")}</row>`,
        ).join(""),
      ),
  },
  {
    name: "2,000,000 cell formats",
    format: "xlsx",
    make: () =>
      bookWith(
        "styles",
        "styles.xml",
        `<styleSheet><cellXfs>${'<xf numFmtId="164"/>'.repeat(2_000_000)}</cellXfs></styleSheet>`,
        '<row><c s="1"><v>1</v></c></row>',
      ),
  },
  {
    name: "a number format of 1 MB",
    format: "xlsx",
    make: () =>
      bookWith(
        "styles",
        "styles.xml",
        `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${fill("#,?/ ", MB)}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
        '<row><c s="0"><v>1</v></c></row>',
      ),
  },
  {
    name: "100,000 sheets that are one part",
    format: "xlsx",
    make: () =>
      repack(makeXlsx([{ name: "S", rows: "" }]), [
        { name: "xl/worksheets/sheet1.xml", data: `<worksheet>${fill("<row/>", 4 * MB)}</worksheet>` },
        {
          name: "xl/workbook.xml",
          data: `<workbook><sheets>${'<sheet name="S" r:id="rId1"/>'.repeat(100_000)}</sheets></workbook>`,
        },
      ]),
  },
  {
    name: "20,000 slides that are one part",
    format: "pptx",
    make: () =>
      repack(makePptx([{ shapes: "" }]), [
        { name: "ppt/slides/slide1.xml", data: `<p:sld>${fill("<p:sp/>", 8 * MB)}</p:sld>` },
        {
          name: "ppt/presentation.xml",
          data: `<p:presentation><p:sldIdLst>${'<p:sldId id="256" r:id="rId1"/>'.repeat(20_000)}</p:sldIdLst></p:presentation>`,
        },
      ]),
  },
  {
    name: "500 charts that are one part",
    format: "pptx",
    make: () =>
      repack(
        makePptx([
          {
            shapes: '<c:chart r:id="rId9"/>'.repeat(500) + makeShape(["x"]),
            relations: [{ id: "rId9", type: "chart", target: "../charts/chart1.xml" }],
          },
        ]),
        [{ name: "ppt/charts/chart1.xml", data: `<c:chart>${fill("<c:pt/>", 8 * MB)}</c:chart>` }],
      ),
  },
  {
    name: "a row and its cells repeated 10^9 times",
    format: "ods",
    make: () =>
      odfOf(
        "spreadsheet",
        '<table:table table:name="S"><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
      ),
  },
  {
    name: "10,000 rows repeated 10^6 times",
    format: "ods",
    make: () =>
      odfOf(
        "spreadsheet",
        `<table:table table:name="S">${'<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(10_000)}</table:table>`,
      ),
  },
  {
    name: "100,000 sheets in one part",
    format: "ods",
    make: () => odfOf("spreadsheet", '<table:table table:name="S"/>'.repeat(100_000)),
  },
  {
    name: "spans nested 100,000 deep",
    format: "odt",
    make: () => odfOf("text", `<text:p>${"<text:span>".repeat(100_000)}x`),
  },
  {
    name: "a list item of 10^6 spaces, 10^5 times",
    format: "odt",
    make: () => odfOf("text", `<text:p>${'<text:s text:c="1000000"/>'.repeat(100_000)}</text:p>`),
  },
  {
    name: "a cell repeated 10^9 times, 10^5 times",
    format: "odt",
    make: () =>
      odfOf(
        "text",
        `<table:table><table:table-row>${'<table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell>'.repeat(100_000)}</table:table-row></table:table>`,
      ),
  },
  {
    name: "formulas nested 1,500 deep",
    format: "odt",
    make: () =>
      repack(makeOdf("text", '<text:p><draw:object xlink:href="./Object 1"/>x</text:p>'), [
        { name: "Object 1/content.xml", data: `<math>${"<msqrt>".repeat(1_500)}` },
      ]),
  },
  {
    name: "a password hashed 10^9 times",
    format: "encrypted",
    make: () => {
      const bytes = encryptAgile(makeDocx(makeParagraph("x")), "y", 1_000);
      bytes.write('spinCount="9e9 "', bytes.indexOf('spinCount="1000"'));
      return bytes;
    },
  },
];
