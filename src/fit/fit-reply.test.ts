import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Bound, listClientLimits, makeBudget } from "./budget.ts";
import { fitReply, listShownForms } from "./fit-reply.ts";
import { OVERHEAD_CHARS } from "./limits.ts";
import { FIELDS_CHARS, measurePlainSize } from "./serialized-size.ts";

test("for any content, budget and client both forms of a reply fit, and no more is cut than needed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", '"', "\n", "水", "🌊"), maxLength: 9_000 }),
      fc.integer({ min: 0, max: 8_000 }),
      fc.option(fc.integer({ min: 2_000, max: 20_000 }), { nil: undefined }),
      fc.constantFrom("text", "structured", "both", undefined),
      fc.constantFrom(true, undefined),
      (content, requested, bytes, form, countsJson) => {
        const limit = bytes === undefined ? {} : { bytes };
        const client = { limit, ...(form && { form }), ...(countsJson && { countsJson }) };
        const budget = makeBudget({ requested, default: 3_000, client: limit });
        const compose = (chars: number, bound: Bound) => {
          const text = content.slice(0, chars);
          return { text: `summary\n${text}`, structured: { bound, content: text }, links: [], chars };
        };
        const reply = fitReply(compose, budget, client);
        const fits = (one: typeof reply) =>
          one.text.length <= budget.chars + OVERHEAD_CHARS &&
          measurePlainSize(one.structured) <= budget.chars + FIELDS_CHARS &&
          listClientLimits(limit).every(({ max, measure }) =>
            listShownForms(one, client).every((shown) => measure(shown) <= max),
          );
        assert.ok(fits(reply));
        if (reply.chars < budget.chars) assert.ok(!fits(compose(reply.chars + 1, reply.structured.bound)));
      },
    ),
  );
});

describe("what a model may be shown", () => {
  const reply = { text: 'Found "it".\nThe text', structured: { content: "x" }, links: [{ uri: "a:b" }] };
  const json = '{"content":"x"}';
  const cases = [
    { client: { form: "text" }, shown: [reply.text] },
    { client: { form: "text", countsJson: true }, shown: [JSON.stringify(reply.text)] },
    { client: { form: "structured" }, shown: ['Found "it".{"content":"x","notes":[]}'] },
    { client: { form: "both" }, shown: [`${reply.text}{"uri":"a:b"}${json}`] },
    { client: undefined, shown: [`${reply.text}{"uri":"a:b"}`, json] },
  ] as const;
  for (const { client, shown } of cases) {
    test(`as ${JSON.stringify(client)}`, () => assert.deepEqual(listShownForms(reply, client), shown));
  }
});
