import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseBetterText, isReadable, looksLikeProse } from "./garbled.ts";

const readings: readonly { name: string; first: string; second: string; better: "first" | "second" }[] = [
  {
    name: "words are better than letters of no language",
    first: "\u01e1\u01fc\u01f1\u01fa \u01d3\u01ef",
    second: "Open Access",
    better: "second",
  },
  {
    name: "words are better than shifted letters",
    first: "'(6&5,37,21 RI JRRGV",
    second: "DESCRIPTION of goods",
    better: "second",
  },
  { name: "text is better than none", first: "", second: "Page 1", better: "second" },
  { name: "the first is chosen when both are equal", first: "Page one", second: "Page one", better: "first" },
  {
    name: "the first is chosen when the second has only slightly more",
    first: "A page of many words as they are",
    second: "A page of many words as they are.",
    better: "first",
  },
  { name: "words are better than punctuation", first: "Total", second: "%&/ ()=", better: "first" },
];

for (const { name, better, ...texts } of readings) {
  test(name, () => assert.equal(chooseBetterText(texts.first, texts.second), texts[better]));
}

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
