/** Jobs, leases and generations as rows of the catalogue, seen through searches and indexing jobs. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { patientSearch, waitUntil } from "../../../test/waiting.ts";
import { segmentsKey } from "../../artifacts/keys.ts";
import { findGeneration, findLease, takeLease } from "../../catalogue/index-rows.ts";
import { findJobRow, keepJobRow } from "../../catalogue/job-rows.ts";
import { defaultSettings, type Settings } from "../../config/settings.ts";
import type { JobRecord } from "../../contract/indexing-job.ts";
import { openSession } from "../../session/session.ts";
import { DatabaseSync } from "../../system/load-sqlite.ts";
import { takeLock } from "../../system/lock.ts";
import { cancelIndexingJob, getIndexingStatus, searchCode, startIndexJob } from "../search.ts";
import { toRow } from "./job-log.ts";

async function openWork(changed: Partial<Settings> = {}) {
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "work");
  mkdirSync(root);
  let aheadMs = 0;
  const home = join(folder.path, "home");
  const settings = { ...defaultSettings, ...patientSearch, home, "search.refresh_every": 0, ...changed };
  const session = await openSession({ settings, cwd: root, now: () => Date.now() + aheadMs });
  const { catalogue, ownerId } = session.store;
  const project = { owner: ownerId, project: "default" };
  const projectFolder = join(session.searchFolder ?? "", "default");
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  write("a.ts", "export const needle = 1;\n");
  return {
    home,
    session,
    catalogue,
    project,
    projectFolder,
    write,
    search: (query: string) => searchCode({ query }, session),
    index: async () => (await startIndexJob({}, session)).waitForEnd(),
    passMs: (ms: number) => {
      aheadMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const garbageOf = ({ catalogue }: Awaited<ReturnType<typeof openWork>>) => catalogue.all("SELECT * FROM garbage");

const asRunning = (record: JobRecord): JobRecord => ({ ...record, status: "running", finished_at: null });

/**
 * The size and time of every file, but for the memory of SQLite's log, which reading changes, and what the store writes
 * in its own time: the event log, the reserve after it was opened, and the mark of a sweep.
 */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-shm$|\.jsonl$|^(reserve|swept)$/.test(entry.name))
    .map(({ parentPath, name }) => {
      const { size, mtimeMs } = statSync(join(parentPath, name));
      return `${parentPath}/${name} ${size} ${mtimeMs}`;
    })
    .sort();
}

describe("the record of a job", () => {
  test("is a row that outlives the session", async () => {
    await using work = await openWork();
    const done = await work.index();
    assert.equal((await findJobRow(work.catalogue, work.project, done.job_id))?.is_open, 0);
    await using later = await openSession({ settings: work.session.settings, cwd: work.session.cwd });
    assert.deepEqual(await getIndexingStatus({ job_id: done.job_id }, later), done);
  });

  test("says that its process died, to who asks and after the next job", async () => {
    await using work = await openWork();
    const done = await work.index();
    await keepJobRow(work.catalogue, work.project, toRow(asRunning(done)));
    assert.equal((await getIndexingStatus({ job_id: done.job_id }, work.session)).status, "interrupted");
    await keepJobRow(work.catalogue, work.project, toRow(asRunning(done)));
    await work.index();
    const row = await findJobRow(work.catalogue, work.project, done.job_id);
    assert.equal(JSON.parse(row?.record ?? "").status, "interrupted");
  });

  test("of another process is followed and cancelled through its row", async () => {
    await using work = await openWork();
    const running = asRunning(await work.index());
    const key = { ...work.project, repository: running.repository_id };
    const lockPath = join(work.projectFolder, running.repository_id, "lock.db");
    const lock = takeLock(lockPath) ?? assert.fail();
    await keepJobRow(work.catalogue, work.project, toRow(running));
    const job = await startIndexJob({}, work.session);
    assert.equal(job.record().job_id, running.job_id);
    assert.equal((await getIndexingStatus({ job_id: running.job_id }, work.session)).status, "running");
    assert.equal((await cancelIndexingJob({ job_id: running.job_id }, work.session)).status, "running");
    assert.equal(await keepJobRow(work.catalogue, work.project, toRow(running)), true, "the job sees the request");
    lock[Symbol.dispose]();
    assert.equal((await job.waitForEnd()).job_id, running.job_id);
    assert.equal(await findLease(work.catalogue, key), undefined);
  });

  test("that an earlier version kept as a file is moved into the catalogue, also after a kill in between", async () => {
    await using work = await openWork();
    const done = await work.index();
    const folder = join(work.projectFolder, "jobs");
    for (const job_id of [crypto.randomUUID(), crypto.randomUUID()]) {
      mkdirSync(folder);
      const old: JobRecord = { ...done, job_id, message: "Indexed by an earlier version." };
      // A kill after the row was written leaves both.
      await keepJobRow(work.catalogue, work.project, toRow(old));
      writeFileSync(join(folder, `${job_id}.json`), JSON.stringify(old));
      writeFileSync(join(folder, `${crypto.randomUUID()}.json`), '{"job_id":');
      assert.deepEqual(await getIndexingStatus({ job_id }, work.session), old);
      assert.equal(existsSync(folder), false);
      assert.deepEqual(await getIndexingStatus({ job_id }, work.session), old);
    }
  });

  test("that an earlier version kept as a file is found where the catalogue cannot be written", async () => {
    await using work = await openWork();
    const job_id = crypto.randomUUID();
    const started_at = new Date().toISOString();
    const old = { job_id, project_id: "default", repository_id: "web", status: "completed", started_at };
    mkdirSync(join(work.projectFolder, "jobs"), { recursive: true });
    writeFileSync(join(work.projectFolder, "jobs", `${job_id}.json`), JSON.stringify(old));
    mkdirSync(join(work.home, "catalogue.db"));
    assert.deepEqual(await getIndexingStatus({ job_id }, work.session), old);
    assert.equal(existsSync(join(work.projectFolder, "jobs", `${job_id}.json`)), true);
  });
});

describe("the lease of an index", () => {
  const foreign = (now: number) => ({ job: "job-7", place: "another", holder: "other:7", expires_at: now + 60_000 });

  test("that a job elsewhere has is waited for: searches answer meanwhile, and a dead job's lease ends", async () => {
    await using work = await openWork({ "search.refresh_wait": 1 });
    const { repository_id } = await work.index();
    const key = { ...work.project, repository: repository_id };
    await takeLease(work.catalogue, key, foreign(Date.now()), Date.now());
    work.write("b.ts", "export const later = 1;\n");
    const job = await startIndexJob({}, work.session);
    const reply = await work.search("needle later");
    assert.ok(
      reply.indexing !== undefined && reply.indexing.error === undefined,
      "the reply says that it is not complete",
    );
    assert.deepEqual([reply.results.length, reply.results[0]?.file_path], [1, "a.ts"]);
    await waitUntil("the job waits", () => /^Another process \(other:7\) is indexing/.test(job.record().message));
    assert.equal(job.record().status, "pending");
    work.passMs(60_001);
    assert.equal((await job.waitForEnd()).status, "completed");
    assert.equal((await work.search("later")).results[0]?.file_path, "b.ts");
    assert.equal(await findLease(work.catalogue, key), undefined);
  });

  test("that a job elsewhere has does not keep a job from being cancelled", async () => {
    await using work = await openWork();
    const { repository_id } = await work.index();
    await takeLease(work.catalogue, { ...work.project, repository: repository_id }, foreign(Date.now()), Date.now());
    const job = await startIndexJob({}, work.session);
    await job.cancel();
    const { status, message } = await job.waitForEnd();
    assert.deepEqual([status, message], ["partial", "Cancelled; what was indexed before stays."]);
  });

  test("of a killed job of this machine is free at once", async () => {
    await using work = await openWork();
    const { repository_id } = await work.index();
    const key = { ...work.project, repository: repository_id };
    const place = (await import("./index-lease.ts")).findPlace({ folder: work.projectFolder });
    await takeLease(work.catalogue, key, { ...foreign(Date.now()), place }, Date.now());
    assert.equal((await work.index()).status, "completed");
  });

  test("is not needed for a search that finds no change: it writes nothing", async () => {
    await using work = await openWork();
    const { repository_id } = await work.index();
    work.passMs(1_000); // The stamp of a new file settles.
    await work.search("needle");
    await takeLease(work.catalogue, { ...work.project, repository: repository_id }, foreign(Date.now()), Date.now());
    await work.catalogue.close();
    const before = listFiles(work.home);
    for (let n = 0; n < 3; n++) assert.equal((await work.search("needle")).indexing, undefined);
    assert.deepEqual(listFiles(work.home), before);
    assert.ok(!existsSync(join(work.home, "catalogue.db-wal")), "the catalogue is not even opened");
  });

  test("is not waited for where another process keeps the catalogue locked", async () => {
    await using work = await openWork();
    await work.index();
    const other = new DatabaseSync(join(work.home, "catalogue.db"));
    other.exec("BEGIN IMMEDIATE");
    work.write("b.ts", "export const later = 1;\n");
    assert.equal((await work.search("later")).results[0]?.file_path, "b.ts");
    const { status, job_id } = await work.index();
    assert.equal(status, "completed");
    assert.equal((await getIndexingStatus({ job_id }, work.session)).status, "completed");
    other.exec("ROLLBACK");
    other.close();
    assert.equal((await work.index()).status, "completed");
    const rows = await work.catalogue.all("SELECT files FROM index_generations");
    assert.deepEqual(
      rows.map(({ files }) => files),
      [2],
      "it is published later",
    );
  });

  test("is not asked for where the catalogue is of a newer version", async () => {
    await using work = await openWork();
    await work.index();
    await work.catalogue.run("UPDATE catalogue_schema SET version = 1000");
    await work.catalogue.close();
    work.write("b.ts", "export const later = 1;\n");
    assert.equal((await work.search("later")).results[0]?.file_path, "b.ts");
    assert.equal((await work.index()).status, "completed");
  });
});

describe("the generation of an index", () => {
  test("is published when the index has changed", async () => {
    await using work = await openWork();
    const { repository_id, repository_path } = await work.index();
    const find = () => findGeneration(work.catalogue, { ...work.project, repository: repository_id });
    const first = (await find()) ?? assert.fail();
    assert.deepEqual([first.generation, first.files, first.root], [1, 1, repository_path]);
    for (let n = 0; n < 120; n++) work.write(`f${n}.ts`, `export const value${n} = ${n};\n`);
    await work.search("value119");
    const second = (await find()) ?? assert.fail();
    assert.deepEqual([second.generation, second.files], [2, 121]);
    const [segment, ...others] = JSON.parse(second.segments);
    const object_key = segmentsKey({ ...work.project, repository: repository_id }) + segment;
    assert.ok(existsSync(join(work.home, object_key)), segment);
    assert.deepEqual(others, []);
    const listed = await work.catalogue.all("SELECT object_key FROM index_segments");
    assert.deepEqual([listed.map((row) => ({ ...row })), await garbageOf(work)], [[{ object_key }], []]);
    await work.index();
    assert.equal((await find())?.generation, 2);
  });

  test("is published by the next look where it was not, as after a kill or in a store of an earlier version", async () => {
    await using work = await openWork();
    const { repository_id } = await work.index();
    const find = () => findGeneration(work.catalogue, { ...work.project, repository: repository_id });
    const index = new DatabaseSync(join(work.projectFolder, repository_id, "index.db"));
    index.exec("DELETE FROM facts WHERE name = 'published_generation'");
    index.close();
    await work.catalogue.run("DELETE FROM index_generations");
    await work.search("needle");
    assert.equal((await find())?.files, 1);
  });
});
