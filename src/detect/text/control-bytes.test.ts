import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasControlByte } from "./control-bytes.ts";

const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

test("every byte value is recognised at every position of a word, from every start", () => {
  for (let value = 0; value < 256; value++) {
    for (let start = 0; start < 4; start++) {
      for (let index = 0; index < 11; index++) {
        const bytes = Buffer.alloc(16, "A").subarray(start, start + 11);
        bytes[index] = value;
        assert.equal(
          hasControlByte(bytes),
          control.test(String.fromCharCode(value)),
          `${value} at ${index} from ${start}`,
        );
      }
    }
  }
});

test("any bytes get the same result as from a regular expression", () => {
  const bytes = fc.array(fc.constantFrom(0x09, 0x0a, 0x0d, 0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0xff), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(bytes, fc.nat(3), (values, start) => {
      const view = Buffer.from([...new Array<number>(start).fill(0x41), ...values]).subarray(start);
      assert.equal(hasControlByte(view), control.test(view.toString("latin1")));
    }),
  );
});
