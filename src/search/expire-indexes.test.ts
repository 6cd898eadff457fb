import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { patientSearch } from "../../test/waiting.ts";
import { defaultSettings } from "../config/settings.ts";
import { openSession } from "../session/session.ts";
import type { Event } from "../telemetry/events.ts";
import { sweepArtifacts, sweepIfDue } from "../verbs/sweep.ts";
import { searchCode, startIndexJob } from "./search.ts";

const day = 24 * 3_600_000;

async function openWork() {
  const folder = await makeTemporaryFolder();
  let aheadMs = 0;
  const home = join(folder.path, "home");
  const settings = { ...defaultSettings, ...patientSearch, home, "search.refresh_every": 0 };
  const session = await openSession({ settings, cwd: folder.path, now: () => Date.now() + aheadMs });
  /** Indexes a folder. The sweep that this starts is over before time passes. */
  async function index(name: string): Promise<string> {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, "a.ts"), "export const needle = 1;\n");
    const sweeps: Promise<void>[] = [];
    const background = (task: () => Promise<void>) => void sweeps.push(task());
    const job = await startIndexJob({ repo_path: name }, { ...session, background });
    await Promise.all([...sweeps, job.waitForVectors()]);
    return (await job.waitForEnd()).repository_id;
  }
  const indexFolders = () => readdirSync(join(session.searchFolder ?? "", "default")).sort();
  return {
    path: folder.path,
    session,
    index,
    indexFolders,
    passDays: (days: number) => {
      aheadMs += days * day;
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("the index of a deleted folder expires at the age of artifacts, and no other index does", async () => {
  await using work = await openWork();
  const [gone, here] = [await work.index("gone"), await work.index("here")];
  rmSync(join(work.path, "gone"), { recursive: true });
  assert.equal((await sweepArtifacts(work.session)).deletedIndexes, 0);
  assert.deepEqual(work.indexFolders(), [gone, here].sort());
  work.passDays(15);
  assert.equal((await sweepArtifacts(work.session)).deletedIndexes, 1);
  assert.deepEqual(work.indexFolders(), [here]);
  const generations = await work.session.store.catalogue.all("SELECT repository FROM index_generations");
  assert.deepEqual(
    generations.map(({ repository }) => repository),
    [here],
  );
  await assert.rejects(searchCode({ query: "needle", repository_id: gone }, work.session), /No repository/);
  assert.equal((await searchCode({ query: "needle", dir: "here" }, work.session)).returned_count, 1);
});

test("a folder that comes back in time keeps its index, and one that comes back later gets a new one", async () => {
  await using work = await openWork();
  const id = await work.index("moved");
  for (const days of [10, 15]) {
    renameSync(join(work.path, "moved"), join(work.path, "aside"));
    work.passDays(days);
    await sweepArtifacts(work.session);
    renameSync(join(work.path, "aside"), join(work.path, "moved"));
    const reply = await searchCode({ query: "needle", dir: "moved" }, work.session);
    assert.deepEqual([reply.returned_count, reply.repository_id], [1, id]);
  }
});

test("a sweep that is due expires indexes and emits their sizes", async () => {
  await using work = await openWork();
  await work.index("gone");
  rmSync(join(work.path, "gone"), { recursive: true });
  work.passDays(15);
  const events: Event[] = [];
  await sweepIfDue({ ...work.session, emit: (event) => void events.push(event) });
  assert.deepEqual(work.indexFolders(), []);
  const [swept = assert.fail(), ...others] = events.filter(({ event }) => event === "index.swept");
  assert.ok("size_bytes" in swept && Number(swept.size_bytes) > 0);
  assert.deepEqual(others, []);
});

test("the next sweep deletes what a killed sweeper left; a session in memory has nothing to sweep", async () => {
  await using work = await openWork();
  const id = await work.index("here");
  mkdirSync(join(work.session.searchFolder ?? "", "default", "retired-0123456789ab"));
  await sweepArtifacts(work.session);
  assert.deepEqual(work.indexFolders(), [id]);
  await using inMemory = await openSession({ inMemory: true, settings: defaultSettings });
  assert.equal((await sweepArtifacts(inMemory)).deletedIndexes, 0);
});
