import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Bound, listClientLimits, makeBudget } from "./budget.ts";
import { fitReply } from "./fit-reply.ts";
import { OVERHEAD_CHARS } from "./limits.ts";
import { FIELDS_CHARS, measurePlainSize } from "./serialized-size.ts";

test("for any content, budget and client both forms of a reply fit, and no more is cut than needed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", '"', "\n", "水", "🌊"), maxLength: 9_000 }),
      fc.integer({ min: 0, max: 8_000 }),
      fc.option(fc.integer({ min: 2_000, max: 20_000 }), { nil: undefined }),
      (content, requested, bytes) => {
        const client = bytes === undefined ? undefined : { bytes };
        const budget = makeBudget({ requested, default: 3_000, client });
        const compose = (chars: number, bound: Bound) => {
          const text = content.slice(0, chars);
          return { text: `summary\n${text}`, structured: { bound, content: text }, links: [], chars };
        };
        const reply = fitReply(compose, budget, client);
        const fits = ({ text, structured }: typeof reply) =>
          text.length <= budget.chars + OVERHEAD_CHARS &&
          measurePlainSize(structured) <= budget.chars + FIELDS_CHARS &&
          listClientLimits(client).every(({ max, measure }) =>
            [text, JSON.stringify(structured)].every((form) => measure(form) <= max),
          );
        assert.ok(fits(reply));
        if (reply.chars < budget.chars) assert.ok(!fits(compose(reply.chars + 1, reply.structured.bound)));
      },
    ),
  );
});
