import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { openTurn } from "./turn-budget.ts";

test("calls share the remaining room evenly, and what a short reply does not use goes to the others", () => {
  const turn = openTurn(30_000);
  for (let call = 0; call < 3; call++) turn.join();
  assert.equal(turn.shareChars(), 10_000 - OVERHEAD_CHARS);
  turn.spend(1_000);
  assert.equal(turn.shareChars(), 14_500 - OVERHEAD_CHARS);
  turn.spend(14_500);
  assert.equal(turn.shareChars(), 14_500 - OVERHEAD_CHARS);
});

test("for any calls, the replies and the errors of calls without room stay within the turn", () => {
  const wants = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 40 });
  const refusalChars = 60;
  fc.assert(
    fc.property(fc.integer({ min: 2_000, max: 200_000 }), wants, (chars, wanted) => {
      const turn = openTurn(chars);
      const calls = wanted.filter(() => turn.join());
      assert.equal(calls.length, Math.min(turn.maxCalls, wanted.length));
      // Calls without room get an error at once; there are rarely more than the turn has room to refuse.
      const refused = Math.min(wanted.length - calls.length, Math.floor((chars * 0.05) / refusalChars));
      for (let call = calls.length; call < wanted.length; call++)
        turn.spend(call < calls.length + refused ? refusalChars : 0);
      let sum = refused * refusalChars;
      for (const want of calls) {
        const content = Math.min(want, Math.max(1_000, turn.shareChars()));
        sum += content + OVERHEAD_CHARS;
        turn.spend(content + OVERHEAD_CHARS);
      }
      assert.ok(sum <= chars, `${sum} of ${chars}`);
    }),
  );
});
