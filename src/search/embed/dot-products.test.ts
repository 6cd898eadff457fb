import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assembleWat } from "../../../scripts/assemble-wat.ts";
import { createByteRows } from "./dot-products.ts";
import { dotProductsWasm } from "./dot-products.wasm.ts";

test("products are exact for any width and number of rows", () => {
  const bytes = (count: number) => Int8Array.from({ length: count }, (_, index) => ((index * 7919) % 256) - 128);
  for (const [width, rows] of [
    [1, 3],
    [15, 7],
    [16, 5_000],
    [17, 4_096],
    [768, 4_097],
    [4_096, 40],
  ] as const) {
    const [table, values, vector] = [createByteRows(width), bytes(width * rows), bytes(width + 3).subarray(3)];
    table.append(values.subarray(0, width));
    table.append(values.subarray(width));
    const results: number[] = [];
    table.products(vector, (firstRow, products) => {
      assert.equal(firstRow, results.length);
      results.push(...products);
    });
    const expected = Array.from({ length: rows }, (_, row) =>
      vector.reduce((sum, number, index) => sum + number * (values[row * width + index] ?? 0), 0),
    );
    assert.deepEqual(results, expected);
  }
});

test("the largest products do not overflow", () => {
  const table = createByteRows(4_096);
  table.append(new Int8Array(4_096).fill(-128));
  table.products(new Int8Array(4_096).fill(-128), (_, products) => assert.deepEqual([...products], [2 ** 26]));
});

test("the bytes are those of dot-products.wat", async () => {
  const wat = await readFile(join(import.meta.dirname, "dot-products.wat"), "utf8");
  const base64 = Buffer.from(assembleWat(wat)).toString("base64");
  assert.equal(dotProductsWasm, base64, "run node scripts/build-wasm.ts");
});
