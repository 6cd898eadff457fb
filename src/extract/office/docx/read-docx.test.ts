import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DocumentParts, makeDocx, makeParagraph, makeRelations } from "../../../../test/office.ts";
import { readOffice } from "../../../../test/office-text.ts";

const run = (text: string, format = ""): string =>
  `<w:r><w:rPr>${format}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (...runs: string[]): string => `<w:p>${runs.join("")}</w:p>`;
const cell = (text: string, properties = ""): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${makeParagraph(text)}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join("")}</w:tr>`;

const styles = (...xml: string[]): DocumentParts => ({
  relations: [{ id: "rId1", type: "styles", target: "styles.xml" }],
  parts: { "word/styles.xml": `<w:styles>${xml.join("")}</w:styles>` },
});
const style = (id: string, name: string, properties = "", type = "paragraph"): string =>
  `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/>${properties}</w:style>`;

const level = (index: number, format: string, text: string, start = 1): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const numbering = (levels: string): DocumentParts => ({
  relations: [{ id: "rId1", type: "numbering", target: "numbering.xml" }],
  parts: {
    "word/numbering.xml": `<w:numbering><w:abstractNum w:abstractNumId="7">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
  },
});
const item = (text: string, depth = 0): string =>
  makeParagraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr>`);

const cases: readonly { name: string; body: string; parts?: DocumentParts; text: string }[] = [
  {
    name: "paragraphs",
    body: makeParagraph("One.") + makeParagraph("") + makeParagraph("Two & 3."),
    text: "One.\n\nTwo & 3.",
  },
  {
    name: "headings by the name of a style, by inheritance and by outline level",
    body:
      makeParagraph("Title", '<w:pStyle w:val="T"/>') +
      makeParagraph("First", '<w:pStyle w:val="1"/>') +
      makeParagraph("Own", '<w:pStyle w:val="Own"/>') +
      makeParagraph("Direct", '<w:outlineLvl w:val="2"/>'),
    parts: styles(style("T", "Title"), style("1", "heading 1"), style("Own", "My heading", '<w:basedOn w:val="1"/>')),
    text: "# Title\n\n# First\n\n# Own\n\n### Direct",
  },
  {
    name: "runs of one format share their signs, and spaces stay outside",
    body: paragraph(
      run("bold ", "<w:b/>"),
      run("still bold", "<w:b/>"),
      run(" then "),
      run("italic", "<w:i/>"),
      run("."),
    ),
    text: "**bold still bold** then _italic_.",
  },
  {
    name: "a switch that is off formats nothing",
    body: paragraph(run("plain", '<w:b w:val="0"/><w:i w:val="false"/>')),
    text: "plain",
  },
  {
    name: "scripts, symbols, tabs and breaks",
    body: paragraph(
      run("x"),
      run("2", '<w:vertAlign w:val="superscript"/>'),
      '<w:r><w:tab/><w:t>y</w:t><w:br/><w:sym w:char="F0B7"/><w:noBreakHyphen/></w:r>',
    ),
    text: "x^2\ty\n•-",
  },
  {
    name: "hidden text, by its run or by a style, is left out",
    body: paragraph(run("seen "), run("not ", "<w:vanish/>"), run("nor ", '<w:rStyle w:val="H"/>'), run("again")),
    parts: styles(style("H", "Hidden", "<w:rPr><w:vanish/></w:rPr>", "character")),
    text: "seen again",
  },
  {
    name: "tracked changes as if accepted",
    body: paragraph(
      run("kept "),
      `<w:del>${run("deleted ")}</w:del>`,
      `<w:ins>${run("inserted")}</w:ins>`,
      `<w:moveFrom>${run(" moved")}</w:moveFrom>`,
    ),
    text: "kept inserted",
  },
  {
    name: "numbered and nested lists, counted as shown",
    body: item("a") + item("b") + item("deep", 1) + item("deeper", 1) + item("c") + item("deep again", 1),
    parts: numbering(level(0, "decimal", "%1.") + level(1, "lowerLetter", "%1.%2)")),
    text: "1. a\n2. b\n  2.a) deep\n  2.b) deeper\n3. c\n  3.a) deep again",
  },
  { name: "bullets", body: item("a") + item("b"), parts: numbering(level(0, "bullet", "\uf0b7")), text: "- a\n- b" },
  {
    name: "a list that starts elsewhere, in Roman numerals",
    body: item("a") + item("b"),
    parts: numbering(level(0, "upperRoman", "%1.", 4)),
    text: "IV. a\nV. b",
  },
  {
    name: "tables with merged cells and bars",
    body: `<w:tbl>${row(cell("Name"), cell("A|B"))}${row(cell("wide", '<w:gridSpan w:val="2"/>'))}${row(cell("x"), cell("y", '<w:vMerge w:val="restart"/>'))}${row(cell("z"), cell("", "<w:vMerge/>"))}</w:tbl>`,
    text: "| Name | A\\|B |\n| --- | --- |\n| wide |  |\n| x | y |\n| z |  |",
  },
  {
    name: "a table inside a cell",
    body: `<w:tbl>${row(cell("a"), `<w:tc><w:tbl>${row(cell("in"), cell("side"))}</w:tbl>${makeParagraph("after")}</w:tc>`)}</w:tbl>`,
    text: "| a | in; side<br>after |\n| --- | --- |",
  },
  {
    name: "lines of code share one fence",
    body:
      makeParagraph("let x = 1;", '<w:pStyle w:val="C"/>') +
      makeParagraph("x++;", '<w:pStyle w:val="C"/>') +
      makeParagraph("Text."),
    parts: styles(style("C", "Source Code")),
    text: "```\nlet x = 1;\nx++;\n```\n\nText.",
  },
  {
    name: "links to other documents",
    body: `<w:p><w:hyperlink r:id="rId9">${run("the site")}</w:hyperlink><w:hyperlink w:anchor="here">${run(" and here")}</w:hyperlink></w:p>`,
    parts: { relations: [{ id: "rId9", type: "hyperlink", target: "https://weir.example/a b", isExternal: true }] },
    text: "[the site](https://weir.example/a%20b) and here",
  },
  {
    name: "a field shows its result and not its code",
    body: '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
    text: "12",
  },
  {
    name: "equations as TeX",
    body: "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p>",
    text: "$\\frac{a}{b^{2}}$",
  },
  {
    name: "of alternate content only the first choice",
    body: `<w:p><mc:AlternateContent><mc:Choice Requires="wps"><w:r><w:drawing><wps:txbx><w:txbxContent>${makeParagraph("In the box")}</w:txbxContent></wps:txbx></w:drawing></w:r></mc:Choice><mc:Fallback><w:r><w:t>again</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`,
    text: "In the box",
  },
  {
    name: "the description of a picture",
    body: '<w:p><w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A weir\nin spring"/></w:drawing></w:r></w:p>',
    text: "[image: A weir in spring]",
  },
  {
    name: "ruby: the text without its reading",
    body: "<w:p><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
    text: "東",
  },
  {
    name: "content controls and custom XML",
    body: `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>${makeParagraph("Inside")}</w:sdtContent></w:sdt>`,
    text: "Inside",
  },
];

describe("readDocx", () => {
  for (const { name, body, parts, text } of cases) {
    test(name, async () => assert.equal((await readOffice("docx", makeDocx(body, parts))).text.trim(), text));
  }

  test("headers and footers once, notes and comments with their authors after the text", async () => {
    const story = (element: string, text: string) => `<w:${element}>${makeParagraph(text)}</w:${element}>`;
    const reference = (name: string, id: number) => `<w:r><w:${name} w:id="${id}"/></w:r>`;
    const { text } = await readOffice(
      "docx",
      makeDocx(
        paragraph(
          run("Claim"),
          reference("footnoteReference", 2),
          run(" and more"),
          reference("endnoteReference", 3),
          reference("commentReference", 0),
        ),
        {
          relations: [
            { id: "rId1", type: "header", target: "header1.xml" },
            { id: "rId2", type: "header", target: "header2.xml" },
            { id: "rId3", type: "footer", target: "footer1.xml" },
            { id: "rId4", type: "footnotes", target: "footnotes.xml" },
            { id: "rId5", type: "endnotes", target: "endnotes.xml" },
            { id: "rId6", type: "comments", target: "comments.xml" },
            { id: "rId7", type: "footer", target: "footer2.xml" },
          ],
          parts: {
            "word/header1.xml": story("hdr", "River Trust"),
            "word/header2.xml": story("hdr", "River Trust"),
            "word/footer1.xml": story("ftr", "Confidential"),
            "word/footer2.xml": story("ftr", "- 3 -"),
            "word/footnotes.xml": `<w:footnotes><w:footnote w:id="0" w:type="separator">${makeParagraph("ignored")}</w:footnote><w:footnote w:id="2">${makeParagraph("A source.")}</w:footnote></w:footnotes>`,
            "word/endnotes.xml": `<w:endnotes><w:endnote w:id="3">${makeParagraph("At the end.")}</w:endnote></w:endnotes>`,
            "word/comments.xml": `<w:comments><w:comment w:id="0" w:author="R. Tuckett">${makeParagraph("Really?")}</w:comment></w:comments>`,
          },
        },
      ),
    );
    assert.equal(
      text.trim(),
      "River Trust\n\nClaim[^1] and more[^2]\n\n[^1]: A source.\n\n[^2]: At the end.\n\nComments:\n\n- R. Tuckett: Really?\n\nConfidential",
    );
  });

  test("title, author and date of the document", async () => {
    const core =
      "<cp:coreProperties><dc:title>Levels</dc:title><dc:creator>E. Varley</dc:creator><dcterms:created>2024-05-01T10:00:00Z</dcterms:created></cp:coreProperties>";
    const { info } = await readOffice("docx", makeDocx(makeParagraph("x"), { parts: { "docProps/core.xml": core } }));
    assert.deepEqual([info.title, info.author, info.date], ["Levels", "E. Varley", "2024-05-01T10:00:00Z"]);
  });

  test("a package without relations, and one whose relations lead nowhere, are read by their usual names", async () => {
    const bare = makeDocx(makeParagraph("found"), { parts: { "_rels/.rels": "" } });
    const wrong = makeDocx(makeParagraph("found"), {
      parts: { "_rels/.rels": makeRelations([{ id: "rId1", type: "officeDocument", target: "/gone/document.xml" }]) },
    });
    for (const bytes of [bare, wrong]) assert.equal((await readOffice("docx", bytes)).text.trim(), "found");
  });

  test("strict documents, whose relations have other names", async () => {
    const strict = makeRelations([{ id: "rId1", type: "officeDocument", target: "word/document.xml" }]).replaceAll(
      "schemas.openxmlformats.org/officeDocument/2006",
      "purl.oclc.org/ooxml/officeDocument",
    );
    const { text } = await readOffice("docx", makeDocx(makeParagraph("strict"), { parts: { "_rels/.rels": strict } }));
    assert.equal(text.trim(), "strict");
  });

  test("parts in UTF-16", async () => {
    const xml = `<?xml version="1.0" encoding="UTF-16"?><w:document><w:body>${makeParagraph("Größe 東")}</w:body></w:document>`;
    const bytes = Buffer.from(`\ufeff${xml}`, "utf16le");
    const { text } = await readOffice("docx", makeDocx("", { parts: { "word/document.xml": bytes } }));
    assert.equal(text.trim(), "Größe 東");
  });

  test("a package without a document is corrupt", async () => {
    const { failed } = await readOffice("docx", makeDocx("", { parts: { "word/document.xml": "" } }));
    assert.equal(failed, null);
  });
});

test("parts in other formats are read after the body, and those that are not read are named", async () => {
  const relations = ["page.html", "note.rtf", "plain.txt", "inner.docx", "broken.docx", "mail.mht"].map(
    (target, index) => ({
      id: `rId${index + 1}`,
      type: "aFChunk",
      target,
    }),
  );
  const parts = {
    "word/page.html": "<html><body><h2>Locks</h2><p>Two <b>gates</b>.</p></body></html>",
    "word/note.rtf": "{\\rtf1\\ansi Rich \\'e4 words.\\par{\\b Bold}\\par}",
    "word/plain.txt": "Plain words.",
    "word/inner.docx": makeDocx(makeParagraph("Inner words.")),
    "word/broken.docx": "PK not read",
    "word/mail.mht": "MIME-Version: 1.0",
  };
  const { text } = await readOffice("docx", makeDocx('<w:altChunk r:id="rId1"/>', { relations, parts }));
  assert.deepEqual(
    text.split("\n").filter((line) => line !== ""),
    [
      ...["## Locks", "Two **gates**.", "Rich ä words.", "Bold", "Plain words.", "Inner words."],
      ...["[included document that is not read]", "[included document that is not read]"],
    ],
  );
});

const REST_UNREAD = "[the rest of the included document is not read]";

const relations = [{ id: "rId1", type: "aFChunk", target: "inner.docx" }];

test("documents inside documents are read three deep", async () => {
  const nest = (depth: number): Buffer =>
    makeDocx(
      makeParagraph(`Depth ${depth}.`),
      depth === 5 ? {} : { relations, parts: { "word/inner.docx": nest(depth + 1) } },
    );
  const { text } = await readOffice("docx", nest(0));
  assert.deepEqual(
    text.split("\n").filter((line) => line !== ""),
    ["Depth 0.", "Depth 1.", "Depth 2.", "Depth 3.", "[included document that is not read]"],
  );
});

test("notes of included documents have labels of their own", async () => {
  const withNote = (text: string, included: Readonly<Record<string, Buffer>> = {}): Buffer => {
    const targets = Object.keys(included).map((target) => ({ id: target, type: "aFChunk", target }));
    const note = `<w:footnotes><w:footnote w:id="2">${makeParagraph(`Note of ${text}.`)}</w:footnote></w:footnotes>`;
    return makeDocx(`<w:p><w:r><w:t>${text}</w:t><w:footnoteReference w:id="2"/></w:r></w:p>`, {
      relations: [{ id: "notes", type: "footnotes", target: "footnotes.xml" }, ...targets],
      parts: {
        "word/footnotes.xml": note,
        ...Object.fromEntries(Object.entries(included).map(([name, bytes]) => [`word/${name}`, bytes])),
      },
    });
  };
  const second = withNote("Second", { "third.docx": withNote("Third") });
  const { text } = await readOffice(
    "docx",
    withNote("Outer", { "first.docx": withNote("First"), "second.docx": second }),
  );
  assert.deepEqual(
    text.split("\n").filter((line) => line !== ""),
    [
      ...["Outer[^1]", "First[^1.1]", "[^1.1]: Note of First.", "Second[^2.1]", "Third[^2.1.1]"],
      ...["[^2.1.1]: Note of Third.", "[^2.1]: Note of Second.", "[^1]: Note of Outer."],
    ],
  );
});

test("included documents are read as far as they go, with a note where that is not to their end", async () => {
  const whole = makeDocx(makeParagraph("First words."), {
    relations,
    parts: { "word/inner.docx": makeDocx(makeParagraph("Lost words.")) },
  });
  const tooDeep = `${makeParagraph("First words.")}${"<w:tbl><w:tr><w:tc>".repeat(100_000)}`;
  const cut = whole.subarray(0, whole.indexOf("word/inner.docx"));
  for (const inner of [cut, makeDocx(tooDeep)]) {
    const { text } = await readOffice("docx", makeDocx("", { relations, parts: { "word/inner.docx": inner } }));
    assert.deepEqual(
      text.split("\n").filter((line) => line !== ""),
      ["First words.", REST_UNREAD],
    );
  }
});
