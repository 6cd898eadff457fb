import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDocx, makeParagraph, makePptx, makeShape, makeXlsx } from "../../../../test/office.ts";
import { encryptAgile, encryptOdf, encryptStandard } from "../../../../test/office-encryption.ts";
import { officeTypes, readOffice } from "../../../../test/office-text.ts";

const docx = makeDocx(makeParagraph("Only for those who know the word.") + makeParagraph("Much more. ".repeat(2_000)));
const odt = encryptOdf(
  officeTypes.odt,
  {
    "content.xml":
      "<office:body><office:text><text:p>Only for those who know the word.</text:p></office:text></office:body>",
  },
  "mooring",
);
const failed = (detail: string) => ({ reason: "encrypted", detail });

describe("an encrypted document", () => {
  for (const [name, encrypt] of Object.entries({ agile: encryptAgile, standard: encryptStandard })) {
    test(`(${name}) needs its password, and is read with it`, async () => {
      const bytes = encrypt(docx, "mooring ☂");
      assert.deepEqual((await readOffice("encrypted", bytes)).failed, failed("password required"));
      assert.deepEqual((await readOffice("encrypted", bytes, "wrong")).failed, failed("wrong password"));
      const { text } = await readOffice("encrypted", bytes, "mooring ☂");
      assert.ok(text.startsWith("Only for those who know the word.\n\nMuch more. ") && text.length > 20_000);
    });
  }

  test("may be a workbook or a presentation", async () => {
    const workbook = encryptAgile(makeXlsx([{ name: "Levels", rows: [["a", 1]] }]), "mooring");
    assert.match((await readOffice("encrypted", workbook, "mooring")).text, /^## Levels\n\n\| a \| 1 \|/);
    const talk = encryptStandard(makePptx([{ shapes: makeShape(["Words"]) }]), "mooring");
    assert.equal((await readOffice("encrypted", talk, "mooring")).text, "## Slide 1\n\nWords");
  });

  test("that is only protected against changes needs no password", async () => {
    assert.match((await readOffice("encrypted", encryptAgile(docx, "VelvetSweatshop"))).text, /^Only for those/);
  });

  test("of OpenDocument is read with its password", async () => {
    assert.deepEqual((await readOffice("odt", odt)).failed, failed("password required"));
    assert.deepEqual((await readOffice("odt", odt, "wrong")).failed, failed("wrong password"));
    assert.equal((await readOffice("odt", odt, "mooring")).text.trim(), "Only for those who know the word.");
  });

  test("by a method that we do not have says so", async () => {
    const blowfish = encryptOdf(officeTypes.odt, { "content.xml": "<x/>" }, "mooring", "blowfish");
    assert.deepEqual((await readOffice("odt", blowfish, "mooring")).failed, failed("unsupported encryption"));
    const newer = encryptOdf(officeTypes.odt, { "encrypted-package": "x" }, "mooring");
    assert.deepEqual((await readOffice("odt", newer, "mooring")).failed, failed("unsupported encryption"));
    const endless = encryptAgile(docx, "mooring", 10);
    const info = endless.indexOf('spinCount="10"');
    endless.write('spinCount="9e"', info);
    assert.notEqual((await readOffice("encrypted", endless, "mooring")).failed, null);
  });

  test("that is damaged ends in a typed failure", async () => {
    const bytes = encryptAgile(docx, "mooring");
    for (let seed = 1; seed < 60; seed++) {
      const damaged = Buffer.from(bytes);
      for (let i = 0; i < 20; i++) damaged[(seed * 7_919 + i * 104_729) % damaged.length] = (seed * 31 + i) & 255;
      const { failed: failure, segments } = await readOffice("encrypted", damaged, "mooring");
      assert.ok(failure !== null || segments.length > 0, `seed ${seed}`);
    }
  });
});
