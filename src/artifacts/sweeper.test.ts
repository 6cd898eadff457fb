import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeMemorySpool, makeOrigin, plainTextDetection, readArtifactBytes } from "../../test/bodies.ts";
import { soakCount } from "../../test/soak.ts";
import { makeStorage, propertyRuns } from "../../test/storage-places.ts";
import { defaultSettings } from "../config/settings.ts";
import { SpillwayError } from "../errors.ts";
import { openStore } from "./artifact-store.ts";
import { extractsKey } from "./keys.ts";
import { sweepWhenDue } from "./sweep-turn.ts";
import { deleteArtifact, sweep } from "./sweeper.ts";

const hour = 3_600_000;
const day = 24 * hour;
const none = { blobsMs: -1, leftoversMs: -1 };

/** A store with a manual clock. */
function clockedStore(owner = "alice") {
  let time = Date.UTC(2026, 0, 1);
  const now = () => time;
  const storage = makeStorage(now);
  return {
    ...storage,
    wait: (ms: number) => (time += ms),
    open: (run: string, who = owner) => openStore(storage, { owner: who, run, now }),
    blobs: async () => (await Array.fromAsync(storage.objects.list("blobs/"))).length,
  };
}

const keepText = (store: ReturnType<typeof openStore>, text: string) =>
  store.keep(makeMemorySpool(text), plainTextDetection, makeOrigin(text)).then(({ artifact_ref }) => artifact_ref);

async function problem(action: Promise<unknown>): Promise<SpillwayError> {
  const error = await action.then(
    () => assert.fail("should have been refused"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SpillwayError);
  return error;
}

describe("retention", () => {
  test("counts from the last use, and a swept ref says when it expired and how to get it back", async () => {
    const { wait, open, blobs } = clockedStore();
    const [old, used] = [await keepText(open("r1"), "old"), await keepText(open("r1"), "used")];
    wait(10 * day);
    await open("r2").find(used);
    wait(10 * day);
    const report = await sweep(open("r3"), defaultSettings);
    assert.deepEqual(report.swept, [{ ref: old, reason: "age", sizeBytes: 3 }]);
    assert.equal(report.deletedBlobs, 1);
    const error = await problem(open("r3").find(old));
    assert.equal(error.code, "artifact_expired");
    assert.match(error.advice, /expired on 2026-01-21T.*Fetch old again/);
    assert.ok(await open("r3").find(used));
    assert.equal(await blobs(), 1);
  });

  test("never takes what any run used within the last hour, and takes the old ones of its own run", async () => {
    const { wait, open } = clockedStore();
    const strict = {
      ...defaultSettings,
      "artifacts.keep": 0,
      "artifacts.keep_bytes": 0,
      "artifacts.keep_per_run": 1,
    };
    const [old, used] = [await keepText(open("server"), "old"), await keepText(open("server"), "used")];
    wait(2 * hour);
    await open("another").find(used);
    wait(hour / 2);
    assert.deepEqual(
      (await sweep(open("server"), strict)).swept.map(({ ref }) => ref),
      [old],
    );
    assert.ok(await open("server").find(used));
  });

  test("spares what is used while it is being swept, whichever comes first", async () => {
    for (const use of ["keep", "find"] as const) {
      const { wait, open } = clockedStore();
      const ref = await keepText(open("r1"), "raced");
      wait(30 * day);
      const using = use === "keep" ? keepText(open("r2"), "raced") : open("r2").find(ref);
      const [used, swept] = await Promise.allSettled([using, sweep(open("sweeper"), defaultSettings, none)]);
      assert.equal(swept.status, "fulfilled");
      // The user either was first, or is told that the artifact has expired; nothing in between.
      const rest = await open("r3")
        .find(ref)
        .catch((error: unknown) => error);
      if (used.status === "fulfilled") assert.ok(!(rest instanceof Error), `${use}: ${rest}`);
      else assert.equal((used.reason as SpillwayError).code, "artifact_expired");
    }
  });

  test("brings a swept artifact back under its ref when the source is fetched again", async () => {
    const { wait, open } = clockedStore();
    const ref = await keepText(open("r1"), "again");
    wait(30 * day);
    await sweep(open("r2"), defaultSettings);
    assert.equal(await keepText(open("r2"), "again"), ref);
    assert.equal((await open("r2").find(ref)).size_bytes, 5);
  });

  test("forgets tombstones after their time", async () => {
    const { wait, open } = clockedStore();
    const ref = await keepText(open("r1"), "x");
    await deleteArtifact(open("r1"), ref);
    assert.equal((await problem(open("r1").find(ref))).code, "artifact_expired");
    wait(91 * day);
    await sweep(open("r2"), defaultSettings);
    assert.equal((await problem(open("r2").find(ref))).code, "artifact_not_found");
  });

  test("drops the least recently used first, by count per run and by bytes", async () => {
    const swept = async (settings: object) => {
      const { wait, open } = clockedStore();
      const names = new Map<string, string>();
      for (const [text, ...runs] of [
        ["a", "r1"],
        ["b", "r1"],
        ["c", "r1", "r2"],
        ["dddddddd", "r2"],
      ] as const) {
        for (const run of runs) names.set(await keepText(open(run), text), text.slice(0, 1));
        wait(1_000);
      }
      wait(2 * hour);
      const report = await sweep(open("now"), { ...defaultSettings, ...settings });
      return report.swept.map(({ ref, reason }) => `${names.get(ref)} ${reason}`);
    };
    assert.deepEqual(await swept({}), []);
    assert.deepEqual(await swept({ "artifacts.keep_per_run": 2 }), ["a count"]);
    assert.deepEqual(await swept({ "artifacts.keep_per_run": 1 }), ["a count", "b count", "d count"]);
    assert.deepEqual(await swept({ "artifacts.keep_bytes": 9 }), ["a bytes", "b bytes"]);
    assert.deepEqual(await swept({ "artifacts.keep": 2 * hour + 2_500 }), ["a age", "b age"]);
  });

  test("counts bytes that several refs share once", async () => {
    const { wait, open } = clockedStore();
    for (const name of ["a", "b", "c"]) {
      await open("r1").keep(makeMemorySpool("12345"), plainTextDetection, makeOrigin(name));
    }
    assert.deepEqual({ ...(await open("r1").totals()) }, { artifacts: 3, bytes: 5 });
    wait(2 * hour);
    const limited = { ...defaultSettings, "artifacts.keep_bytes": 5 };
    assert.deepEqual((await sweep(open("r2"), limited)).swept, []);
  });

  test("for any artifacts and limits: totals stay true, and the rest is within the limits or too new", async () => {
    const anyArtifact = fc.record({ ageHours: fc.nat(5), text: fc.string({ maxLength: 9 }), run: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(anyArtifact, { maxLength: 15 }), fc.nat(60), fc.nat(4), async (list, bytes, perRun) => {
        const { wait, open, catalogue } = clockedStore();
        for (const { ageHours, text, run } of list.toSorted((one, other) => other.ageHours - one.ageHours)) {
          await keepText(open(`r${run}`), text);
          wait(ageHours);
        }
        wait(hour / 2);
        const settings = { "artifacts.keep_bytes": bytes, "artifacts.keep_per_run": perRun + 1 };
        const before = open("now").now() - hour;
        await sweep(open("now"), { ...defaultSettings, ...settings }, none);
        const rest = await catalogue.all<{ sha256: string; size_bytes: number; used_at: number }>(
          "SELECT sha256, size_bytes, used_at FROM artifacts",
        );
        const sizes = new Map(rest.map((row) => [row.sha256, row.size_bytes]));
        const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
        assert.deepEqual({ ...(await open("now").totals()) }, { artifacts: rest.length, bytes: total });
        assert.ok(total <= bytes || rest.every(({ used_at }) => used_at >= before), "over the bytes");
        assert.equal((await catalogue.all("SELECT * FROM blobs")).length, sizes.size);
        assert.equal((await catalogue.all("SELECT * FROM garbage")).length, 0);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe("sweeping bytes", () => {
  test("keeps bytes that another artifact or another owner still refers to", async () => {
    const { open, blobs, wait } = clockedStore();
    const a = await keepText(open("r1"), "shared");
    const b = await keepText(open("r1", "bob"), "shared");
    await deleteArtifact(open("r1"), a);
    assert.equal((await readArtifactBytes(open("r1", "bob"), b)).toString(), "shared");
    await deleteArtifact(open("r1", "bob"), b);
    assert.equal(await blobs(), 1, "the object of the first keep stays for its readers");
    wait(3 * hour);
    await sweep(open("r1"), defaultSettings);
    assert.equal(await blobs(), 0);
  });

  test("deletes bytes that a killed keeper left without a record, after an hour", async () => {
    const { open, objects, wait, blobs, catalogue } = clockedStore();
    const put: typeof objects.put = async (...args) => {
      await objects.put(...args);
      if (args[0].startsWith("blobs/")) throw new Error("killed");
      return "written";
    };
    const killed = { ...objects, put };
    const dying = openStore({ objects: killed, catalogue }, { owner: "a", run: "r", now: open("r").now });
    await assert.rejects(keepText(dying, "left"), /killed/);
    assert.equal(await blobs(), 1);
    await sweep(open("r"), defaultSettings);
    assert.equal(await blobs(), 1);
    wait(2 * hour);
    assert.equal((await sweep(open("r"), defaultSettings)).deletedBlobs, 1);
    assert.equal(await blobs(), 0);
  });

  test("deletes the extracts of bytes that are gone, and unfinished files that are named like ours", async () => {
    const { open, objects, localFiles = objects, wait } = clockedStore();
    const [ref, other] = [await keepText(open("r1"), "x"), await keepText(open("r1"), "y")];
    const extractOf = (text: string) => `${extractsKey(makeMemorySpool(text).sha256)}text-1-0.part`;
    for (const key of [extractOf("x"), extractOf("y")]) await objects.put(key, Buffer.from("{}"));
    for (const name of ["spool-1-2", "put-3-4", "thesis.txt"]) await localFiles.put(`tmp/${name}`, Buffer.from("{}"));
    await deleteArtifact(open("r1"), ref);
    wait(2 * hour);
    // Files have the time of the real clock.
    const report = await sweep(open("r2"), defaultSettings, { blobsMs: hour, leftoversMs: -100 * 365 * day });
    assert.equal(report.deletedLeftovers, 2);
    const keys = (await Array.fromAsync(objects.list(""))).map(({ key }) => key);
    assert.ok(!keys.includes(extractOf("x")) && keys.includes(extractOf("y")));
    assert.ok(await localFiles.head("tmp/thesis.txt"));
    assert.ok(await open("r2").find(other));
  });

  test("loses nothing when others keep the same content at every step of a sweep", async () => {
    const { open, objects, catalogue, blobs, wait } = clockedStore();
    let pending: Array<Promise<string>> = [];
    let step = 0;
    // Before each call of the sweeper, a keeper starts at that moment.
    const racing = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(_, name) {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== "function" || name === "list") return method;
          return (...args: unknown[]) => {
            if (step++ % 2 === 0) pending.push(keepText(open(`k${step}`), "raced"));
            return method.apply(target, args);
          };
        },
      });
    const rounds = soakCount({ sample: 5, full: 20 });
    for (let round = 0; round < rounds; round++) {
      const before = await keepText(open("r"), "raced");
      const sweeper = { ...open("sweeper"), objects: racing(objects), catalogue: racing(catalogue) };
      await deleteArtifact(sweeper, before);
      await sweep(sweeper, defaultSettings, none);
      for (const ref of await Promise.all(pending)) {
        assert.equal((await readArtifactBytes(open("reader"), ref)).toString(), "raced");
      }
      pending = [];
    }
    assert.ok(step > rounds, "the keepers ran");
    wait(2 * hour);
    await sweep(open("last"), defaultSettings, none);
    assert.equal(await blobs(), 1);
  });

  test("runs automatically only when it is due, and never on the first use", async () => {
    const { open, wait } = clockedStore();
    await keepText(open("r1"), "x");
    assert.equal(await sweepWhenDue(open("r1"), defaultSettings), undefined);
    assert.equal(await sweepWhenDue(open("r1"), defaultSettings), undefined);
    wait(30 * day);
    assert.equal((await sweepWhenDue(open("r2"), defaultSettings))?.swept.length, 1);
  });

  test("asks the catalogue once whether it is due, until it may be", async () => {
    const { open, wait } = clockedStore();
    await keepText(open("r1"), "x");
    await sweepWhenDue(open("r1"), defaultSettings);
    const store = open("r1");
    let asked = 0;
    const get: typeof store.catalogue.get = (...query) => {
      asked++;
      return store.catalogue.get(...query);
    };
    const counting = { ...store, catalogue: { ...store.catalogue, get } };
    for (let fetched = 0; fetched < 3; fetched++) await sweepWhenDue(counting, defaultSettings);
    assert.equal(asked, 1);
    wait(30 * day);
    assert.equal((await sweepWhenDue(counting, defaultSettings))?.swept.length, 1);
  });
});
