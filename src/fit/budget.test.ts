import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BudgetOptions, type ClientLimit, findExcess, lowerBudget, makeBudget } from "./budget.ts";

test("the budget is the smallest limit that applies and names it", () => {
  const cases: (Omit<BudgetOptions, "default"> & { name: string; chars: number; bound: string })[] = [
    { name: "no request", chars: 30_000, bound: "default" },
    { name: "the caller asks for less", requested: 5_000, chars: 5_000, bound: "request" },
    { name: "the caller asks for more than the default", requested: 50_000, chars: 50_000, bound: "request" },
    { name: "the caller asks past the ceiling", requested: 100_001, chars: 100_000, bound: "ceiling" },
    { name: "the caller asks for exactly the ceiling", requested: 100_000, chars: 100_000, bound: "request" },
    { name: "a lower ceiling is given", requested: 50_000, ceiling: 40_000, chars: 40_000, bound: "ceiling" },
    { name: "the client accepts less", requested: 50_000, client: { chars: 9_000 }, chars: 9_000, bound: "client" },
    { name: "the client accepts more", client: { chars: 90_000 }, chars: 30_000, bound: "default" },
    { name: "the turn has little left", client: { chars: 9_000 }, turn: 2_000, chars: 2_000, bound: "turn" },
    { name: "the turn is used up", turn: -40, chars: 1_000, bound: "smallest" },
    { name: "the caller asks for little", requested: 12, chars: 12, bound: "request" },
    { name: "the caller asks for little in a turn without room", requested: 12, turn: 0, chars: 12, bound: "request" },
    { name: "zero is not off", requested: 0, chars: 1, bound: "request" },
    { name: "less than zero is not off", requested: -1, chars: 1, bound: "request" },
    { name: "infinity is the ceiling", requested: Infinity, chars: 100_000, bound: "ceiling" },
    { name: "NaN is not a request", requested: Number.NaN, chars: 30_000, bound: "default" },
    { name: "a fraction is rounded down", requested: 5_000.9, chars: 5_000, bound: "request" },
  ];
  for (const { name, chars, bound, ...options } of cases) {
    assert.deepEqual(makeBudget({ default: 30_000, ...options }), { chars, bound }, name);
  }
});

test("a budget that is lowered afterwards is the budget that knew every limit from the start", () => {
  const chars = fc.option(fc.integer({ min: -10, max: 120_000 }), { nil: undefined });
  fc.assert(
    fc.property(chars, chars, chars, (requested, client, turn) => {
      const surface = { turn, ...(client !== undefined && { client: { chars: client, lines: 9 } }) };
      const options = { requested, default: 30_000 };
      assert.deepEqual(lowerBudget(makeBudget(options), surface), makeBudget({ ...options, ...surface }));
    }),
  );
});

test("a client's other units are part of the budget, tokens with how to count them", () => {
  const budget = makeBudget({ default: 30_000, client: { bytes: 50_000, lines: 2_000, tokens: 10_000 } });
  assert.deepEqual([budget.bytes, budget.lines, budget.tokens?.max], [50_000, 2_000, 10_000]);
  assert.equal(budget.tokens?.count("abcde"), 2);
  const words = { max: 7, count: (text: string) => text.split(" ").length };
  assert.equal(makeBudget({ default: 30_000, client: { tokens: words } }).tokens, words);
});

test("the first unit over the budget is reported with its size", () => {
  const text = "é\n".repeat(1_000);
  const cases: { name: string; client: ClientLimit; excess: unknown }[] = [
    { name: "fits", client: { bytes: 3_000, lines: 1_001, tokens: 500 }, excess: null },
    { name: "characters", client: { chars: 1_999, bytes: 1 }, excess: { unit: "chars", size: 2_000, max: 1_999 } },
    { name: "bytes", client: { bytes: 2_999, tokens: 1 }, excess: { unit: "bytes", size: 3_000, max: 2_999 } },
    { name: "lines", client: { lines: 1_000 }, excess: { unit: "lines", size: 1_001, max: 1_000 } },
    { name: "tokens", client: { tokens: 499 }, excess: { unit: "tokens", size: 500, max: 499 } },
  ];
  for (const { name, client, excess } of cases) {
    assert.deepEqual(findExcess(text, makeBudget({ default: 30_000, client })), excess, name);
  }
});
