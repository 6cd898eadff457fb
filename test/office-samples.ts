/** One small document of each format, for tests of everything that the readers share. */
import { makeDocx, makeOdf, makeParagraph, makePptx, makeShape, makeXlsx } from "./office.ts";

const longRows = Array.from({ length: 3_000 }, (_, i) => [i, "words in a cell of a long sheet"]);

/** The bytes of a document by its format. */
export const packages = {
  docx: makeDocx(
    Array.from({ length: 400 }, (_, i) => makeParagraph(`Paragraph ${i} ${"of a long text ".repeat(20)}`)).join(""),
  ),
  xlsx: makeXlsx([
    { name: "Long", rows: longRows },
    { name: "Short", rows: [["a", "b\u202e"]], state: "hidden" },
  ]),
  pptx: makePptx([
    { shapes: makeShape(["Title"], "title") + makeShape(["Footer"], "ftr") },
    { shapes: makeShape(["Footer"], "ftr"), isHidden: true },
    { shapes: makeShape(["Third"]), notes: "Notes" },
  ]),
  odt: makeOdf("text", "<text:h>Title</text:h><text:p>Text \u001b[31m.</text:p>"),
  ods: makeOdf(
    "spreadsheet",
    '<table:table table:name="A"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
  ),
  odp: makeOdf(
    "presentation",
    "<draw:page><text:p>One</text:p></draw:page><draw:page><text:p>Two</text:p></draw:page>",
  ),
} as const;

export const formats = Object.keys(packages) as (keyof typeof packages)[];
