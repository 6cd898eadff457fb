/** Code search on a team store: machines share the segments of a repository, and one indexes it at a time. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { teamStorage } from "../src/artifacts/team-storage.ts";
import { findLease } from "../src/catalogue/index-rows.ts";
import { pageOfSegments } from "../src/catalogue/segment-rows.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { segmentStoreContract } from "../src/search/index/segments/segment-store.contract.ts";
import { searchCode, startIndexJob } from "../src/search/search.ts";
import { openSession, type Session } from "../src/session/session.ts";
import { sweepArtifacts } from "../src/verbs/sweep.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";
import { startRelay } from "./tcp-relay.ts";
import { patientSearch, waitUntil } from "./waiting.ts";

const postgres = await startPostgres();
const s3 = await startS3();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
});

if (typeof postgres === "string" || typeof s3 === "string") {
  test(
    "search on a team store",
    { skip: [postgres, s3].find((each) => typeof each === "string") as string },
    () => undefined,
  );
} else {
  const makeTeam = async (): Promise<Settings> => ({
    ...defaultSettings,
    ...patientSearch,
    ...s3.makePlace(),
    "store.catalogue": (await postgres.makeDatabase()).url,
    "search.refresh_every": 0,
  });

  segmentStoreContract("PostgreSQL and S3", async () => {
    const folder = await makeTemporaryFolder();
    const storage = teamStorage(folder.path, await makeTeam());
    return {
      ...storage,
      async [Symbol.asyncDispose]() {
        await storage.catalogue.close();
        await storage.close?.();
        await folder[Symbol.asyncDispose]();
      },
    };
  });

  /** A folder of code, and machines that share a store and see the folder under one path. */
  const openTeam = async (changed: Partial<Settings> = {}) => {
    const folder = await makeTemporaryFolder();
    const team = { ...(await makeTeam()), ...changed };
    const root = join(folder.path, "code");
    mkdirSync(root);
    const sessions: (Session & AsyncDisposable)[] = [];
    let aheadMs = 0;
    return {
      folder: folder.path,
      root,
      team,
      homeOf: (name: string) => join(folder.path, name),
      writeFiles(from: number, to: number, text = "first") {
        for (let n = from; n < to; n++)
          writeFileSync(join(root, `f${n}.ts`), `export const value${n} = "${text}${n}";\n`);
      },
      async openMachine(name: string, own: Partial<Settings> = {}): Promise<Session> {
        const settings = { ...team, ...own, home: join(folder.path, name) };
        const session = await openSession({ settings, cwd: root, owner: "ann", now: () => Date.now() + aheadMs });
        sessions.push(session);
        return session;
      },
      passMs: (ms: number) => {
        aheadMs += ms;
      },
      async [Symbol.asyncDispose]() {
        for (const session of sessions) await session[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  };

  const pathsOf = async (query: string, session: Session): Promise<string[]> =>
    (await searchCode({ query }, session)).results.map(({ file_path }) => file_path);

  const segmentsIn = ({ store }: Session) => pageOfSegments(store.catalogue, 100, "");

  const filesBelow = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));

  describe("machines that share a store and a folder", () => {
    test("search it at once, and only one builds its segments", async () => {
      await using team = await openTeam();
      team.writeFiles(0, 300);
      const [one, two] = [await team.openMachine("one"), await team.openMachine("two")];
      const found = await Promise.all([pathsOf("value17", one), pathsOf("value17", two)]);
      assert.deepEqual(found, [["f17.ts"], ["f17.ts"]]);
      const rows = await segmentsIn(one);
      assert.ok(rows.length > 0, "segments are published");
      assert.equal(new Set(rows.map(({ place }) => place)).size, 1, "the other machine has built none");
      assert.ok(
        filesBelow(join(team.homeOf("two"), "copies")).length > 0 ||
          filesBelow(join(team.homeOf("one"), "copies")).length > 0,
      );
      const generations = await one.store.catalogue.all("SELECT segments FROM index_generations");
      assert.equal(generations.length, 1);
      assert.deepEqual(
        JSON.parse(String(generations[0]?.segments)).sort(),
        rows.map(({ object_key }) => object_key.slice(object_key.lastIndexOf("/") + 1)).sort(),
      );
    });

    test("take over what the other has built later too, and release what none needs", async () => {
      await using team = await openTeam();
      team.writeFiles(0, 150);
      const [one, two] = [await team.openMachine("one"), await team.openMachine("two")];
      await pathsOf("value17", one);
      await pathsOf("value17", two);
      const before = await segmentsIn(one);
      team.writeFiles(150, 300);
      assert.deepEqual(await pathsOf("value290", two), ["f290.ts"]);
      assert.deepEqual(await pathsOf("value291", one), ["f291.ts"]);
      const grown = await segmentsIn(one);
      assert.equal(grown.length, 2);
      assert.equal(new Set(grown.map(({ place }) => place)).size, 2, "each has built what the other had not");
      team.writeFiles(0, 300, "second");
      assert.deepEqual(await pathsOf("second17", one), ["f17.ts"]);
      assert.deepEqual(await pathsOf("second17", two), ["f17.ts"]);
      const current = await segmentsIn(one);
      assert.ok(!current.some(({ object_key }) => object_key === before[0]?.object_key));
      const stale = before[0]?.object_key ?? "";
      await sweepArtifacts(one);
      assert.notEqual(await one.store.objects.head(stale), undefined, "another machine may still read it");
      team.passMs(3 * 3_600_000);
      await sweepArtifacts(one);
      assert.equal(await one.store.objects.head(stale), undefined);
      for (const { object_key } of current) assert.notEqual(await one.store.objects.head(object_key), undefined);
    });

    test("with other files under the same path keep their own segments", async () => {
      await using team = await openTeam();
      team.writeFiles(0, 150);
      const [one, two] = [await team.openMachine("one"), await team.openMachine("two")];
      await pathsOf("value17", one);
      team.writeFiles(0, 150, "other");
      assert.deepEqual(await pathsOf("other17", two), ["f17.ts"]);
      const rows = await segmentsIn(one);
      assert.equal(new Set(rows.map(({ place }) => place)).size, 2);
    });

    test("search a repository whose machine is gone, and its segments expire when none uses them", async () => {
      await using team = await openTeam();
      team.writeFiles(0, 150);
      await pathsOf("value17", await team.openMachine("one"));
      const two = await team.openMachine("two");
      await pathsOf("value17", two);
      const [row = assert.fail()] = await segmentsIn(two);
      team.passMs(13 * 86_400_000);
      await pathsOf("value17", two); // A search that finds no change reminds the catalogue once a day.
      team.passMs(2 * 86_400_000);
      await sweepArtifacts(two);
      assert.deepEqual(
        (await segmentsIn(two)).map(({ object_key }) => object_key),
        [row.object_key],
      );
      team.passMs(15 * 86_400_000);
      await sweepArtifacts(two);
      assert.deepEqual(await segmentsIn(two), []);
      assert.deepEqual(await pathsOf("value17", two), ["f17.ts"], "derived data: the search does without");
    });
  });

  describe("the local copies of segments", () => {
    test("stay within their bound, and a damaged one is fetched again", async () => {
      await using team = await openTeam();
      team.writeFiles(0, 150);
      await pathsOf("value17", await team.openMachine("one"));
      const [{ size_bytes = 0, object_key = "" } = {}] = await segmentsIn(await team.openMachine("watcher"));
      const bound = Math.round(size_bytes * 1.5);
      const two = await team.openMachine("two", { "store.cache_bytes": bound });
      await pathsOf("value17", two);
      const copies = () => filesBelow(join(team.homeOf("two"), "copies"));
      const [copy = assert.fail()] = copies();
      const bytes = readFileSync(copy);
      writeFileSync(copy, Buffer.alloc(bytes.length, 7));
      {
        await using file = (await two.store.objects.local(object_key)) ?? assert.fail();
        assert.deepEqual(readFileSync(file.path), bytes);
      }
      assert.deepEqual(readFileSync(copies()[0] ?? ""), bytes);
      team.writeFiles(150, 300);
      assert.deepEqual(await pathsOf("value290", two), ["f290.ts"]);
      assert.deepEqual(await pathsOf("value17", two), ["f17.ts"]);
      const total = () => copies().reduce((sum, path) => sum + statSync(path).size, 0);
      await waitUntil(`${bound} bytes of copies at most`, () => total() <= bound); // Room is made behind the reply.
    });

    test("are not needed while the bucket is away: searches answer, and the next job stores what is missing", async () => {
      await using relay = await startRelay(s3.port);
      await using team = await openTeam({ "store.endpoint": `http://127.0.0.1:${relay.port}`, "store.timeout": 2_000 });
      team.writeFiles(0, 150);
      const one = await team.openMachine("one");
      relay.cut();
      assert.deepEqual(await pathsOf("value17", one), ["f17.ts"]);
      assert.deepEqual(await segmentsIn(one), []);
    });
  });

  describe("an indexer that is killed", () => {
    test("keeps others waiting until its lease ends, and then one of them indexes", async () => {
      await using team = await openTeam({ "search.wait": 1_000 });
      team.writeFiles(0, 300);
      const home = team.homeOf("dying");
      const settings = JSON.stringify({ ...team.team, home });
      const child = spawn(process.execPath, [join(import.meta.dirname, "team-indexer.ts"), settings, team.root], {
        stdio: ["ignore", "pipe", 2],
      });
      const closed = once(child, "close");
      await once(child.stdout ?? assert.fail(), "data"); // It has the lease and has begun.
      child.kill("SIGKILL");
      assert.deepEqual(await closed, [null, "SIGKILL"]);

      const two = await team.openMachine("two");
      const job = await startIndexJob({}, two);
      await waitUntil("the job waits", () => /^Another process .* is indexing/.test(job.record().message));
      assert.equal(job.record().status, "pending");
      team.passMs(60_001);
      const { status, repository_id } = await job.waitForEnd();
      assert.equal(status, "completed");
      const key = { owner: two.store.ownerId, project: "default", repository: repository_id };
      assert.equal(await findLease(two.store.catalogue, key), undefined);
      assert.deepEqual(await pathsOf("value299", two), ["f299.ts"]);
      const died = await two.store.catalogue.all("SELECT record FROM jobs WHERE job <> ?", job.record().job_id);
      assert.deepEqual(
        died.map(({ record }) => JSON.parse(String(record)).status),
        ["interrupted"],
      );
    });
  });

  test("the command line counts, checks, repairs and migrates segments", async () => {
    await using one = await openCli();
    const files = Array.from({ length: 120 }, (_, n) => n);
    for (const n of files) await one.write(`code/f${n}.ts`, `export const value${n} = ${n};\n`);
    assert.equal((await one.run(["search", "value17", "--dir", "code"])).status, 0);
    const [{ index_segments, segment_bytes }] = await one.json("store", "stats");
    assert.ok(index_segments === 1 && segment_bytes > 1_000, `${index_segments} ${segment_bytes}`);
    assert.match((await one.run(["store", "check", "--deep"])).out, /1 index segment checked, 0 damaged\n/);

    const named = Object.entries(await makeTeam()).filter(
      ([name, value]) => name.startsWith("store.") && typeof value === "string",
    );
    await one.write("team.jsonc", JSON.stringify(Object.fromEntries(named)));
    const moved = await one.run(["store", "migrate", "--to", "team.jsonc"]);
    assert.match(moved.out, /1 index segment copied and compared\n/, moved.err);
    const env = { SPILLWAY_CONFIG: join(one.work, "team.jsonc") };
    assert.match((await one.run(["store", "check", "--deep"], { env })).out, /1 index segment checked, 0 damaged\n/);
    assert.equal((await one.run(["search", "value17", "--dir", "code"], { env })).status, 0);

    const [segment = assert.fail()] = filesBelow(join(one.home, "segments"));
    writeFileSync(segment, Buffer.alloc(statSync(segment).size));
    writeFileSync(`${segment.slice(0, -4)}dead`, "left by a program that knew no rows");
    const checked = await one.run(["store", "check", "--deep"]);
    assert.match(checked.out, /1 index segment checked, 1 damaged; searches do without them/);
    assert.match(checked.out, /1 object without a record/);
    assert.equal(checked.status, 0);
    const repaired = await one.run(["store", "check", "--deep", "--repair"]);
    assert.match(repaired.out, /1 index segment will be built again by the next search\./);
    assert.match(repaired.out, /1 object without a record will be deleted in 14 days\./);
    assert.match((await one.run(["store", "check", "--deep"])).out, /ok {4}catalogue\n/);
    await one.write("code/new.ts", "export const fresh = 1;\n");
    const atOnce = { SPILLWAY_SEARCH_REFRESH_EVERY: "0" };
    assert.match((await one.run(["search", "fresh", "--dir", "code"], { env: atOnce })).out, /new\.ts/);
    assert.match((await one.run(["store", "check", "--deep"])).out, /1 index segment checked, 0 damaged\n/);
  });
}
