import assert from "node:assert/strict";
import { test } from "node:test";
import { createCharStore, pushChar, sliceChars, writeCodes } from "./line-chars.ts";

test("code points are written as text, in any plane and at any length", () => {
  for (const text of ["", "Sluice gate", "Schleuse Größe", "水門", "a😀b", "\ufffd", "😀".repeat(5_000)])
    assert.equal(writeCodes(Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0)), text);
});

test("a store takes more characters than it was made for, and finished lines keep theirs", () => {
  const store = createCharStore(2);
  const push = (text: string): void => {
    for (const char of text) pushChar(store, char.codePointAt(0) ?? 0, store.length, store.length + 0.5);
  };
  push("ab");
  const first = sliceChars(store, 0, store.length);
  push("c".repeat(100));
  const second = sliceChars(store, 2, store.length);
  assert.equal(writeCodes(first.codes) + writeCodes(second.codes), `ab${"c".repeat(100)}`);
  assert.deepEqual([first.ends[1], second.starts[99], second.ends[99]], [1.5, 101, 101.5]);
});
