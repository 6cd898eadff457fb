/** Item 9: what a search and a job do where the index cannot be written. Real full disks: test/slow/full-disk.test.ts. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { patientSearch } from "../../test/waiting.ts";
import { searchNotices } from "../answer/search-reply.ts";
import { defaultSettings } from "../config/settings.ts";
import { openSession } from "../session/session.ts";
import type { IndexStore } from "./index/store/index-store.ts";
import { openSqliteStore } from "./index/store/sqlite-index-store.ts";
import { startIndexing } from "./indexing-jobs.ts";
import { findProject } from "./repository/choose-project.ts";
import { openRepository, type Repository } from "./repository/repository.ts";
import { describeStorageFailure } from "./repository/storage-problem.ts";
import { cancelIndexingJob, getIndexingStatus, searchCode, startIndexJob } from "./search.ts";

const sqliteError = (errcode: number) =>
  Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode });
const full = sqliteError(13);

async function openWork() {
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "work");
  mkdirSync(root);
  for (let file = 0; file < 5; file++) writeFileSync(join(root, `f${file}.ts`), `const needle${file} = 1;\n`);
  const home = join(folder.path, "home");
  const settings = { ...defaultSettings, ...patientSearch, home, "search.refresh_every": 0 };
  const session = await openSession({ settings, cwd: root });
  const search = { home: session.searchFolder, scope: session.store, startFolder: root };
  return {
    root,
    session,
    held: () => openRepository(findProject({ ...search, explicit: undefined, create: false }), root, undefined),
    home,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The repository with a store that fails from this write on. */
function failAfter(repository: Repository, writes: number, error: Error): Repository {
  let left = writes;
  const store: IndexStore = {
    ...repository.store,
    write(change) {
      if (left-- <= 0) throw error;
      return repository.store.write(change);
    },
  };
  return { ...repository, store };
}

describe("item 9: an index that cannot be written", () => {
  for (const writes of [0, 1]) {
    test(`after ${writes} writes: the first index is built in memory, and searches answer from it and say so`, async () => {
      await using work = await openWork();
      using held = await work.held();
      const job = await startIndexing(failAfter(held.repository, writes, full), work.session, "changes");
      const { status, files_indexed, storage_problem, job_id } = await job.waitForEnd();
      assert.deepEqual([status, files_indexed, storage_problem], ["completed", 5, "the disk is full"]);
      assert.equal((await getIndexingStatus({ job_id }, work.session)).storage_problem, "the disk is full");
      const names = readdirSync(held.repository.folder ?? "");
      assert.ok(!names.some((name) => name.startsWith("index.db")), "the part that was stored is deleted");
      const reply = await searchCode({ query: "needle3" }, work.session);
      assert.deepEqual([reply.results[0]?.file_path, reply.storage_problem], ["f3.ts", "the disk is full"]);
      assert.deepEqual(searchNotices(reply), [
        "The index could not be stored, because the disk is full: it is in memory only, and the next process builds it " +
          "again. Free space or set SPILLWAY_HOME to a folder that can be written.",
      ]);
    });
  }

  test("an older index stays, and the job fails with one sentence and what to do", async () => {
    await using work = await openWork();
    await (await startIndexJob({}, work.session)).waitForEnd();
    writeFileSync(join(work.root, "new.ts"), "const later = 1;\n");
    using held = await work.held();
    const job = await startIndexing(failAfter(held.repository, 0, full), work.session, "changes");
    const { status, error, storage_problem } = await job.waitForEnd();
    assert.deepEqual([status, storage_problem], ["failed", null]);
    assert.equal(
      error,
      "The index could not be stored: the disk is full. Free space or set SPILLWAY_HOME to a folder that can be " +
        "written, then try again.",
    );
    assert.equal(held.repository.store.fileCount(), 5);
    assert.equal((await searchCode({ query: "later" }, work.session)).storage_problem, undefined);
  });

  test("a job whose records cannot be written can be followed and cancelled by its id", async () => {
    await using work = await openWork();
    mkdirSync(join(work.home, "catalogue.db"), { recursive: true }); // A folder where the database should be.
    const job = await startIndexJob({}, work.session);
    const { job_id } = job.record();
    assert.equal((await getIndexingStatus({ job_id }, work.session)).status, "pending");
    await job.waitForEnd();
    assert.equal((await getIndexingStatus({ job_id }, work.session)).status, "completed");
    assert.equal((await cancelIndexingJob({ job_id }, work.session)).status, "completed");
    await assert.rejects(getIndexingStatus({ job_id: crypto.randomUUID() }, work.session), { code: "job_not_found" });
  });
});

test("item 9: a failed transaction reports its own error, and the store works afterwards", async () => {
  await using folder = await makeTemporaryFolder();
  using store = openSqliteStore(join(folder.path, "index.db"));
  const file = { path: "a.ts", stamp: "1", hash: "1", text: "a", chunks: [], outline: null };
  assert.throws(() => store.write({ put: [file, { ...file, stamp: null as unknown as string }] }), /NOT NULL/);
  assert.equal(store.fileCount(), 0);
  store.write({ put: [file] });
  assert.equal(store.fileCount(), 1);
});

test("item 9: every kind of failure has words", () => {
  const node = (code: string) => Object.assign(new Error(code), { code });
  for (const [error, words] of [
    [full, "the disk is full"],
    [node("ENOSPC"), "the disk is full"],
    [node("EDQUOT"), "the disk is full"],
    [node("EROFS"), "the data folder cannot be written (EROFS)"],
    [node("EACCES"), "the data folder cannot be written (EACCES)"],
    [sqliteError(8), "the data folder cannot be written"],
    [sqliteError(14), "the data folder cannot be written"],
  ] as const) {
    assert.equal(describeStorageFailure(error, "/nowhere/at/all"), words);
  }
});
