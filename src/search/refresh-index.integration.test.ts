import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openSearchedFolder } from "../../test/searched-folder.ts";
import { waitUntil } from "../../test/waiting.ts";
import { takeLock } from "../system/lock.ts";
import { openFolderWatch } from "./index/folder/folder-watch.ts";
import { indexedAt } from "./index-notes.ts";
import { startIndexing } from "./indexing-jobs.ts";
import { refreshIndex } from "./refresh-index.ts";
import { openRepository } from "./repository/repository.ts";
import { projectOf } from "./targets.ts";
import { lookWatched } from "./watched-folders.ts";

test("a search that begins during a look finds what changes during that look", async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const first = 1;\n");
  await work.search("first");
  const { session, root } = work;
  using hold = await openRepository(projectOf(undefined, root, session, false), root, session.roots);
  work.write("b.ts", "const second = 1;\n");
  let asked = 0;
  const now = () => {
    // While the look reads the new file, it has listed the folder already.
    if (asked++ === 3) work.write("late.ts", "const late = 1;\n");
    return Date.now();
  };
  const job = await startIndexing(hold.repository, { ...session, now }, "background");
  await refreshIndex(hold.repository, session, {});
  const paths = hold.repository.store.files().map(({ path }) => path);
  assert.deepEqual(paths.sort(), ["a.ts", "b.ts", "late.ts"]);
  assert.equal((await job.waitForEnd()).files_indexed, 1, "the look itself has passed the late one");
});

test("a search that looks twice waits no longer than one that looks once", async (context) => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const first = 1;\n");
  await work.search("first");
  const { session, root } = work;
  using hold = await openRepository(projectOf(undefined, root, session, false), root, session.roots);
  const { repository } = hold;
  const older = await startIndexing(repository, session, "background");
  let elapsedMs = 0;
  const realNow = performance.now.bind(performance);
  context.mock.method(performance, "now", () => realNow() + elapsedMs);
  const released = older.waitForEnd().then(async () => {
    elapsedMs = 10_000;
    using _lock = takeLock(repository.lockPath ?? assert.fail()) ?? assert.fail(); // The second look has to wait.
    await pause(300);
  });
  const record = await refreshIndex(repository, session, { waitMs: { first: 9_000, changes: 9_000 } });
  assert.equal(record?.message, "Another process is indexing.", "nothing is left of the nine seconds");
  await released;
});

/** A repository whose folder is watched and quiet; what changes in it is not reported. Every file was looked at long ago. */
async function openQuiet(lookedMsAgo: number) {
  const work = await openSearchedFolder();
  work.write("a.ts", "const first = 1;\n");
  await work.search("first");
  const { session, root } = work;
  const hold = await openRepository(projectOf(undefined, root, session, false), root, session.roots);
  const watch = () => ({ [Symbol.dispose]: () => undefined });
  const system = {
    now: () => performance.now() - lookedMsAgo,
    openWatch: () => openFolderWatch(root, { isLocal: () => true, watch }),
  };
  const report = { files: 1, indexed: 0, removed: 0, skippedCount: 0, unreadable: 0, skipped: [], bytes: 0 };
  await lookWatched(hold.repository, new AbortController().signal, async () => report, system);
  return {
    ...work,
    store: hold.repository.store,
    refresh: (now = session.now) => refreshIndex(hold.repository, { ...session, now }, {}),
    async [Symbol.asyncDispose]() {
      hold[Symbol.dispose]();
      await work[Symbol.asyncDispose]();
    },
  };
}

test("a search of a watched folder looks at all files in the background once a minute", async () => {
  await using work = await openQuiet(61_000);
  work.write("b.ts", "const second = 1;\n");
  assert.equal(await work.refresh(), null, "the search does not wait");
  await waitUntil("the change is found", () => work.store.files().some(({ path }) => path === "b.ts"));
});

test("a search of a watched folder in which nothing has changed notes when that was", async () => {
  await using work = await openQuiet(0);
  assert.equal(await work.refresh(() => Date.UTC(2100)), null);
  assert.equal(indexedAt(work.store), "2100-01-01T00:00:00.000Z");
});

/** A repository that cannot be watched, after a look that took five seconds and ended as long ago as the test says. */
async function openUnwatched(refreshEveryMs: number, endedMsAgo: number) {
  const work = await openSearchedFolder({ "search.refresh_every": refreshEveryMs, "search.refresh_wait": 1_000 });
  work.write("a.ts", "const first = 1;\n");
  await work.search("first");
  const hold = await openRepository(
    projectOf(undefined, work.root, work.session, false),
    work.root,
    work.session.roots,
  );
  let elapsedMs = -endedMsAgo - 5_000;
  const report = { files: 1, indexed: 0, removed: 0, skippedCount: 0, unreadable: 0, skipped: [], bytes: 0 };
  const look = async () => {
    elapsedMs += 5_000;
    return report;
  };
  const system = { now: () => performance.now() + elapsedMs, openWatch: () => null };
  await lookWatched(hold.repository, new AbortController().signal, look, system);
  return {
    ...work,
    refresh: () => refreshIndex(hold.repository, work.session, {}),
    complete: () => refreshIndex(hold.repository, work.session, { complete: true }),
    async [Symbol.asyncDispose]() {
      hold[Symbol.dispose]();
      await work[Symbol.asyncDispose]();
    },
  };
}

test("a look that takes longer than a search waits is not repeated for a while, and is not waited for", async () => {
  {
    await using recent = await openUnwatched(1, 40_000);
    assert.equal(await recent.refresh(), null, "no look");
    recent.write("b.ts", "const second = 1;\n");
    assert.equal((await recent.search("second")).results.length, 0);
    assert.equal(await recent.complete(), null);
    assert.equal((await recent.search("second")).results[0]?.file_path, "b.ts", "a search that waits finds everything");
  }
  for (const [refreshEveryMs, endedMsAgo] of [
    [1, 51_000],
    [0, 40_000],
  ] as const) {
    await using due = await openUnwatched(refreshEveryMs, endedMsAgo);
    due.write("b.ts", "const second = 1;\n");
    const job = await due.refresh();
    assert.ok(job?.status === "pending" || job?.status === "running", "the look runs beside the search");
    await due.complete();
    assert.equal((await due.search("second")).results[0]?.file_path, "b.ts");
  }
});
