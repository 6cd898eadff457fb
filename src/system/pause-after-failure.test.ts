import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAfterFailure } from "./pause-after-failure.ts";

test("a pause lasts its time, is not made longer by calls during it, and ends with a success", () => {
  let time = 0;
  const pause = pauseAfterFailure(100, () => time);
  assert.equal(pause.current(), undefined);
  pause.begin("first");
  time = 99;
  assert.equal(pause.current(), "first");
  pause.begin("second");
  time = 101;
  assert.equal(pause.current(), undefined);
  pause.begin("third");
  assert.equal(pause.current(), "third");
  pause.end();
  assert.equal(pause.current(), undefined);
});
