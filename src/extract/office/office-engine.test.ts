import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeDocx } from "../../../test/office.ts";
import { formats, packages } from "../../../test/office-samples.ts";
import { readOffice } from "../../../test/office-text.ts";
import { soakCount } from "../../../test/soak.ts";

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
      { numRuns: soakCount({ sample: 30, full: 10_000 }) },
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
      { numRuns: soakCount({ sample: 30, full: 5_000 }) },
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
      { numRuns: soakCount({ sample: 50, full: 10_000 }) },
    );
  });
});
