import assert from "node:assert/strict";
import { test } from "node:test";
import { hasForeignSigns, isReadable, looksLikeProse } from "./garbled.ts";

test("a letter read by another table is a sign inside words", () => {
  assert.equal(hasForeignSigns([{ text: "Das Allg\u2030u und die G\u2030ste im B\u2030ren" }]), true);
  assert.equal(hasForeignSigns([{ text: "Makset!htaeg on t!htis" }]), true);
  assert.equal(hasForeignSigns([{ text: "Yahoo!Inc and R&D: 5 \u2030 of 12 \u00f7 4!" }]), false);
});

const texts: readonly { text: string; readable: boolean; prose: boolean }[] = [
  { text: "The quarterly report", readable: true, prose: true },
  { text: "Квартальный отчёт", readable: true, prose: true },
  { text: "四半期報告書", readable: true, prose: true },
  { text: "1.5 1.0 0.5 0.0", readable: true, prose: false },
  { text: "9ROXPHV 3DJH &RGH", readable: false, prose: false },
  { text: "\u01e1\u01fc\u01f1\u01fa", readable: false, prose: false },
];

for (const { text, readable, prose } of texts) {
  const chars = text.replace(/\s/g, "").length;
  test(`"${text}" is ${readable ? "" : "not "}readable`, () => assert.equal(isReadable(text, chars), readable));
  test(`"${text}" is ${prose ? "" : "not "}prose`, () => assert.equal(looksLikeProse(text, chars), prose));
}
