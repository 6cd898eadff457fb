import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PathSelection } from "./index-store.ts";
import { collectRows, openRowsInOrder } from "./rows-in-order.ts";

type Row = { readonly path: string; readonly stamp: number };

/** Reads as a store does, by bytes, and counts what it gives. */
function openRows(paths: readonly string[]) {
  const rows = paths
    .map((path, stamp) => ({ path, stamp }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  let given = 0;
  const select = (selection: PathSelection): Row[] => {
    if ("at" in selection) return rows.filter(({ path }) => path === selection.at);
    if ("in" in selection) return assert.fail();
    const { after, limit } = selection;
    const start = after === null ? 0 : rows.findIndex(({ path }) => path === after) + 1;
    return rows.slice(start, start + limit);
  };
  const read = (selection: PathSelection) => {
    const selected = select(selection);
    given += selected.length;
    return selected;
  };
  return { rows, read, given: () => given };
}

const name = fc.constantFrom("a", "a.ts", "a-b", "b", "\u{e000}", "\u{1d4b3}", "日本", "", " ");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

test("every path gives its row or none, in any order and for any size of a page, and the rest is what was not taken", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 40 }),
      fc.uniqueArray(path, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (stored, asked, pageRows, isSorted) => {
        const { rows, read } = openRows(stored);
        const byPath = new Map(rows.map((row) => [row.path, row]));
        for (const reader of [openRowsInOrder(read, pageRows), collectRows(rows)]) {
          for (const each of isSorted ? asked.toSorted() : asked) assert.equal(reader.take(each), byPath.get(each));
          assert.deepEqual(new Set(reader.rest()), new Set(rows.filter((row) => !asked.includes(row.path))));
        }
      },
    ),
  );
});

test("a row is found that the store orders behind what was read, and is not in the rest", () => {
  // By bytes the second name follows the first; by UTF-16, in which a walk compares them, it comes before.
  const { rows, read } = openRows(["\u{e000}", "\u{1d4b3}"]);
  const reader = openRowsInOrder(read, 1);
  assert.deepEqual(
    rows.map(({ path: each }) => reader.take(each)),
    rows,
  );
  assert.deepEqual(reader.rest(), []);
});

test("in the order of a walk, each row is read once and only a page ahead", () => {
  const paths = Array.from(
    { length: 1_000 },
    (_, file) => `part${String(Math.floor(file / 10)).padStart(3, "0")}/f${file % 10}.ts`,
  );
  const { read, given } = openRows(paths);
  const reader = openRowsInOrder(read, 50);
  for (const [index, each] of paths.entries()) {
    assert.equal(reader.take(each)?.path, each);
    assert.ok(given() <= index + 50);
  }
  assert.deepEqual([reader.rest(), given()], [[], 1_000]);
});
