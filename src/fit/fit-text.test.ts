import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Budget, type ClientLimit, findExcess, makeBudget } from "./budget.ts";
import { fitText, type TextWindow } from "./fit-text.ts";
import { splitsPair } from "./measure.ts";

const windowOf = (text: string, offset = 0): TextWindow => ({
  text: text.slice(offset),
  offset,
  totalChars: text.length,
});

const budgetOf = (requested: number, client?: ClientLimit) => makeBudget({ requested, default: 30_000, client });

test("text at or under the limit is unchanged", () => {
  for (const text of ["", "short", "x".repeat(1_000)]) {
    assert.deepEqual(fitText(windowOf(text), budgetOf(1_000)), { hasMore: false, text });
  }
});

test("a cut names the unit that was exceeded, which limit set it, and the next offset", () => {
  const text = "é\n".repeat(5_000);
  const cases = [
    { name: "characters", budget: budgetOf(1_001), shown: 1_001, limitChars: 1_001, unit: "chars", bound: "request" },
    {
      name: "bytes",
      budget: budgetOf(9_000, { bytes: 300 }),
      shown: 200,
      limitChars: 200,
      unit: "bytes",
      bound: "client",
    },
    {
      name: "lines",
      budget: budgetOf(9_000, { lines: 20 }),
      shown: 39,
      limitChars: 39,
      unit: "lines",
      bound: "client",
    },
    {
      name: "tokens",
      budget: budgetOf(9_000, { tokens: 50 }),
      shown: 200,
      limitChars: 200,
      unit: "tokens",
      bound: "client",
    },
  ];
  for (const { name, budget, shown, ...cut } of cases) {
    const fitted = { hasMore: true, text: text.slice(0, shown), nextOffset: shown, ...cut };
    assert.deepEqual(fitText(windowOf(text), budget), fitted, name);
  }
});

test("the tightest of several units decides", () => {
  const fitted = fitText(windowOf("日".repeat(5_000)), budgetOf(2_000, { bytes: 3_000, lines: 1, tokens: 400 }));
  assert.equal(fitted.text.length, 1_000);
  assert.equal(fitted.hasMore && fitted.unit, "bytes");
});

test("a window that ends inside a code point leaves it to the next one", () => {
  const text = `${"x".repeat(999)}🌊`;
  const fitted = fitText({ text: text.slice(0, 1_000), offset: 0, totalChars: text.length }, budgetOf(1_000));
  assert.deepEqual([fitted.text, fitted.hasMore && fitted.nextOffset], ["x".repeat(999), 999]);
});

test("a document that ends in a lone surrogate is still read to its end", () => {
  assert.deepEqual(fitText(windowOf("abc\ud83c"), budgetOf(1_000)), { hasMore: false, text: "abc\ud83c" });
});

/** Any UTF-16 units, well-formed or not, repeated until budgets bind. */
const anyText = fc
  .tuple(
    fc.string({ unit: "binary" }),
    fc.array(fc.nat(0xffff), { maxLength: 40 }),
    fc.string(),
    fc.integer({ min: 0, max: 400 }),
  )
  .map(([points, units, plain, times]) => `${points}${String.fromCharCode(...units)}\r\n\t${plain}`.repeat(times));

const anyBudget: fc.Arbitrary<Budget> = fc
  .record({
    requested: fc.integer({ min: 1_000, max: 5_000 }),
    client: fc.record(
      {
        bytes: fc.integer({ min: 1_000, max: 9_000 }),
        lines: fc.integer({ min: 2, max: 300 }),
        tokens: fc.integer({ min: 250, max: 2_000 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ requested, client }) => budgetOf(requested, client));

test("for any text and budget the content fits", () => {
  fc.assert(
    fc.property(anyText, anyBudget, (text, budget) => {
      const fitted = fitText(windowOf(text), budget);
      assert.equal(findExcess(fitted.text, budget), null);
      if (!fitted.hasMore) assert.equal(fitted.text, text);
    }),
  );
});

test("for any text and budget one more code point would not have fitted", () => {
  fc.assert(
    fc.property(anyText, anyBudget, (text, budget) => {
      const fitted = fitText(windowOf(text), budget);
      if (!fitted.hasMore) return;
      const next = String.fromCodePoint(text.codePointAt(fitted.nextOffset) ?? 0);
      assert.notEqual(findExcess(fitted.text + next, budget), null);
    }),
  );
});

test("for any text and budget, reading by nextOffset returns the whole text, cut between code points", () => {
  fc.assert(
    fc.property(anyText, anyBudget, (text, budget) => {
      let read = "";
      for (let fitted = fitText(windowOf(text), budget); ; fitted = fitText(windowOf(text, read.length), budget)) {
        read += fitted.text;
        if (!fitted.hasMore) break;
        assert.equal(fitted.nextOffset, read.length);
        assert.ok(!splitsPair(text, fitted.nextOffset));
      }
      assert.equal(read, text);
    }),
  );
});
