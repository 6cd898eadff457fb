import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PlainCell } from "./plain-cell.ts";

describe("a plain cell", () => {
  const read = [
    { xml: `<c r="A1"><v>1.5</v></c>`, cell: { column: 0, style: 0, type: "n", value: "1.5" } },
    { xml: `<c r="AB12" s="3"><v>7</v></c>`, cell: { column: 27, style: 3, type: "n", value: "7" } },
    { xml: `<c r="XFD1048576" s="0" t="s"><v>0</v></c>`, cell: { column: 16_383, style: 0, type: "s", value: "0" } },
    { xml: `<c r="C3" t="str"><v></v></c>`, cell: { column: 2, style: 0, type: "str", value: "" } },
    { xml: `<c r="B2" s="1"/>`, cell: { column: 1, style: 1, type: "n", value: "" } },
  ];
  for (const { xml, cell } of read) {
    test(`is read from ${xml}`, () => {
      const plain = new PlainCell();
      assert.equal(plain.read(`<row>${xml}<c`, 5), 5 + xml.length);
      assert.deepEqual({ ...plain }, cell);
    });
  }

  const left = [
    `<c r="A1"><f>1+1</f><v>2</v></c>`,
    `<c r="A1" t="inlineStr"><is><t>x</t></is></c>`,
    `<c r="A1" t="str"><v>a &amp; b</v></c>`,
    `<c r="A1" cm="1"><v>1</v></c>`,
    `<x:c r="A1"><v>1</v></x:c>`,
    `<c t="n"><v>1</v></c>`,
    `<c r="AAAAAAAAAAAAAAAA1"><v>1</v></c>`,
    `<cols r="A1"><v>1</v></c>`,
  ];
  for (const xml of left) test(`is not read from ${xml}`, () => assert.equal(new PlainCell().read(xml, 0), -1));

  test("is not read before it has ended", () => {
    const xml = `<c r="A1" s="2" t="s"><v>12</v></c>`;
    for (let chars = 0; chars < xml.length; chars++)
      assert.equal(new PlainCell().read(xml.slice(0, chars), 0), -1, `${chars} characters`);
  });
});
