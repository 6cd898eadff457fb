import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { applyEdits, type Path, spliceEdits } from "./json-edits.ts";

describe("edits in a JSON text", () => {
  test("change the named values and no other byte", () => {
    const json = '{ "a" : [1.0, {"b":"x\\u00e9\\"", "n":12345678901234567890}] ,"a2":\t"\\ud83c", "k": {} }';
    const edited = spliceEdits(json, [{ at: ["a", 1, "b"], value: "short" }]);
    assert.equal(edited, json.replace('"x\\u00e9\\""', '"short"'));
  });

  test("take the last of members with the same name, as JSON.parse does", () => {
    assert.equal(spliceEdits('{"a":1,"b":2,"a":3}', [{ at: ["a"], value: 9 }]), '{"a":1,"b":2,"a":9}');
  });

  test("of a value that is not there are an error, not a change", () => {
    assert.throws(() => spliceEdits('{"a":[1]}', [{ at: ["a", 3], value: 9 }]), RangeError);
    assert.throws(() => spliceEdits('{"a":"[1]"}', [{ at: ["a", 0], value: 9 }]), RangeError);
  });

  test("are the same on the text and on the value, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), fc.jsonValue(), fc.nat(3), (value, seed, next, space) => {
        const paths = pathsOf(value);
        const at = paths[seed % paths.length] ?? [];
        const json = JSON.stringify(value, null, space);
        const once = spliceEdits(json, [{ at, value: next }]);
        assert.deepEqual(JSON.parse(once), JSON.parse(JSON.stringify(applyEdits(value, [{ at, value: next }]))));
        assert.equal(spliceEdits(once, [{ at, value: next }]), once);
      }),
    );
  });

  test("of several values at once are found in one pass", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ id: fc.string(), text: fc.string() }), { minLength: 1 }), (items) => {
        const edits = items.map((_, index) => ({ at: ["items", index, "text"], value: `stub ${index}` }));
        const edited = JSON.parse(spliceEdits(JSON.stringify({ items, end: true }), edits.toReversed()));
        assert.deepEqual(edited, { items: items.map(({ id }, index) => ({ id, text: `stub ${index}` })), end: true });
      }),
    );
  });

  test("share what they do not touch with the original", () => {
    const value = { kept: { deep: [1] }, changed: { text: "long" } };
    const edited = applyEdits(value, [{ at: ["changed", "text"], value: "short" }]);
    assert.ok(edited.kept === value.kept && value.changed.text === "long" && edited.changed.text === "short");
  });
});

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [
    at,
    ...entries.filter(([key]) => key !== "__proto__").flatMap(([key, inner]) => pathsOf(inner, [...at, key])),
  ];
}
