/** Makes the files of test/fixtures/office: `node test/fixtures-office.ts` writes them, and a test compares them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixturesFolder } from "./fixtures.ts";
import { makeDocx, makeOdf, makeParagraph, makePptx, makeShape, makeXlsx } from "./office.ts";

/** The bytes of every document by its file name. The same on every run. */
export function makeOfficeFiles(): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(makers).map(([name, make]) => [name, make()]));
}

const makers: Readonly<Record<string, () => Uint8Array>> = {
  "handbook.docx": makeHandbook,
  "minutes.docx": makeMinutes,
  "levels.xlsx": makeLevels,
  "scattered.xlsx": makeScattered,
  "talk.pptx": makeTalk,
  "letter.odt": makeLetter,
  "stores.ods": makeStores,
  "plans.odp": makePlans,
};

const styled = (text: string, style: string): string => makeParagraph(text, `<w:pStyle w:val="${style}"/>`);
const listed = (text: string, level: number): string =>
  makeParagraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);
const cell = (text: string): string => `<w:tc>${makeParagraph(text)}</w:tc>`;

/** Headings, a numbered list, a table, code, an equation, a picture, a link and a footnote, with header and footer. */
function makeHandbook(): Uint8Array {
  const body = [
    styled("Lock keeper's handbook", "Title"),
    styled("Opening a lock", "Heading1"),
    '<w:p><w:r><w:t xml:space="preserve">Look for </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>boats</w:t></w:r><w:r><w:t xml:space="preserve"> before you look at the lamp</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>.</w:t></w:r></w:p>',
    listed("Close the upper gate.", 0),
    listed("Open the lower sluice.", 0),
    listed("Slowly.", 1),
    listed("Open the lower gate.", 0),
    `<w:tbl><w:tr>${cell("Gate")}${cell("Minutes")}</w:tr><w:tr>${cell("Upper")}${cell("4")}</w:tr><w:tr>${cell("Lower")}${cell("7")}</w:tr></w:tbl>`,
    styled("When the power fails", "Heading2"),
    styled("lock --manual", "Code"),
    '<w:p><w:r><w:t xml:space="preserve">The force is </w:t></w:r><m:oMath><m:r><m:t>F=</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>h</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath><w:r><w:t>.</w:t></w:r></w:p>',
    '<w:p><w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="The crank behind the gate"/></w:drawing></w:r></w:p>',
    '<w:p><w:hyperlink r:id="rId9"><w:r><w:t>Spare cranks</w:t></w:r></w:hyperlink></w:p>',
  ];
  const style = (id: string, name: string): string => `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const level = (index: number, format: string, text: string): string =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  return makeDocx(body.join(""), {
    relations: [
      { id: "rId1", type: "styles", target: "styles.xml" },
      { id: "rId2", type: "numbering", target: "numbering.xml" },
      { id: "rId3", type: "header", target: "header1.xml" },
      { id: "rId4", type: "footer", target: "footer1.xml" },
      { id: "rId5", type: "footnotes", target: "footnotes.xml" },
      { id: "rId9", type: "hyperlink", target: "https://locks.example/cranks", isExternal: true },
    ],
    parts: {
      "word/styles.xml": `<w:styles>${style("Title", "Title")}${style("Heading1", "heading 1")}${style("Heading2", "heading 2")}${style("Code", "Source Code")}</w:styles>`,
      "word/numbering.xml": `<w:numbering><w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "%2)")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
      "word/header1.xml": `<w:hdr>${makeParagraph("Eastmere Harbour Trust")}</w:hdr>`,
      "word/footer1.xml": `<w:ftr>${makeParagraph("Do not remove from the lock house.")}</w:ftr>`,
      "word/footnotes.xml": `<w:footnotes><w:footnote w:id="2">${makeParagraph("The lamp fails more often than the gate.")}</w:footnote></w:footnotes>`,
      "docProps/core.xml":
        "<cp:coreProperties><dc:title>Lock keeper's handbook</dc:title><dc:creator>E. Varley</dc:creator></cp:coreProperties>",
    },
  });
}

/** Tracked changes, hidden text and a comment. */
function makeMinutes(): Uint8Array {
  const body =
    '<w:p><w:r><w:t xml:space="preserve">The accounts were </w:t></w:r><w:del><w:r><w:delText>rejected</w:delText></w:r></w:del><w:ins><w:r><w:t>approved</w:t></w:r></w:ins><w:r><w:t>.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t xml:space="preserve"> Nobody read them.</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>';
  return makeDocx(body, {
    relations: [{ id: "rId1", type: "comments", target: "comments.xml" }],
    parts: {
      "word/comments.xml": `<w:comments><w:comment w:id="0" w:author="R. Tuckett">${makeParagraph("Was this not in April?")}</w:comment></w:comments>`,
    },
  });
}

/** Dates, amounts and percentages as shown, a hidden sheet, a comment. */
function makeLevels(): Uint8Array {
  const rows =
    '<row r="1"><c r="A1" t="inlineStr"><is><t>Date</t></is></c><c r="B1" t="inlineStr"><is><t>Level m</t></is></c><c r="C1" t="inlineStr"><is><t>Change</t></is></c><c r="D1" t="inlineStr"><is><t>Cost</t></is></c></row>' +
    '<row r="2"><c r="A2" s="1"><v>45413</v></c><c r="B2" s="2"><v>2.4</v></c><c r="C2" s="3"><v>0.125</v></c><c r="D2" s="4"><v>-1234.5</v></c></row>' +
    '<row r="3" hidden="1"><c r="A3" s="1"><v>45414</v></c><c r="B3"><f>SUM(B2)</f><v>2.4</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" t="e"><v>#DIV/0!</v></c></row>';
  return makeXlsx(
    [
      { name: "Levels", rows, relations: [{ id: "rId1", type: "comments", target: "../comments1.xml" }] },
      { name: "Old", rows: [["Kept", "for the record"]], state: "hidden" },
    ],
    {
      relations: [{ id: "rId9", type: "styles", target: "styles.xml" }],
      parts: {
        "xl/styles.xml":
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ &quot;EUR&quot;;[Red]\\-#,##0.00\\ &quot;EUR&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="2"/><xf numFmtId="10"/><xf numFmtId="164"/></cellXfs></styleSheet>',
        "xl/comments1.xml":
          '<comments><authors><author>R. Tuckett</author></authors><commentList><comment ref="B2" authorId="0"><text><t>Gauge was dirty.</t></text></comment></commentList></comments>',
      },
    },
  );
}

/** A title, two tables and cells far apart. */
function makeScattered(): Uint8Array {
  const far = Array.from(
    { length: 12 },
    (_, i) => `<row r="${20 + i}"><c r="${String.fromCharCode(65 + 2 * i)}${20 + i}"><v>${i}</v></c></row>`,
  );
  const rows = `<row r="2"><c r="B2" t="inlineStr"><is><t>Winter stores</t></is></c></row><row r="4"><c r="B4" t="inlineStr"><is><t>Item</t></is></c><c r="E4" t="inlineStr"><is><t>Count</t></is></c></row><row r="5"><c r="B5" t="inlineStr"><is><t>Rope</t></is></c><c r="E5"><v>12</v></c></row><row r="8"><c r="B8" t="inlineStr"><is><t>Boat</t></is></c><c r="C8" t="inlineStr"><is><t>Berth</t></is></c></row><row r="9"><c r="B9" t="inlineStr"><is><t>Marigold</t></is></c><c r="C9"><v>7</v></c></row>${far.join("")}`;
  return makeXlsx([{ name: "Stores", rows }]);
}

function makeTalk(): Uint8Array {
  const footer = makeShape(["Eastmere Harbour Trust"], "ftr");
  const tableCell = (text: string): string =>
    `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const table = `<p:graphicFrame><a:tbl><a:tr>${tableCell("Gate")}${tableCell("Minutes")}</a:tr><a:tr>${tableCell("Upper")}${tableCell("4")}</a:tr></a:tbl></p:graphicFrame>`;
  return makePptx([
    { shapes: makeShape(["Opening a lock"], "ctrTitle") + makeShape(["For new keepers"], "subTitle") + footer },
    {
      shapes:
        makeShape(["Three steps"], "title") +
        makeShape(["Close the upper gate", "Open the sluice", "Wait"], "body") +
        footer,
      notes: "Let them try it on the model first.",
    },
    { shapes: makeShape(["Times"], "title") + table + footer, isHidden: true },
  ]);
}

function makeLetter(): Uint8Array {
  const body = `<text:h text:outline-level="1">To the harbour master</text:h><text:p>The <text:span text:style-name="B">north gate</text:span> leaks<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Since March.</text:p></text:note-body></text:note>.</text:p><text:list text:style-name="L1"><text:list-item><text:p>Drain it.</text:p></text:list-item><text:list-item><text:p>Seal it.</text:p></text:list-item></text:list><text:p>The area is <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p><text:p><office:annotation><dc:creator>R. Tuckett</dc:creator><text:p>Who pays?</text:p></office:annotation>Yours, E. Varley</text:p>`;
  return makeOdf("text", body, {
    styles:
      '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style>',
    parts: {
      "Object 1/content.xml": "<math><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>",
      "styles.xml":
        "<office:document-styles><style:master-page><style:header><text:p>Eastmere, 3 May</text:p></style:header></style:master-page></office:document-styles>",
    },
  });
}

function makeStores(): Uint8Array {
  const one = (text: string, more = ""): string =>
    `<table:table-cell${more}><text:p>${text}</text:p></table:table-cell>`;
  return makeOdf(
    "spreadsheet",
    `<table:table table:name="Stores"><table:table-row>${one("Item")}${one("Count")}</table:table-row><table:table-row table:number-rows-repeated="2">${one("Rope")}${one("12")}</table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table>`,
  );
}

function makePlans(): Uint8Array {
  const page = (text: string, notes: string): string =>
    `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame><presentation:notes><text:p>${notes}</text:p></presentation:notes></draw:page>`;
  return makeOdf("presentation", page("A second gauge", "Ask for money here.") + page("Questions", ""));
}

if (import.meta.main) {
  const folder = join(fixturesFolder, "office");
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of makeOfficeFiles()) writeFileSync(join(folder, name), bytes);
}
