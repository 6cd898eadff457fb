import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonObject } from "../json-rpc.ts";
import { canTrim, trimItems } from "./structured.ts";

const text = { type: "string" };
const list = (items: object, more: object = {}) => ({ type: "array", items, ...more });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a shape", () => {
  for (const [name, schema, expected] of [
    ["with a list", object({ items: list(text) }), true],
    ["with a list inside", object({ page: object({ rows: list(text) }) }), true],
    ["with a map", { type: "object", additionalProperties: text }, true],
    ["with a list behind a reference", { $ref: "#/$defs/page", $defs: { page: object({ rows: list(text) }) } }, true],
    ["of texts only", object({ content: text }), false],
    ["with a list of at least two", object({ items: list(text, { minItems: 2 }) }), false],
    ["with a list that must contain something", object({ items: list(text, { contains: { const: "x" } }) }), false],
    ["of alternatives", { type: "object", oneOf: [object({ items: list(text) })] }, false],
    ["that refers to itself", { $ref: "#" }, false],
    ["that is no schema", 7, false],
  ] as const)
    test(`${name} ${expected ? "can" : "cannot"} lose items`, () => assert.equal(canTrim(schema), expected));
});

describe("trimmed structured content", () => {
  const schema: JsonObject = object(
    {
      total: { type: "integer" },
      rows: list(object({ id: { type: "integer" }, tags: list(text) }, { required: ["id", "tags"] })),
      fixed: list(text, { minItems: 1 }),
      byName: { type: "object", additionalProperties: { type: "integer" } },
    },
    { required: ["total", "rows", "fixed", "byName"], additionalProperties: false },
  );
  const isValid = new Ajv2020({ strict: false }).compile(schema);

  test("is the longest start that fits", () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, tags: ["a"] }));
    const trimmed = trimItems({ total: 1_000, rows, fixed: ["x"], byName: {} }, schema, (json) => json.length <= 5_000);
    const length = JSON.stringify(trimmed).length;
    assert.ok(length <= 5_000 && length > 4_900, `${length} characters`);
    assert.deepEqual((trimmed as { rows: unknown[] }).rows[0], rows[0]);
  });

  test("is not given where nothing more can be left out", () => {
    const value = { total: 1, rows: [], fixed: ["x".repeat(500)], byName: {} };
    assert.equal(
      trimItems(value, schema, (json) => json.length <= 200),
      undefined,
    );
  });

  test("of any value still has its shape", () => {
    const value = fc.record({
      total: fc.integer(),
      rows: fc.array(fc.record({ id: fc.integer(), tags: fc.array(fc.string()) }), { maxLength: 30 }),
      fixed: fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
      byName: fc.dictionary(fc.string(), fc.integer()),
    });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 2_000 }), (each, max) => {
        const trimmed = trimItems(each, schema, (json) => json.length <= max);
        if (trimmed === undefined) return;
        assert.ok(JSON.stringify(trimmed).length <= max);
        assert.ok(isValid(trimmed), JSON.stringify(isValid.errors));
      }),
    );
  });
});
