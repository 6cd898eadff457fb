import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeOdf, type PackageParts } from "../../../../test/office.ts";
import { readOffice } from "../../../../test/office-text.ts";

const p = (text: string, style = ""): string =>
  `<text:p${style === "" ? "" : ` text:style-name="${style}"`}>${text}</text:p>`;
const cell = (text: string, more = ""): string =>
  `<table:table-cell${more}>${text === "" ? "" : p(text)}</table:table-cell>`;
const row = (...cells: string[]): string => `<table:table-row>${cells.join("")}</table:table-row>`;
const textStyle = (name: string, properties: string): string =>
  `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`;
const numbered =
  '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>';
const item = (content: string, more = ""): string => `<text:list-item${more}>${content}</text:list-item>`;
const list = (items: string, more = ' text:style-name="L1"'): string => `<text:list${more}>${items}</text:list>`;
const math =
  "<math><semantics><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac><annotation>a over b^2</annotation></semantics></math>";

const cases: readonly { name: string; body: string; styles?: string; parts?: PackageParts; text: string }[] = [
  {
    name: "paragraphs and headings",
    body: `<text:h text:outline-level="2">Scope</text:h>${p("Text.")}`,
    text: "## Scope\n\nText.",
  },
  {
    name: "spaces, tabs and breaks are elements",
    body: p("a\n  b<text:s text:c='2'/>c<text:tab/>d<text:line-break/>e"),
    text: "a b  c\td\ne",
  },
  {
    name: "formats of spans",
    body: p('<text:span text:style-name="B">bold</text:span> and <text:span text:style-name="I">italic</text:span>'),
    styles: textStyle("B", 'fo:font-weight="bold"') + textStyle("I", 'fo:font-style="italic"'),
    text: "**bold** and _italic_",
  },
  {
    name: "hidden text, paragraphs and sections are left out",
    body: `${p('seen<text:span text:style-name="H"> not</text:span>')}${p("nor this", "H")}<text:section text:display="none">${p("nor that")}</text:section>`,
    styles: textStyle("H", 'text:display="none"'),
    text: "seen",
  },
  {
    name: "lists are numbered by their style, nested, and continued",
    body:
      list(item(p("a") + list(item(p("deep")), "")) + item(p("b") + p("more of b"))) +
      p("Between.") +
      list(item(p("c")), ' text:style-name="L1" text:continue-numbering="true"') +
      list(item(p("new"))) +
      list(item(p("nine"), ' text:start-value="9"')),
    styles: numbered,
    text: "1. a\n  a) deep\n2. b\n  more of b\n\nBetween.\n\n3. c\n1. new\n9. nine",
  },
  { name: "bullets", body: list(item(p("a")) + item(p("b")), ""), text: "- a\n- b" },
  {
    name: "tables with repeated and covered cells",
    body: `<table:table>${row(cell("a"), cell("x", ' table:number-columns-repeated="2"'))}${row(cell("b", ' table:number-columns-spanned="2"'), "<table:covered-table-cell/>", cell("c"))}</table:table>`,
    text: "| a | x | x |\n| --- | --- | --- |\n| b |  | c |",
  },
  {
    name: "footnotes and comments with their authors",
    body: p(
      `Claim<text:note><text:note-citation>1</text:note-citation><text:note-body>${p("A source.")}</text:note-body></text:note><office:annotation><dc:creator>R. Tuckett</dc:creator><dc:date>2024-05-01</dc:date>${p("Really?")}</office:annotation>.`,
    ),
    text: "Claim[^1].\n\n[^1]: A source.\n\nComments:\n\n- R. Tuckett: Really?",
  },
  {
    name: "links",
    body: p('See <text:a xlink:href="https://weir.example/">the site</text:a>.'),
    text: "See [the site](https://weir.example/).",
  },
  {
    name: "deleted text is left out",
    body: `<text:tracked-changes>${p("gone")}</text:tracked-changes>${p("kept")}`,
    text: "kept",
  },
  {
    name: "frames follow their paragraph, pictures are described",
    body: p(
      `Before <draw:frame><draw:text-box>${p("boxed")}</draw:text-box><svg:desc>A lock</svg:desc></draw:frame>after`,
    ),
    text: "Before\nboxed\n\n[image: A lock]\nafter",
  },
  {
    name: "formulas as TeX",
    body: p('Area <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.'),
    parts: { "Object 1/content.xml": math },
    text: "Area $\\frac{a}{b^2}$.",
  },
];

describe("readOdt", () => {
  for (const { name, body, styles = "", parts = {}, text } of cases) {
    test(name, async () => {
      const actual = await readOffice("odt", makeOdf("text", body, { styles, parts }));
      assert.equal(actual.text.trim(), text);
    });
  }

  test("headers and footers once, facts from meta.xml", async () => {
    const page = (name: string) =>
      `<style:master-page style:name="${name}"><style:header>${p("River Trust")}</style:header><style:footer>${p("Page <text:page-number>1</text:page-number>")}</style:footer></style:master-page>`;
    const { text, info } = await readOffice(
      "odt",
      makeOdf("text", p("Body."), {
        parts: {
          "styles.xml": `<office:document-styles><office:master-styles>${page("A")}${page("B")}</office:master-styles></office:document-styles>`,
          "meta.xml":
            "<office:document-meta><office:meta><dc:title>Levels</dc:title><meta:initial-creator>E. Varley</meta:initial-creator></office:meta></office:document-meta>",
        },
      }),
    );
    assert.equal(text.trim(), "River Trust\n\nBody.\n\nPage 1");
    assert.deepEqual([info.title, info.author], ["Levels", "E. Varley"]);
  });
});

describe("readOds", () => {
  const sheet = (name: string, rows: string, more = ""): string =>
    `<table:table table:name="${name}"${more}>${rows}</table:table>`;

  test("sheets with repeated cells and rows, hidden ones marked, comments listed", async () => {
    const rows =
      row(cell("Station"), cell("Level")) +
      `<table:table-row table:number-rows-repeated="2">${cell("Aldmoor")}${cell("2.41", ' office:value="2.4099"')}</table:table-row>` +
      `<table:table-row table:visibility="collapse">${cell("hidden")}${cell("", ' table:number-columns-repeated="16000"')}</table:table-row>` +
      `<table:table-row table:number-rows-repeated="1000000">${cell("", ' table:number-columns-repeated="16000"')}</table:table-row>`;
    const noted = row(
      `<table:table-cell><office:annotation><dc:creator>R. T.</dc:creator>${p("Check")}</office:annotation>${p("x")}</table:table-cell>`,
      cell("y"),
    );
    const { segments, info } = await readOffice(
      "ods",
      makeOdf("spreadsheet", sheet("Levels", rows) + sheet("Old", noted, ' table:style-name="ta2"'), {
        styles:
          '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>',
      }),
    );
    assert.deepEqual(
      segments.map(({ text }) => text),
      [
        "## Levels\n\n| Station | Level |\n| --- | --- |\n| Aldmoor | 2.41 |\n| Aldmoor | 2.41 |\n| hidden |  |",
        "## Old (hidden)\n\n| x | y |\n| --- | --- |\n\nComments:\n\n- A1 (R. T.): Check",
      ],
    );
    assert.deepEqual({ ...info }, { pageName: "sheet", pageCount: 2, hiddenSheets: 1 });
  });

  test("merged cells are listed after the sheet", async () => {
    const spanned = (columns: number, rows: number) =>
      ` table:number-columns-spanned="${columns}" table:number-rows-spanned="${rows}"`;
    const rows =
      row(cell("Levels", spanned(3, 1)), '<table:covered-table-cell table:number-columns-repeated="2"/>') +
      row(cell("a"), cell("b", spanned(1, 2)), cell("c")) +
      row(cell("d"), "<table:covered-table-cell/>", cell("e"));
    const { segments } = await readOffice("ods", makeOdf("spreadsheet", sheet("S", rows)));
    assert.match(segments[0]?.text ?? "", /\n\nMerged cells: A1:C1, B2:B3$/);
  });

  test("a table inside a cell is not a sheet", async () => {
    const inner = `<table:table-cell>${sheet("Inner", row(cell("in")))}${p("out")}</table:table-cell>`;
    const { info, segments } = await readOffice(
      "ods",
      makeOdf("spreadsheet", sheet("A", row(inner)) + sheet("B", row(cell("b")))),
    );
    assert.equal(info.pageCount, 2);
    assert.deepEqual(
      segments.map(({ label }) => label),
      ['sheet "A"', 'sheet "B"'],
    );
  });
});

describe("readOdp", () => {
  test("slides with notes; hidden ones say so", async () => {
    const page = (text: string, notes: string, style = "dp1"): string =>
      `<draw:page draw:style-name="${style}"><draw:frame><draw:text-box>${text}</draw:text-box></draw:frame><presentation:notes>${notes}</presentation:notes></draw:page>`;
    const { segments, info } = await readOffice(
      "odp",
      makeOdf(
        "presentation",
        page(p("Levels"), p("Speak slowly.")) + page(list(item(p("a")) + item(p("b"))), "", "dp2"),
        {
          styles: `${numbered}<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`,
        },
      ),
    );
    assert.deepEqual(
      segments.map(({ text }) => text),
      ["## Slide 1\n\nLevels\n\nNotes:\n\nSpeak slowly.", "## Slide 2 (hidden)\n\n1. a\n2. b"],
    );
    assert.equal(info.pageCount, 2);
  });
});
