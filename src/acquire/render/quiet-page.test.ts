import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { QUIET_TURNS, type WatchedPage, waitUntilQuiet } from "./quiet-page.ts";

const unlimited = { settleMs: 60_000, signal: new AbortController().signal, pauseMs: 0 };

/** A page whose turns run only when `onTurn` allows it; `turnCount` counts those that have run. */
function makePage(onTurn: (turnCount: number) => Promise<void> | void, readActivity: () => number | undefined) {
  const page = {
    turnCount: 0,
    mainFrameId: "frame",
    readActivity,
    async call<T>(method: string): Promise<T> {
      if (method === "Runtime.evaluate") {
        await onTurn(page.turnCount);
        page.turnCount++;
      }
      return { executionContextId: 1 } as T;
    },
  };
  return page satisfies WatchedPage;
}

describe("a page is idle", () => {
  test("after several turns in a row without activity", async () => {
    let activity = 0;
    const page = makePage(
      (turnCount) => void (turnCount === 3 && activity++),
      () => activity,
    );
    await waitUntilQuiet(page, unlimited);
    assert.equal(page.turnCount, 4 + QUIET_TURNS);
  });

  test("not by the clock: a page that has not run its turn is waited for", async () => {
    const turn = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let activity = 0;
    const page = makePage(
      (turnCount) => {
        if (turnCount !== QUIET_TURNS - 1) return;
        asked.resolve();
        return turn.promise;
      },
      () => activity,
    );
    const quiet = waitUntilQuiet(page, unlimited);
    await asked.promise;
    // The machine was busy: what the page had to do comes with its next turn.
    activity++;
    turn.resolve();
    await quiet;
    assert.equal(page.turnCount, 2 * QUIET_TURNS);
  });

  test("not while it loads, and not when its document is replaced", async () => {
    let activity: number | undefined;
    let failures = 1;
    const page = makePage(
      (turnCount) => {
        if (turnCount === 1) activity = 0;
        if (turnCount !== 3 || failures-- === 0) return;
        throw new Error("Execution context was destroyed.");
      },
      () => activity,
    );
    await waitUntilQuiet(page, unlimited);
    assert.equal(page.turnCount, 3 + QUIET_TURNS);
  });

  test("or its time is over, even if it never runs a turn", async () => {
    const page = makePage(
      () => new Promise(() => undefined),
      () => 0,
    );
    await waitUntilQuiet(page, { ...unlimited, settleMs: 1 });
    const controller = new AbortController();
    const quiet = waitUntilQuiet(page, { ...unlimited, signal: controller.signal });
    controller.abort();
    await quiet;
    assert.equal(page.turnCount, 0);
  });
});
