import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkText } from "../index/chunk.ts";
import { createHitFinder } from "./hits.ts";
import { chooseSpans } from "./spans.ts";
import { limitsAt, SPAN_FRAME_CHARS } from "./weights.ts";

const finder = createHitFinder(new Map(["parse", "order", "send", "invoic"].map((term) => [term, 1])));

function spansOf(text: string, limits = limitsAt(0)) {
  const chunks = chunkText(text);
  const file = { id: 1, path: "a.ts", stamp: "", hash: "", text, chunks, outline: null };
  const scored = chunks.map((_, index) => ({ index, score: 1 }));
  return chooseSpans(file, scored, finder, { limits });
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
    "parseOrders",
    "sendOrders",
    "parseInvoices",
    "sendInvoices",
    "orderSender",
    "invoiceSender",
    "orderParser",
  ];
  const text = names.map(functionText).join("");
  const spans = spansOf(text);
  assert.equal(spans.length, 13);
  assert.equal(spansOf(text, limitsAt(9)).length, 6, "a file far down shows less");
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
  const [span] = chooseSpans({ id: 1, path: "a.ts", stamp: "", hash: "", text, chunks, outline: null }, [], finder);
  assert.equal(span?.startLine, 1);
});

const shownOf = (text: string, limits = limitsAt(0)) => {
  const lines = text.split("\n");
  return spansOf(text, limits).map(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).join("\n"));
};

test("a comment that matches is shown with the definition it is on, a long one by that alone", () => {
  const others = functionText("compute").repeat(3);
  const short = `/** Parses an order. */\nfunction read(text) {\n${filler}}\n\n`;
  const long = `/**\n * Sends it.\n${" * No more is known about it.\n".repeat(6)} */\nfunction write(text) {\n${filler}}\n\n`;
  const shown = shownOf(`${functionText("parseOrder")}${others}${short}${others}${long}`);
  assert.ok(shown.includes("/** Parses an order. */\nfunction read(text) {"), shown.join("\n---\n"));
  assert.ok(shown.includes("function write(text) {"), shown.join("\n---\n"));
});

test("where there is room, a definition is shown with its comment, and a line with the definition it is in", () => {
  const others = functionText("compute").repeat(3);
  const comment = "/** What comes in from all of the gates of the dam, one after the other. */";
  const commented = `${comment}\nfunction sendInvoice(text) {\n${filler}}\n\n`;
  const steps = "  const first = compute(value1);\n  const other = compute(value2);\n";
  const inside = `function write(text) {\n${steps}  return order(text);\n}\n\n`;
  const shown = shownOf(`${functionText("parseOrder")}${others}${commented}${others}${inside}${others}`);
  assert.deepEqual(shown.slice(1).toSorted(), [
    `${comment}\nfunction sendInvoice(text) {\n  value0 = compute(value0);`,
    `function write(text) {\n${steps}  return order(text);\n}`,
  ]);
});

test("long lines leave room for fewer spans", () => {
  const parameters = Array.from({ length: 20 }, (_, index) => `level${index}`).join(", ");
  const names = Array.from({ length: 14 }, (_, index) => `sendOrder${index}(${parameters}`);
  const limits = limitsAt(0);
  const [, ...further] = shownOf(names.map((name) => functionText(name).replace("()", ")")).join(""), limits);
  const chars = further.reduce((sum, { length }) => sum + length, 0);
  assert.ok(further.length > 1 && chars + further.length * SPAN_FRAME_CHARS <= limits.totalChars, `${chars}`);
});

test("imports are shown only where nothing else matches", () => {
  const others = functionText("compute").repeat(4);
  const imports =
    'import {\n  parseOrder,\n  sendInvoice,\n} from "./orders.ts";\nimport { order } from "./order.ts";\n\n';
  const used = shownOf(`${imports}${others}${functionText("sendOrders")}`).join("\n");
  assert.ok(used.includes("function sendOrders") && !used.includes("./order"), used);
  assert.match(shownOf(`${imports}${others}`).join("\n"), /parseOrder/);
});

test("a file that is hardly longer than its spans would be is shown whole", () => {
  const text = `function parseOrder() {\n${filler}}\n`;
  assert.ok(text.length > limitsAt(0).mainChars);
  assert.deepEqual(shownOf(text), [text.trimEnd()]);
  assert.ok(shownOf(text, limitsAt(9)).join("").length < text.length / 2, "a file far down shows less");
});
