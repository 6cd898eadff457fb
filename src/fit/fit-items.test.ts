import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeBudget } from "./budget.ts";
import { fitItems } from "./fit-items.ts";

const budget = makeBudget({ default: 1_000 });
const sized = (...sizes: number[]) => sizes.map((size, i) => String(i).repeat(size));

describe("a list of items", () => {
  for (const { name, sizes, count, chars } of [
    { name: "nothing", sizes: [], count: 0, chars: 0 },
    { name: "everything fits exactly", sizes: [498, 500], count: 2, chars: 1_000 },
    { name: "one character short drops the last whole item", sizes: [499, 500], count: 1, chars: 499 },
    { name: "a smaller item further down is not pulled up", sizes: [600, 600, 10], count: 1, chars: 600 },
    { name: "the first is shown in part rather than not at all", sizes: [1_500, 10], count: 1, chars: 1_000 },
  ]) {
    test(name, async () => {
      const fitted = await fitItems(sized(...sizes), "\n\n", budget);
      assert.deepEqual([fitted.count, fitted.text.length], [count, chars]);
    });
  }

  test("of any sizes is within the budget, and only a first item that is too long is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_300)), async (sizes) => {
        const items = sized(...sizes);
        const { text, count } = await fitItems(items, "-", budget);
        assert.ok(text.length <= 1_000);
        assert.ok(items.slice(0, count).join("-").startsWith(text));
        if (count !== 1) assert.equal(text, items.slice(0, count).join("-"));
      }),
    );
  });
});
