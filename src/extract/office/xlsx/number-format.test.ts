import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeNumberWriter } from "./number-format.ts";

const cases: readonly { readonly code: string | number; readonly value: number; readonly text: string }[] = [
  { code: "General", value: 0.1 + 0.2, text: "0.3" },
  { code: "General", value: 1e21, text: "1e+21" },
  { code: 2, value: 2.4, text: "2.40" },
  { code: 3, value: 1_234_567, text: "1,234,567" },
  { code: 9, value: 0.256, text: "26%" },
  { code: 14, value: 45_413, text: "2024-05-01" },
  { code: 22, value: 45_413.75, text: "2024-05-01 18:00" },
  { code: 46, value: 1.5, text: "36:00:00" },
  { code: 37, value: -5, text: "(5)" },
  { code: '0.00 "kg"', value: 7, text: "7.00 kg" },
  { code: '"Q"0', value: 3, text: "Q3" },
  { code: "[$€-407]#,##0.00", value: 1_234.5, text: "€1,234.50" },
  { code: "#,##0,", value: 12_345_678, text: "12,346" },
  { code: "0;-0;zero", value: 0, text: "zero" },
  { code: "0000", value: 42, text: "0042" },
  { code: "#.##", value: 1.5, text: "1.5" },
  { code: "0.00E+00", value: 12_345, text: "1.23E+04" },
  { code: "dd/mm/yyyy;@", value: 45_413, text: "2024-05-01" },
  { code: "[Red]0", value: 5, text: "5" },
  { code: "x".repeat(300), value: 5, text: "5" },
];

describe("makeNumberWriter", () => {
  for (const { code, value, text } of cases) {
    test(`shows ${value} in the format ${String(code).slice(0, 30)} as ${text}`, () => {
      const write =
        typeof code === "number" ? makeNumberWriter(code, undefined, false) : makeNumberWriter(164, code, false);
      assert.equal(write(value), text);
    });
  }
});
