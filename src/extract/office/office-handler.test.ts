import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeDocx, makeOdf, makeParagraph, makePptx, makeShape, makeXlsx } from "../../../test/office.ts";
import { officeTypes, readOffice } from "../../../test/office-text.ts";
import { handlerContract } from "../handler.contract.ts";
import { office } from "./office-handler.ts";

const longRows = Array.from({ length: 3_000 }, (_, i) => [i, "words in a cell of a long sheet"]);

const packages = {
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

const formats = Object.keys(packages) as (keyof typeof packages)[];

handlerContract(office, [
  ...formats.map((format) => ({
    name: format,
    bytes: packages[format],
    kind: "office_doc" as const,
    mediaType: officeTypes[format],
  })),
  {
    name: "a damaged package",
    bytes: packages.docx.subarray(0, 300),
    kind: "office_doc",
    mediaType: officeTypes.docx,
  },
]);

describe("damaged packages", () => {
  const anyFormat = fc.constantFrom(...formats);
  const anyChanges = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });

  test("end in text or in a typed failure, never in an error", async () => {
    await fc.assert(
      fc.asyncProperty(anyFormat, anyChanges, async (format, changes) => {
        const bytes = Buffer.from(packages[format]);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const { failed, segments } = await readOffice(format, bytes);
        assert.ok(failed !== null || segments.length > 0);
      }),
      { numRuns: 300 },
    );
  });

  test("cut anywhere, do so too", async () => {
    await fc.assert(
      fc.asyncProperty(anyFormat, fc.nat(), async (format, at) => {
        const { failed, segments } = await readOffice(
          format,
          packages[format].subarray(0, at % packages[format].length),
        );
        assert.ok(failed !== null || segments.length > 0);
      }),
      { numRuns: 200 },
    );
  });

  test("with XML of any shape do so too", async () => {
    const tags = fc.constantFrom("w:p", "w:r", "w:t", "w:tbl", "w:tr", "w:tc", "w:del", "m:oMath", "w:hyperlink", "x");
    const pieces = fc.oneof(
      tags.map((tag) => `<${tag}>`),
      tags.map((tag) => `</${tag}>`),
      fc.string({ maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async (xml) => {
        const { failed, segments } = await readOffice("docx", makeDocx(xml.join("")));
        assert.ok(failed !== null || segments.length > 0);
      }),
      { numRuns: 300 },
    );
  });
});
