import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { letEventsHappen, waitUntil } from "../../../../test/waiting.ts";
import { watchFolder } from "./watch-folder.ts";

test("watching reports changes, also in new folders, and ends on abort", async () => {
  await using folder = await makeTemporaryFolder();
  const stop = new AbortController();
  let reports = 0;
  const watching = (async () => {
    for await (const _ of watchFolder(folder.path, stop.signal)) reports++;
  })();
  /** Writes until it is reported: the system does not say when it has begun to watch a folder. */
  const writeUntilReported = async (name: string) => {
    const before = reports;
    await waitUntil(`${name} is reported`, () => {
      writeFileSync(join(folder.path, name), "x");
      return reports > before;
    });
  };
  await writeUntilReported("file");
  mkdirSync(join(folder.path, "new"));
  await writeUntilReported(join("new", "file"));
  stop.abort();
  await watching;
});

/** A watched folder whose changes and clock are in the hands of the test. */
function openFakeWatch(hidden: readonly string[] = []) {
  const stop = new AbortController();
  const pushed: string[] = [];
  let wake = Promise.withResolvers<void>();
  async function* watch() {
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers();
      for (const filename of pushed.splice(0)) yield { filename };
    }
  }
  const sleeps: { readonly ms: number; readonly end: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((end) => void sleeps.push({ ms, end }));
  let reports = 0;
  void (async () => {
    for await (const _ of watchFolder("/root", stop.signal, { hidden: new Set(hidden), watch, sleep })) reports++;
  })();
  return {
    /** The system reports these changes. */
    async change(...names: string[]): Promise<void> {
      pushed.push(...names);
      wake.resolve();
      await letEventsHappen();
    },
    /** The time is over that the watcher waits now. */
    async passTime(): Promise<void> {
      sleeps.at(-1)?.end();
      await letEventsHappen();
    },
    reports: () => reports,
    isSettling: () => (sleeps.at(-1)?.ms ?? 0) < 1_000,
  };
}

test("watching reports a burst of changes once", async () => {
  const folder = openFakeWatch();
  await folder.change(...Array.from({ length: 50 }, (_, index) => `f${index}`));
  await folder.change("late");
  assert.deepEqual([folder.reports(), folder.isSettling()], [0, true]);
  await folder.passTime();
  assert.deepEqual([folder.reports(), folder.isSettling()], [1, false]);
  await folder.change("next");
  await folder.passTime();
  assert.equal(folder.reports(), 2);
});

test("watching does not report changes in hidden folders", async () => {
  const folder = openFakeWatch(["/root/.data"]);
  await folder.change(".data", ".data/index.db");
  assert.equal(folder.isSettling(), false);
  await folder.change(".database");
  assert.equal(folder.isSettling(), true);
});

test("watching reports now and then where the system reports no changes", async () => {
  const folder = openFakeWatch();
  await letEventsHappen();
  await folder.passTime();
  await folder.passTime();
  assert.equal(folder.reports(), 1);
});
