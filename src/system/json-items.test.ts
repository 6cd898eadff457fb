import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { COMMA, findItemEnds, scanJson } from "./json-items.ts";

/** Commas outside of strings with their depth, by a reader that looks at one character after another. */
function readCommas(text: string): { end: number; depth: number }[] {
  const commas: { end: number; depth: number }[] = [];
  let [depth, isInString] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const sign = text.charAt(index);
    if (isInString && sign === "\\") index += 1;
    else if (sign === '"') isInString = !isInString;
    else if (isInString) continue;
    else if ("[{".includes(sign)) depth += 1;
    else if ("]}".includes(sign)) depth -= 1;
    else if (sign === ",") commas.push({ end: index + 1, depth });
  }
  return commas;
}

describe("the items of a JSON text", () => {
  test("end where a simple reader says, for any value", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(findItemEnds(text, 0, text.length), readCommas(text));
      }),
    );
  });

  test("are found in a text of any length, with escapes at every place", () => {
    for (let shift = 0; shift < 8; shift++) {
      const text = JSON.stringify(["x".repeat(shift), ...Array(9_000).fill('\\"é,]')]);
      assert.deepEqual(findItemEnds(text, 0, text.length), readCommas(text), `shifted by ${shift}`);
    }
  });

  test("are found when a scan continues", () => {
    const text = JSON.stringify([{ a: "one, two" }, ["three"], "four"]);
    for (let middle = 1; middle < text.length; middle++) {
      const state = { depth: 0, isInString: false };
      const found: number[] = [];
      const visit = (code: number, index: number) => void (code === COMMA && found.push(index + 1));
      scanJson(text, 0, middle, state, visit);
      scanJson(text, middle, text.length, state, visit);
      assert.deepEqual(
        found,
        readCommas(text).map(({ end }) => end),
        `cut at ${middle}`,
      );
    }
  });

  test("that are nested deeper than asked for are passed over", () => {
    const found: number[] = [];
    scanJson(
      "[[1,2],[3,4]]",
      0,
      13,
      { depth: 0, isInString: false },
      (code, index) => {
        if (code === COMMA) found.push(index);
      },
      1,
    );
    assert.deepEqual(found, [6]);
  });
});
