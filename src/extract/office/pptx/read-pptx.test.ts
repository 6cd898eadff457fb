import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makePptx, makeShape, type TestSlide } from "../../../../test/office.ts";
import { readOffice } from "../../../../test/office-text.ts";

const chart =
  "<c:chart><c:title><a:p><a:r><a:t>Levels</a:t></a:r></a:p></c:title><c:ser><c:tx><c:f>Sheet1!$B$1</c:f><c:v>North</c:v></c:tx><c:cat><c:pt><c:v>May</c:v></c:pt><c:pt><c:v>June</c:v></c:pt></c:cat><c:val><c:pt><c:v>2.4</c:v></c:pt><c:pt><c:v>3</c:v></c:pt></c:val></c:ser></c:chart>";
const diagram =
  "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Bu</a:t></a:r><a:r><a:t>ild</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>";
const cell = (text: string): string => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
const paragraph = (text: string, properties: string): string => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;

const cases: readonly { name: string; slide: TestSlide; text: string }[] = [
  {
    name: "the title is the heading, body paragraphs are a list",
    slide: { shapes: makeShape(["Levels"], "title") + makeShape(["One", "Two"], "body") },
    text: "## Slide 1: Levels\n\n- One\n- Two",
  },
  {
    name: "a single paragraph is no list",
    slide: { shapes: makeShape(["Alone"], "body") },
    text: "## Slide 1\n\nAlone",
  },
  {
    name: "levels and bullets of paragraphs",
    slide: {
      shapes: `<p:sp><p:txBody>${paragraph("a", "<a:pPr><a:buChar char='-'/></a:pPr>")}${paragraph("b", "<a:pPr lvl='1'/>")}${paragraph("plain", "<a:pPr><a:buNone/></a:pPr>")}</p:txBody></p:sp>`,
    },
    text: "## Slide 1\n\n- a\n  - b\n\nplain",
  },
  {
    name: "tables",
    slide: {
      shapes: `<p:graphicFrame><a:tbl><a:tr>${cell("a")}${cell("b")}</a:tr><a:tr>${cell("1")}${cell("2")}</a:tr></a:tbl></p:graphicFrame>`,
    },
    text: "## Slide 1\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    name: "a hidden slide says so",
    slide: { shapes: makeShape(["x"]), isHidden: true },
    text: "## Slide 1 (hidden)\n\nx",
  },
  { name: "speaker notes", slide: { shapes: "", notes: "Speak slowly." }, text: "## Slide 1\n\nNotes: Speak slowly." },
  {
    name: "links and descriptions of pictures",
    slide: {
      shapes:
        '<p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id="rId7"/></a:rPr><a:t>site</a:t></a:r></a:p></p:txBody></p:sp><p:pic><p:nvPicPr><p:cNvPr id="3" name="p" descr="A lock"/></p:nvPicPr></p:pic>',
      relations: [{ id: "rId7", type: "hyperlink", target: "https://weir.example/", isExternal: true }],
    },
    text: "## Slide 1\n\nsite (https://weir.example/)\n\n[image: A lock]",
  },
];

describe("readPptx", () => {
  for (const { name, slide, text } of cases) {
    test(name, async () => assert.equal((await readOffice("pptx", makePptx([slide]))).text, text));
  }

  test("charts and diagrams, from their own parts", async () => {
    const frame = (content: string) => `<p:graphicFrame><a:graphic>${content}</a:graphic></p:graphicFrame>`;
    const { text } = await readOffice(
      "pptx",
      makePptx(
        [
          {
            shapes: frame('<c:chart r:id="rId8"/>') + frame('<dgm:relIds r:dm="rId9" r:lo="rId10"/>'),
            relations: [
              { id: "rId8", type: "chart", target: "../charts/chart1.xml" },
              { id: "rId9", type: "diagramData", target: "../diagrams/data1.xml" },
            ],
          },
        ],
        { parts: { "ppt/charts/chart1.xml": chart, "ppt/diagrams/data1.xml": diagram } },
      ),
    );
    assert.equal(text, "## Slide 1\n\nLevels; North; May, June; 2.4, 3\n\nPlan; Build");
  });

  test("footers once, and the number of a slide if it is not its place", async () => {
    const footer = makeShape(["River Trust"], "ftr") + makeShape(["2"], "sldNum");
    const { text } = await readOffice(
      "pptx",
      makePptx([{ shapes: footer + makeShape(["a"]) }, { shapes: footer + makeShape(["b"]) }]),
    );
    assert.equal(text, "## Slide 1\n\na\n\nShown as slide 2\n\nRiver Trust\n\n## Slide 2\n\nb");
  });

  test("comments of both forms with their authors", async () => {
    const { text } = await readOffice(
      "pptx",
      makePptx(
        [
          { shapes: "", relations: [{ id: "rId8", type: "comments", target: "../comments/comment1.xml" }] },
          { shapes: "", relations: [{ id: "rId8", type: "comments", target: "../comments/modern.xml" }] },
        ],
        {
          relations: [
            { id: "rId20", type: "commentAuthors", target: "commentAuthors.xml" },
            { id: "rId21", type: "authors", target: "authors.xml" },
          ],
          parts: {
            "ppt/commentAuthors.xml": '<p:cmAuthorLst><p:cmAuthor id="0" name="R. Tuckett"/></p:cmAuthorLst>',
            "ppt/authors.xml": '<p188:authorLst><p188:author id="{A}" name="E. Varley"/></p188:authorLst>',
            "ppt/comments/comment1.xml": '<p:cmLst><p:cm authorId="0"><p:text>Old form</p:text></p:cm></p:cmLst>',
            "ppt/comments/modern.xml":
              '<p188:cmLst><p188:cm authorId="{A}"><p188:replyLst><p188:reply authorId="{B}"><p188:txBody><a:p><a:r><a:t>No</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Really?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
          },
        },
      ),
    );
    assert.equal(
      text,
      "## Slide 1\n\nComments:\n\n- R. Tuckett: Old form\n\n## Slide 2\n\nComments:\n\n- E. Varley: Really?\n  - Comment: No",
    );
  });

  test("slides come in the order of the show, or by number where it is missing", async () => {
    const slides = ["a", "b"].map((text) => ({ shapes: makeShape([text]) }));
    const shown =
      '<p:presentation><p:sldIdLst><p:sldId id="257" r:id="rId2"/><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>';
    const { text } = await readOffice("pptx", makePptx(slides, { parts: { "ppt/presentation.xml": shown } }));
    assert.equal(text, "## Slide 1\n\nb\n\n## Slide 2\n\na");
    const lost = await readOffice("pptx", makePptx(slides, { parts: { "ppt/presentation.xml": "<p:presentation/>" } }));
    assert.equal(lost.text, "## Slide 1\n\na\n\n## Slide 2\n\nb");
  });

  test("each slide is a segment with its heading as mark", async () => {
    const { segments, info } = await readOffice(
      "pptx",
      makePptx([{ shapes: makeShape(["T"], "ctrTitle") }, { shapes: "" }]),
    );
    assert.equal(info.pageCount, 2);
    assert.deepEqual(
      segments.map(({ kind, label, marks }) => [kind, label, marks[0]?.label]),
      [
        ["slide", "slide 1", "Slide 1: T"],
        ["slide", "slide 2", "Slide 2"],
      ],
    );
  });
});
