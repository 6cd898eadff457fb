import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compressPackage, type DocumentParts, makeXlsx, type TestSheet } from "../../../../test/office.ts";
import { readOffice } from "../../../../test/office-text.ts";

const read = (sheets: readonly TestSheet[], parts?: DocumentParts) => readOffice("xlsx", makeXlsx(sheets, parts));

/** The text of one sheet below its heading. */
async function readSheet(sheet: Omit<TestSheet, "name">, parts?: DocumentParts): Promise<string> {
  const { text } = await read([{ name: "S", ...sheet }], parts);
  return text.replace(/^## S\n\n/, "");
}

const shared = (...strings: string[]): DocumentParts => ({
  relations: [{ id: "rIdS", type: "sharedStrings", target: "sharedStrings.xml" }],
  parts: { "xl/sharedStrings.xml": `<sst>${strings.map((xml) => `<si>${xml}</si>`).join("")}</sst>` },
});

const styles = (...formats: [id: number, code?: string][]): DocumentParts => ({
  relations: [{ id: "rIdT", type: "styles", target: "styles.xml" }],
  parts: {
    "xl/styles.xml": `<styleSheet><numFmts>${formats.map(([id, code]) => (code === undefined ? "" : `<numFmt numFmtId="${id}" formatCode="${code}"/>`)).join("")}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${formats.map(([id]) => `<xf numFmtId="${id}"/>`).join("")}</cellXfs></styleSheet>`,
  },
});

const cases: readonly { name: string; rows: TestSheet["rows"]; parts?: DocumentParts; text: string }[] = [
  {
    name: "texts and numbers as a table",
    rows: [
      ["Station", "Level"],
      ["Aldmoor", 2.41],
    ],
    text: "| Station | Level |\n| --- | --- |\n| Aldmoor | 2.41 |",
  },
  {
    name: "shared strings with formats, without readings",
    rows: '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s"><v>0</v></c></row>',
    parts: shared("<t>b</t>", "<r><t>Two </t></r><r><t>runs</t></r><rPh><t>reading</t></rPh>"),
    text: "| Two runs | b |\n| --- | --- |",
  },
  {
    name: "booleans, errors, formulas with and without a value, dates as text",
    rows: '<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="e"><v>#REF!</v></c><c r="C1"><f>A1+1</f><v>2</v></c><c r="D1"><f>SUM(A1)</f></c><c r="E1" t="str"><f>x</f><v>done</v></c></row>',
    text: "| TRUE | #REF! | 2 | =SUM(A1) | done |\n| --- | --- | --- | --- | --- |",
  },
  {
    name: "a date, a percentage and an amount as shown",
    rows: '<row r="1"><c r="A1" s="0"><v>45413.5</v></c><c r="B1" s="1"><v>0.125</v></c><c r="C1" s="2"><v>1234567.891</v></c><c r="D1" s="3"><v>-5</v></c></row>',
    parts: styles([22], [10], [164, "#,##0.00\\ &quot;kg&quot;"], [37]),
    text: "| 2024-05-01 12:00 | 12.50% | 1,234,567.89 kg | (5) |\n| --- | --- | --- | --- |",
  },
  {
    name: "empty columns are left out, blank rows separate tables, a lone cell is a title",
    rows: '<row r="2"><c r="C2" t="str"><v>Title</v></c></row><row r="4"><c r="C4" t="str"><v>a</v></c><c r="F4" t="str"><v>b</v></c></row><row r="5"><c r="C5"><v>1</v></c></row><row r="8"><c r="A8"><v>7</v></c><c r="B8"><v>8</v></c></row><row r="9"><c r="B9"><v>9</v></c></row>',
    text: "Title\n\n| a | b |\n| --- | --- |\n| 1 |  |\n\n| 7 | 8 |\n| --- | --- |\n|  | 9 |",
  },
  {
    name: "cells without references, and cells out of order",
    rows: '<row><c><v>1</v></c><c><v>2</v></c></row><row r="2"><c r="B2"><v>4</v></c><c r="A2"><v>3</v></c></row>',
    text: "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
  },
  { name: "bars and line ends in cells", rows: [["a|b", "c\nd"]], text: "| a\\|b | c<br>d |\n| --- | --- |" },
  { name: "escaped control characters", rows: '<row><c t="str"><v>a_x000D_b_x0041_</v></c></row>', text: "a\nbA" },
];

describe("readXlsx", () => {
  for (const { name, rows, parts, text } of cases) {
    test(name, async () => assert.equal(await readSheet({ rows }, parts), text));
  }

  test("cells far apart are written by name, not as thousands of empty cells", async () => {
    const rows = Array.from(
      { length: 40 },
      (_, i) =>
        `<row r="${i + 1}"><c r="${"ABCDEFGHIJ"[i % 10]}${"ABCD"[Math.floor(i / 10)]}${i + 1}"><v>${i}</v></c></row>`,
    );
    const text = await readSheet({ rows: rows.join("") });
    assert.match(text, /^- AA1: 0\n- BA2: 1\n/);
    assert.ok(text.length < 600, `${text.length} characters`);
  });

  test("a hidden sheet says so in its heading and its label; hidden rows and columns are counted", async () => {
    const { segments, info } = await read([
      { name: "Open", rows: [["a", 1]] },
      { name: "Secret", rows: [["b", 2]], state: "veryHidden" },
    ]);
    assert.deepEqual(
      segments.map(({ label, text }) => [label, text.split("\n")[0]]),
      [
        ['sheet "Open"', "## Open"],
        ['sheet "Secret" (hidden)', "## Secret (hidden)"],
      ],
    );
    assert.deepEqual({ pageCount: info.pageCount, ...info }, { pageName: "sheet", pageCount: 2, hiddenSheets: 1 });
  });

  test("a long sheet is split; each part repeats the header and names its rows", async () => {
    const rows = [["Number", "Words"], ...Array.from({ length: 6_000 }, (_, i) => [i, "some words in a cell"])];
    const { segments } = await read([
      { name: "Long", rows },
      { name: "Next", rows: [["x", "y"]] },
    ]);
    assert.ok(segments.length > 3);
    assert.deepEqual(
      segments.map(({ isContinued }) => isContinued),
      [...segments.slice(2).map(() => true), false, false],
    );
    let last = 0;
    for (const { label, text } of segments.slice(0, -1)) {
      const [, first, end] = /^sheet "Long", rows (\d+)-(\d+)$/.exec(label) ?? [];
      assert.equal(Number(first), last + 1);
      last = Number(end);
      assert.match(text, /^(## Long\n\n)?\| Number \| Words \|\n\| --- \| --- \|\n\| \d/);
    }
    assert.equal(last, 6_001);
    assert.equal(segments.at(-1)?.label, 'sheet "Next"');
  });

  test("text boxes, charts, comments of both forms and page headers follow the cells", async () => {
    const text = await readSheet(
      {
        rows: [["a", "b"]],
        after:
          '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"River &amp;&amp; Trust&amp;RPage &amp;P</oddHeader></headerFooter>',
        relations: [
          { id: "rId1", type: "drawing", target: "../drawings/drawing1.xml" },
          { id: "rId2", type: "comments", target: "../comments1.xml" },
          { id: "rId3", type: "threadedComment", target: "../threadedComments/threadedComment1.xml" },
        ],
      },
      {
        relations: [{ id: "rIdP", type: "person", target: "persons/person.xml" }],
        parts: {
          "xl/drawings/drawing1.xml":
            '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>In a box</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:graphicFrame><c:chart r:id="rId1"/></xdr:graphicFrame></xdr:wsDr>',
          "xl/drawings/_rels/drawing1.xml.rels":
            '<Relationships><Relationship Id="rId1" Type="x/chart" Target="../charts/chart1.xml"/></Relationships>',
          "xl/charts/chart1.xml": "<c:chart><c:title><a:p><a:r><a:t>Levels</a:t></a:r></a:p></c:title></c:chart>",
          "xl/comments1.xml":
            '<comments><authors><author>R. Tuckett</author><author>tc={1}</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>R. Tuckett:</t></r><r><t>Check</t></r></text></comment><comment ref="B1" authorId="1"><text><t>[Threaded comment] Your version ...</t></text></comment></commentList></comments>',
          "xl/threadedComments/threadedComment1.xml":
            '<ThreadedComments><threadedComment ref="B1" personId="{P}"><text>Why?</text></threadedComment></ThreadedComments>',
          "xl/persons/person.xml": '<personList><person displayName="E. Varley" id="{P}"/></personList>',
        },
      },
    );
    assert.equal(
      text,
      "| a | b |\n| --- | --- |\n\nIn a box\n\nLevels\n\nComments:\n\n- A1 (R. Tuckett): Check\n- B1 (E. Varley): Why?\n\nRiver & Trust Page",
    );
  });

  test("sheets are found by their usual names where relations are missing", async () => {
    const { text } = await read([{ name: "S", rows: [["a", "b"]] }], { parts: { "xl/_rels/workbook.xml.rels": "" } });
    assert.equal(text, "## S\n\n| a | b |\n| --- | --- |");
  });

  test("dates of the calendar that begins in 1904", async () => {
    const workbook = '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>';
    const { relations = [], parts = {} } = styles([14]);
    const text = await readSheet(
      { rows: '<row r="1"><c r="A1" s="0"><v>1</v></c></row>' },
      { relations, parts: { ...parts, "xl/workbook.xml": workbook } },
    );
    assert.equal(text, "1904-01-02");
  });

  test("of a damaged sheet the readable rows are kept, and the next sheet is read", async () => {
    const rows = Array.from({ length: 500 }, (_, i) => [i, `words ${(i * 7_919) % 1_000}`]);
    const parts = makeXlsx([
      { name: "Bad", rows },
      { name: "Good", rows: [["a", 1]] },
    ]);
    const bytes = compressPackage(parts);
    const at = bytes.indexOf("xl/worksheets/sheet1.xml") + 1_500;
    bytes.fill(0xff, at, at + 300);
    const { segments, failed } = await readOffice("xlsx", bytes);
    assert.equal(failed, null);
    assert.equal(segments.at(-1)?.text, "## Good\n\n| a | 1 |\n| --- | --- |");
  });

  test("a workbook without sheets is corrupt", async () => {
    const { failed } = await read([], {});
    assert.equal(failed?.reason, "corrupt");
  });
});

test("merged cells are listed after the sheet, the first of them by name", async () => {
  const after = '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="B3:B9"/></mergeCells>';
  const text = await readSheet({ rows: [["Levels"], ["a", "b", "c"]], after });
  assert.match(text, /\n\nMerged cells: A1:C1, B3:B9\s*$/);
  const many = `<mergeCells>${Array.from({ length: 80 }, (_, row) => `<mergeCell ref="A${row + 1}:B${row + 1}"/>`).join("")}</mergeCells>`;
  assert.match(await readSheet({ rows: [["a"]], after: many }), /A50:B50 and 30 more\s*$/);
});
