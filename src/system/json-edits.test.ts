import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { applyEdits, type Path, spliceEdits } from "./json-edits.ts";

describe("edits in a JSON text", () => {
  test("change the values at their paths and no other byte", () => {
    const json = '{ "a" : [1.0, {"b":"x\\u00e9\\"", "n":12345678901234567890}] ,"a2":\t"\\ud83c", "k": {} }';
    const edited = spliceEdits(json, [{ path: ["a", 1, "b"], value: "short" }]);
    assert.equal(edited, json.replace('"x\\u00e9\\""', '"short"'));
  });

  test("change the last of members with the same name, as JSON.parse reads it", () => {
    assert.equal(spliceEdits('{"a":1,"b":2,"a":3}', [{ path: ["a"], value: 9 }]), '{"a":1,"b":2,"a":9}');
  });

  test("throw when a path leads to no value", () => {
    assert.throws(() => spliceEdits('{"a":[1]}', [{ path: ["a", 3], value: 9 }]), RangeError);
    assert.throws(() => spliceEdits('{"a":"[1]"}', [{ path: ["a", 0], value: 9 }]), RangeError);
  });

  test("have the same result on the text and on the value, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), fc.jsonValue(), fc.nat(3), (value, seed, next, space) => {
        const paths = pathsOf(value);
        const path = paths[seed % paths.length] ?? [];
        const json = JSON.stringify(value, null, space);
        const once = spliceEdits(json, [{ path, value: next }]);
        assert.deepEqual(JSON.parse(once), JSON.parse(JSON.stringify(applyEdits(value, [{ path, value: next }]))));
        assert.equal(spliceEdits(once, [{ path, value: next }]), once);
      }),
    );
  });

  test("may change several values at once, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ id: fc.string(), text: fc.string() }), { minLength: 1 }), (items) => {
        const edits = items.map((_, index) => ({ path: ["items", index, "text"], value: `stub ${index}` }));
        const edited = JSON.parse(spliceEdits(JSON.stringify({ items, end: true }), edits.toReversed()));
        assert.deepEqual(edited, { items: items.map(({ id }, index) => ({ id, text: `stub ${index}` })), end: true });
      }),
    );
  });

  test("share what they do not touch with the original", () => {
    const value = { kept: { deep: [1] }, changed: { text: "long" } };
    const edited = applyEdits(value, [{ path: ["changed", "text"], value: "short" }]);
    assert.ok(edited.kept === value.kept && value.changed.text === "long" && edited.changed.text === "short");
  });
});

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [
    path,
    ...entries.filter(([key]) => key !== "__proto__").flatMap(([key, inner]) => pathsOf(inner, [...path, key])),
  ];
}
