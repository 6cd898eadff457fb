import assert from "node:assert/strict";
import { test } from "node:test";
import { repairBrackets } from "./brackets.ts";

const lines: readonly { name: string; text: string; repaired: string }[] = [
  {
    name: "brackets that never close are repaired",
    text: "\u05d9\u05e0\u05d5\u05d0\u05e8 (1434(",
    repaired: "\u05d9\u05e0\u05d5\u05d0\u05e8 (1434)",
  },
  {
    name: "brackets that close first are repaired",
    text: "\u064a\u0646\u0627\u064a\u0631 )1434(",
    repaired: "\u064a\u0646\u0627\u064a\u0631 (1434)",
  },
  { name: "brackets that match stay", text: "\u064a\u0646 (a (b) c)", repaired: "\u064a\u0646 (a (b) c)" },
  { name: "a single bracket stays", text: "\u064a\u0646 a) b", repaired: "\u064a\u0646 a) b" },
  { name: "left-to-right text stays", text: "(a(", repaired: "(a(" },
];

for (const { name, text, repaired } of lines) test(name, () => assert.equal(repairBrackets(text), repaired));
