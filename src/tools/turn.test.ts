import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { callsInTurn, openTurn } from "./turn.ts";

test("calls that finish share what is left evenly, and what a small one leaves goes to the others", () => {
  const turn = openTurn(30_000);
  for (let call = 0; call < 3; call++) turn.join();
  assert.equal(turn.shareChars(), 10_000 - OVERHEAD_CHARS);
  turn.spend(1_000);
  assert.equal(turn.shareChars(), 14_500 - OVERHEAD_CHARS);
  turn.spend(14_500);
  assert.equal(turn.shareChars(), 14_500 - OVERHEAD_CHARS);
});

test("whatever the calls want, as many as have room stay within the turn", () => {
  const wants = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 2_000, max: 200_000 }), wants, (chars, wanted) => {
      const calls = wanted.slice(0, callsInTurn(chars));
      const turn = openTurn(chars);
      for (const _ of calls) turn.join();
      let sum = 0;
      for (const want of calls) {
        const content = Math.min(want, Math.max(1_000, turn.shareChars()));
        sum += content + OVERHEAD_CHARS;
        turn.spend(content + OVERHEAD_CHARS);
      }
      assert.ok(sum <= chars, `${sum} of ${chars}`);
    }),
  );
});
