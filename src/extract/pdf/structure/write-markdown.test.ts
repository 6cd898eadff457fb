import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { drawLine, type FixtureOptions, type FixturePage, makeStream, writePdf } from "../../../../test/pdf.ts";
import { openPdf } from "../document.ts";

const fonts = {
  20: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
  21: "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
};
const resources = "/Resources << /Font << /F1 3 0 R /B 20 0 R /M 21 0 R >> >>";
const BOLD = "/B 10 Tf";
const MONO = "/M 10 Tf";
const BODY = "/F1 10 Tf";

const prose = [
  "The harbour was surveyed twice before it was closed, and both surveys",
  "agree on the depth of the basin, the state of the piles and the length",
  "of the quay, which had been lengthened in the year before the first of",
  "them without any record being made of the work or of those who did it.",
];

/** Lines of body text, so that headings can differ from it. */
function drawProse(top: number): string {
  return prose.map((line, index) => drawLine(line, 60, top - 13 * index, BODY)).join("");
}

async function readMarkdown(pages: readonly FixturePage[], options: FixtureOptions = {}): Promise<string[]> {
  const all = pages.map((page) => ({ entries: resources, ...page }));
  const opened = await openPdf(writePdf(all, { ...options, objects: { ...fonts, ...options.objects } }));
  assert.ok("document" in opened);
  const { document } = opened;
  const bookmarksOf = (index: number) => document.outline.filter(({ page }) => page === index);
  const texts = all.map((_, index) => document.readPageMarkdown(index, { bookmarks: bookmarksOf(index) }).text);
  document.close();
  return texts;
}

const readPage = async (content: string, options?: FixtureOptions): Promise<string> =>
  (await readMarkdown([{ content }], options))[0] ?? "";

describe("headings", () => {
  const levels = [
    { font: "/F1 20 Tf", mark: "# " },
    { font: "/F1 15 Tf", mark: "## " },
    { font: "/F1 12 Tf", mark: "### " },
    { font: BOLD, mark: "#### " },
    { font: "/F1 10 Tf", mark: "" },
  ];
  for (const { font, mark } of levels) {
    test(`a line in ${font} is written as "${mark}"`, async () => {
      const text = await readPage(drawLine("State of the piles", 60, 700, font) + drawProse(670));
      assert.equal(text.split("\n")[0], `${mark}State of the piles`);
    });
  }

  test("two large lines are one heading", async () => {
    const title = drawLine("On the state of the piles", 60, 720, "/F1 20 Tf");
    const text = await readPage(title + drawLine("and of the quay", 60, 697, "/F1 20 Tf") + drawProse(650));
    assert.match(text, /^# On the state of the piles and of the quay\n\nThe harbour/);
  });

  test("bold words in a paragraph are not a heading", async () => {
    const text = await readPage(drawProse(700) + drawLine("in the year 1931", 60, 648, BOLD) + drawProse(635));
    assert.doesNotMatch(text, /#/);
  });

  test("a line that a bookmark leads to is a heading of its level", async () => {
    const objects = {
      30: "<< /First 31 0 R /Last 31 0 R /Count 1 >>",
      31: "<< /Title (State of the piles) /Parent 30 0 R /First 32 0 R /Last 32 0 R /Dest [100 0 R /Fit] >>",
      32: "<< /Title (Depth) /Parent 31 0 R /Dest [100 0 R /Fit] >>",
    };
    const content = drawLine("1 State of the piles", 60, 720, BODY) + drawProse(690) + drawLine("Depth", 60, 600, BODY);
    const text = await readPage(content, { objects, catalog: "/Outlines 30 0 R" });
    assert.match(text, /^# 1 State of the piles\n[\s\S]*\n## Depth$/);
  });

  test("tags decide over size and weight", async () => {
    const tagged = (tag: string, id: number, line: string) => `/${tag} << /MCID ${id} >> BDC ${line} EMC `;
    const content =
      tagged("H2", 0, drawLine("State of the piles", 60, 720, BODY)) +
      tagged("P", 1, drawLine("Large, but a paragraph", 60, 690, "/F1 20 Tf")) +
      tagged("P", 2, drawProse(650));
    const element = (type: string, id: number) => `<< /Type /StructElem /S /${type} /P 31 0 R /Pg 100 0 R /K ${id} >>`;
    const objects = {
      30: "<< /Type /StructTreeRoot /K 31 0 R /ParentTree 35 0 R >>",
      31: "<< /Type /StructElem /S /Document /P 30 0 R /K [32 0 R 33 0 R 34 0 R] >>",
      32: element("H2", 0),
      33: element("P", 1),
      34: element("P", 2),
      35: "<< /Nums [0 [32 0 R 33 0 R 34 0 R]] >>",
    };
    const page = { content, entries: `${resources} /StructParents 0` };
    const catalog = "/StructTreeRoot 30 0 R /MarkInfo << /Marked true >>";
    const [text = ""] = await readMarkdown([page], { objects, catalog });
    assert.match(text, /^## State of the piles\n\nLarge, but a paragraph\n/);
  });
});

const cells = [
  ["Station", "Level", "Note"],
  ["Aldmoor", "2.41", "rising"],
  ["Brackwell", "1.08", "gate closed"],
];
const tableText = [
  "| Station | Level | Note |",
  "| --- | --- | --- |",
  "| Aldmoor | 2.41 | rising |",
  "| Brackwell | 1.08 | gate closed |",
].join("\n");

/** The cells of a table, each at the left of its column. */
function drawCells(rows: readonly (readonly string[])[], top: number): string {
  return rows
    .flatMap((row, index) => row.map((text, column) => drawLine(text, 64 + 120 * column, top - 20 * index, BODY)))
    .join("");
}

describe("tables", () => {
  test("rows whose cells are aligned are a table", async () => {
    assert.equal(await readPage(drawCells(cells, 700)), tableText);
  });

  test("rules separate cells that are close together", async () => {
    const rules = [60, 120, 150, 240].map((x) => `${x} 650 m ${x} 716 l S `).join("");
    const lines = [650, 672, 694, 716].map((y) => `60 ${y} m 240 ${y} l S `).join("");
    const rows = [
      ["Station of reading", "m", "Note"],
      ["Aldmoor gauge", "2", "rising"],
      ["Brackwell", "1", "gate closed"],
    ];
    const text = rows
      .flatMap((row, index) =>
        row.map((cell, column) => drawLine(cell, [62, 124, 152][column] ?? 0, 700 - 22 * index, "/F1 6 Tf")),
      )
      .join("");
    assert.match(
      await readPage(rules + lines + text),
      /^\| Station of reading \| m \| Note \|\n.*\n\| Aldmoor gauge \| 2 \|/,
    );
  });

  test("a cell of several lines is one cell", async () => {
    const long = drawLine("gate closed since", 304, 660, BODY) + drawLine("the flood", 304, 648, BODY);
    const rows = [...cells.slice(0, 2), ["Brackwell", "1.08"]];
    const text = await readPage(drawCells(rows, 700) + long + drawCells([["Dunmere", "12.60", "none"]], 620));
    assert.match(text, /\| Brackwell \| 1\.08 \| gate closed since the flood \|\n\| Dunmere/);
  });

  test("a pipe inside a cell is escaped", async () => {
    assert.match(await readPage(drawCells([...cells, ["a|b", "1", "c"]], 700)), /\| a\\\|b \| 1 \| c \|$/);
  });

  test("a cell that fills its column is a cell too", async () => {
    // The widths of Helvetica: the gap after the long name is that of a space.
    const rows = [
      ["Pier", "Depth", "State"],
      ["North mole", "4 m", "good"],
      ["Outer basin of the fish quay", "6 m", "poor"],
      ["South", "5 m", "good"],
    ];
    const content = rows.map((row, index) =>
      row.map((cell, column) => drawLine(cell, [60, 190, 320][column] ?? 0, 700 - 14 * index, BODY)).join(""),
    );
    const text = await readPage(content.join(""));
    assert.match(text, /^\| Outer basin of the fish quay \| 6 m \| poor \|$/m);
    assert.equal(text.split("\n").length, 5);
  });

  test("rows of code below a head in another font are a table; aligned code is not", async () => {
    const code = [
      ["open(path)", "load(path)"],
      ["close()", "unload()"],
      ["read(4)", "take(4)"],
    ];
    const drawRows = (top: number): string =>
      code
        .flatMap((row, index) => row.map((cell, column) => drawLine(cell, 60 + 200 * column, top - 14 * index, MONO)))
        .join("");
    const head = drawLine("Old call", 60, 714, BODY) + drawLine("New call", 260, 714, BODY);
    assert.match(await readPage(head + drawRows(700) + drawProse(600)), /^\| close\(\) \| unload\(\) \|$/m);
    assert.doesNotMatch(await readPage(drawProse(780) + drawRows(680)), /\|/);
  });

  test("two columns of text are not a table", async () => {
    const column = (x: number) => prose.map((line, index) => drawLine(line.slice(0, 40), x, 700 - 13 * index, BODY));
    assert.doesNotMatch(await readPage([...column(60), ...column(320)].join("")), /\|/);
  });

  test("the points of a plot are not a table", async () => {
    const grid = [60, 160, 260, 360].flatMap((at) => [
      `${at} 400 m ${at} 700 l S `,
      `60 ${at + 340} m 360 ${at + 340} l S `,
    ]);
    assert.doesNotMatch(await readPage(grid.join("") + drawLine("peak", 300, 600, BODY)), /\|/);
  });
});

const SMALL = "/F1 7 Tf";

/** A word with a superscript behind it, and the small lines at the foot of the page. */
function drawNoted(mark: string, foot: readonly string[], word = "hollow"): string {
  const text = drawLine(word, 60, 640, BODY) + drawLine(mark, 60 + 5 * word.length + 2, 644, SMALL);
  return drawProse(700) + text + foot.map((line, index) => drawLine(line, 60, 90 - 9 * index, SMALL)).join("");
}

describe("footnotes", () => {
  test("are linked and written after the text", async () => {
    const text = await readPage(drawNoted("1", ["1  Counted from the", "seaward end."]));
    assert.match(text, /\nhollow\[\^1\]\n\n\[\^1\]: Counted from the seaward end\.$/);
  });

  test("of the first column do not interrupt the second", async () => {
    const left = drawLine("left hollow", 60, 700, BODY) + drawLine("2", 113, 704, SMALL);
    const note = drawLine("2. Counted twice.", 60, 90, SMALL);
    const text = await readPage(left + note + drawLine("right column", 340, 700, BODY));
    assert.match(text, /^left hollow\[\^2\][\s\S]*right column\n\n\[\^2\]: Counted twice\.$/);
  });

  test("may be marked with signs", async () => {
    const text = await readPage(
      `${drawProse(700)}${drawLine("hollow*", 60, 640, BODY)}${drawLine("* Counted.", 60, 90, SMALL)}`,
    );
    assert.match(text, /hollow\[\^\*\]\n\n\[\^\*\]: Counted\.$/);
  });

  const others = [
    { name: "are not exponents", content: drawNoted("2", ["2 Counted twice."], "an area of 4 km") },
    { name: "need a superscript", content: drawNoted("3", ["1 Counted twice."]) },
    { name: "are not the entries of a list", content: drawNoted("1", ["1 Weirs", "2 Locks", "3 Piles"]) },
    {
      name: "are not small lines above the text",
      content: drawNoted("1", []) + drawLine("1 Counted twice.", 60, 500, SMALL) + drawProse(470),
    },
  ];
  for (const { name, content } of others) test(name, async () => assert.doesNotMatch(await readPage(content), /\[\^/));
});

test("bullets become items of a list", async () => {
  const objects = { 22: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>" };
  const entries = "/Resources << /Font << /F1 22 0 R >> >>";
  const items = ["piles", "quay"].map((text, index) => drawLine(`\\225 ${text}`, 60, 700 - 14 * index, BODY)).join("");
  const [text] = await readMarkdown([{ content: items, entries }], { objects });
  assert.equal(text, "- piles\n- quay");
});

test("monospaced lines are code with their indentation", async () => {
  const code = ["while (water.rises()) {", "  gate.close();", "}"];
  const drawn = code
    .map((line, index) =>
      drawLine(line.trimStart().replace(/[()]/g, "\\$&"), line.startsWith(" ") ? 72 : 60, 600 - 12 * index, MONO),
    )
    .join("");
  const text = await readPage(drawProse(700) + drawn);
  assert.ok(text.endsWith(`\n\n\`\`\`\n${code.join("\n")}\n\`\`\``), text);
});

test("text that looks like a heading or a fence is escaped", async () => {
  assert.equal(await readPage(drawLine("# not one", 60, 700, BODY)), "\\# not one");
  assert.equal(await readPage(drawLine("~~~ nor this", 60, 700, BODY)), "\\~~~ nor this");
});

describe("running lines", () => {
  const header = (text: string) => drawLine(text, 60, 770, "/F1 8 Tf");
  const footer = (text: string) => drawLine(text, 280, 30, "/F1 8 Tf");

  test("are shown once, with their page numbers", async () => {
    const contents = [1, 2, 3].map(
      (page) => header("Survey of the quay") + drawProse(700) + footer(`Page ${page} of 3`),
    );
    const texts = await readMarkdown(contents.map((content) => ({ content })));
    assert.deepEqual(
      texts.map((text) => [text.includes("Survey"), text.includes("of 3"), text.includes(prose[0] ?? "")]),
      [
        [true, true, true],
        [false, false, true],
        [false, false, true],
      ],
    );
  });

  test("of left and right pages are both shown once", async () => {
    const contents = ["Left", "Right", "Left", "Right"].map((text) => header(text) + drawProse(700));
    const texts = await readMarkdown(contents.map((content) => ({ content })));
    assert.deepEqual(
      texts.map((text) => /^(?:Left|Right)/.test(text)),
      [true, true, false, false],
    );
  });

  test("are left alone where their numbers are not those of pages", async () => {
    const contents = [17, 99].map((number) => header(`Invoice ${number}`) + drawProse(700));
    const texts = await readMarkdown(contents.map((content) => ({ content })));
    assert.deepEqual(
      texts.map((text) => text.slice(0, 10)),
      ["Invoice 17", "Invoice 99"],
    );
  });

  test("do not include the head of a table that continues", async () => {
    const contents = [0, 1].map(() => drawCells(cells, 770));
    const texts = await readMarkdown(contents.map((content) => ({ content })));
    assert.deepEqual(texts, [tableText, tableText]);
  });

  test("are dropped alike whether the pages before were read or not", async () => {
    const contents = [1, 2, 3].map((page) => header("Survey of the quay") + drawProse(700) + footer(`${page}`));
    const bytes = writePdf(
      contents.map((content) => ({ content, entries: resources })),
      { objects: fonts },
    );
    const opened = await openPdf(bytes);
    assert.ok("document" in opened);
    const alone = opened.document.readPageMarkdown(2, { bookmarks: [] }).text;
    assert.equal(alone, (await readMarkdown(contents.map((content) => ({ content }))))[2]);
    opened.document.close();
  });
});

test("a page of a form keeps its fields", async () => {
  const freeText = makeStream(
    "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>",
    drawLine("Approved", 2, 5),
  );
  const objects = {
    30: "<< /Type /Annot /Subtype /Stamp /Rect [100 695 300 715] /AP << /N 31 0 R >> >>",
    31: freeText,
  };
  const page = { content: drawLine("State:", 50, 700), entries: `${resources} /Annots [30 0 R]` };
  assert.deepEqual(await readMarkdown([page], { objects }), ["State: Approved"]);
});
