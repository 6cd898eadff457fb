import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeJohabDecoder } from "./johab.ts";

const decode = (...bytes: number[]) => makeJohabDecoder().decode(Uint8Array.from(bytes));

describe("Johab", () => {
  test("is decoded by syllables, letters, symbols and Chinese characters", () => {
    assert.equal(decode(0x88, 0x61, 0x20, 0xd3, 0xbd), "가 힣");
    assert.equal(decode(0x88, 0x41, 0x84, 0x61, 0x84, 0x42), "ㄱㅏㄱ");
    assert.equal(decode(0xd9, 0x31, 0xd9, 0x32, 0xd9, 0x33), "\u3000、。");
    assert.equal(decode(0xe0, 0x31, 0xf9, 0xfe), "伽詰");
  });

  test("keeps ASCII after a damaged byte, and marks every damage", () => {
    assert.equal(decode(0xff, 0x0a, 0x41), "\ufffd\nA");
    assert.equal(decode(0x41, 0x88), "A\ufffd");
  });

  test("gives every syllable once", () => {
    const syllables = new Set<string>();
    for (let code = 0x8000; code <= 0xffff; code++) {
      const text = decode(code >> 8, code & 0xff);
      if (/^[가-힣]$/.test(text)) syllables.add(text);
    }
    assert.equal(syllables.size, 11_172);
  });

  test("does not depend on where chunks end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 40 }), (bytes, at) => {
        const decoder = makeJohabDecoder();
        const parts = decoder.decode(bytes.subarray(0, at), { stream: true }) + decoder.decode(bytes.subarray(at));
        assert.equal(parts, decode(...bytes));
      }),
    );
  });
});
