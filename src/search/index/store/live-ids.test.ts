import assert from "node:assert/strict";
import { test } from "node:test";
import { createLiveIds } from "./live-ids.ts";

test("a list of ids stays as it was given, whatever is written later", () => {
  const liveIds = createLiveIds(() => [1, 2, 3]);
  const given = liveIds.at(7);
  liveIds.note(7, 8, { added: [4, 5], removed: [1] });
  const next = liveIds.at(8);
  liveIds.note(8, 9, { added: [6], removed: [5] });
  assert.deepEqual(liveIds.at(9), [2, 3, 4, 6]);
  assert.deepEqual(
    [given, next],
    [
      [1, 2, 3],
      [2, 3, 4, 5],
    ],
  );
});

test("ids are read again where another process has written in between", () => {
  let stored = [1];
  const liveIds = createLiveIds(() => stored);
  liveIds.at(1);
  stored = [1, 2, 3];
  liveIds.note(2, 3, { added: [3], removed: [] });
  assert.deepEqual([liveIds.countAt(3), liveIds.at(3)], [null, [1, 2, 3]]);
});
