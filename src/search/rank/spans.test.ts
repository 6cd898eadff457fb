import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chunkText } from "../index/chunk.ts";
import { findTerms } from "../index/lexicon.ts";
import { chooseSpans, createHitFinder, limitsAt } from "./spans.ts";

const findHits = createHitFinder(new Map(["parse", "order", "send", "invoic"].map((term) => [term, 1])));

function spansOf(text: string, limits = limitsAt(0)) {
  const chunks = chunkText(text);
  const file = { id: 1, path: "a.ts", stamp: "", hash: "", text, chunks, outline: null };
  const scored = chunks.map((_, index) => ({ index, score: 1 }));
  return chooseSpans(file, scored, findHits, { limits });
}

const filler = Array.from({ length: 12 }, (_, line) => `  value${line} = compute(value${line});\n`).join("");
const functionText = (name: string) => `function ${name}() {\n${filler}}\n\n`;

test("neighbouring functions of one chunk are shown by their first lines", () => {
  const small = (name: string) => `  ${name}(): void {\n    this.run();\n  }\n\n`;
  const others = Array.from({ length: 9 }, (_, index) => small(`step${index}`)).join("");
  const text = `class Orders {\n${small("parseOrder")}${others}${small("sendInvoice")}}\n`;
  const lines = text.split("\n");
  const shown = spansOf(text).map(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).join("\n"));
  for (const name of ["parseOrder", "sendInvoice"]) {
    assert.ok(
      shown.some((each) => each.includes(name)),
      `${name} is not shown`,
    );
  }
});

test("the spans of a file do not overlap, and together are about as long as one chunk", () => {
  const names = [
    "parseOrder",
    "sendOrder",
    "parseInvoice",
    "sendInvoice",
    "orderOfInvoices",
    "invoiceParser",
    "sender",
  ];
  const text = names.map(functionText).join("");
  const spans = spansOf(text);
  assert.equal(spans.length, 6);
  assert.equal(spansOf(text, limitsAt(9)).length, 4, "a file far down shows less");
  const lines = text.split("\n");
  const chars = spans.map(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).join("\n").length);
  assert.ok(chars.reduce((sum, length) => sum + length, 0) <= 1_300, `${chars}`);
  const sorted = spans.toSorted((one, other) => one.startLine - other.startLine);
  for (const [index, span] of sorted.entries()) {
    assert.ok(span.startLine > (sorted[index - 1]?.endLine ?? 0), "overlap");
  }
});

test("a file that only its path matches is shown from the beginning", () => {
  const text = functionText("compute");
  const chunks = chunkText(text);
  const [span] = chooseSpans({ id: 1, path: "a.ts", stamp: "", hash: "", text, chunks, outline: null }, [], findHits);
  assert.equal(span?.startLine, 1);
});

test("every term of a word is found in it", () => {
  const part = fc.constantFrom("add", "fly", "copi", "tr", "Get", "HTTP", "x", "_", "$", "9", "é", "日本", "ss");
  const ending = fc.constantFrom("", "ing", "ies", "es", "s", "ed", "e", "y", "Name");
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), ending, (parts, end) => {
      const word = parts.join("") + end;
      const terms = findTerms(word);
      const findOwn = createHitFinder(new Map(terms.map((term) => [term, 1])));
      assert.deepEqual(
        findOwn(word).map(({ term }) => term),
        terms,
      );
    }),
  );
});
