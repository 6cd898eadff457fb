import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeMemorySpool, makeOrigin, plainTextDetection } from "../../test/bodies.ts";
import { soakCount } from "../../test/soak.ts";
import { defaultSettings } from "../config/settings.ts";
import { SpillwayError } from "../errors.ts";
import { openStore } from "./artifact-store.ts";
import { blobKey, extractsKey, ownerKeys, trashKey } from "./keys.ts";
import { memoryObjects } from "./memory-objects.ts";
import { chooseExpired, type StoredArtifact } from "./retention.ts";
import { deleteArtifact, sweep, sweepWhenDue } from "./sweeper.ts";

const day = 24 * 3_600_000;
const none = { blobsMs: -1, leftoversMs: -1 };

/** A store with a manual clock. */
function clockedStore(owner = "alice") {
  let time = Date.UTC(2026, 0, 1);
  const now = () => time;
  const objects = memoryObjects(now);
  return {
    objects,
    wait: (ms: number) => (time += ms),
    open: (run: string, who = owner) => openStore(objects, { owner: who, run, now }),
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
    const { wait, open, objects } = clockedStore();
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
    assert.equal(await objects.head(blobKey(makeMemorySpool("old").sha256)), undefined);
  });

  test("never expires what the current run used", async () => {
    const { wait, open } = clockedStore();
    const ref = await keepText(open("r1"), "mine");
    wait(100 * day);
    const strict = { ...defaultSettings, "artifacts.keep_bytes": 0, "artifacts.keep_per_run": 1 };
    assert.deepEqual((await sweep(open("r1"), strict)).swept, []);
    assert.ok(await open("r1").find(ref));
  });

  for (const { use, after } of [
    { use: "keep", after: "tombstones" },
    { use: "keep", after: "aside" },
    { use: "find", after: "tombstones" },
    { use: "find", after: "aside" },
  ] as const) {
    test(`spares what is used between the decision and the deed (${use}, after ${after})`, async () => {
      const { wait, open, objects } = clockedStore();
      const ref = await keepText(open("r1"), "raced");
      wait(30 * day);
      let raced = false;
      const racing = new Proxy(objects, {
        get(target, name: keyof typeof objects) {
          if (name !== "put" && name !== "move") return target[name];
          return async (...args: never[]) => {
            const result = await (target[name] as (...all: never[]) => Promise<unknown>)(...args);
            const written = String(name === "put" ? args[0] : args[1]);
            if (!raced && written.includes(`/${after}/`)) {
              raced = true;
              await (use === "keep" ? keepText(open("r2"), "raced") : open("r2").find(ref));
            }
            return result;
          };
        },
      });
      const report = await sweep({ ...open("sweeper"), objects: racing }, defaultSettings, none);
      assert.ok(raced);
      assert.deepEqual(report.swept, []);
      assert.equal((await open("r3").find(ref)).size_bytes, 5);
    });
  }

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

  const artifact = (ref: string, usedAt: number, size: number, runs: string[]): StoredArtifact => ({
    ref,
    usedAt,
    runs,
    record: { size_bytes: size } as StoredArtifact["record"],
  });

  test("drops the least recently used first, by count per run and by bytes", () => {
    const all = [
      artifact("a", 1, 10, ["r1"]),
      artifact("b", 2, 10, ["r1"]),
      artifact("c", 3, 10, ["r1", "r2"]),
      artifact("d", 4, 90, ["r2"]),
    ];
    const chosen = (settings: object) =>
      chooseExpired(all, { ...defaultSettings, ...settings }, { now: 10, currentRun: "now" }).map(
        ({ artifact: { ref }, reason }) => `${ref} ${reason}`,
      );
    assert.deepEqual(chosen({}), []);
    assert.deepEqual(chosen({ "artifacts.keep_per_run": 2 }), ["a count"]);
    assert.deepEqual(chosen({ "artifacts.keep_per_run": 1 }), ["a count", "b count", "d count"]);
    assert.deepEqual(chosen({ "artifacts.keep_bytes": 100 }), ["a bytes", "b bytes"]);
    assert.deepEqual(chosen({ "artifacts.keep": 7 }), ["a age", "b age"]);
  });

  test("for any artifacts and limits: the current run's stay, and the rest is within the limits or all gone", () => {
    const anyHeld = fc.record({ usedAt: fc.nat(1_000), size: fc.nat(1_000), runs: fc.subarray(["now", "r1", "r2"]) });
    fc.assert(
      fc.property(fc.array(anyHeld), fc.nat(5_000), fc.integer({ min: 1, max: 5 }), (list, bytes, perRun) => {
        const all = list.map(({ usedAt, size, runs }, i) => artifact(`a${i}`, usedAt, size, runs));
        const limits = { ...defaultSettings, "artifacts.keep_bytes": bytes, "artifacts.keep_per_run": perRun };
        const gone = new Set(
          chooseExpired(all, limits, { now: 1_000, currentRun: "now" }).map((each) => each.artifact),
        );
        const rest = all.filter((each) => !gone.has(each));
        assert.ok([...gone].every(({ runs }) => !runs.includes("now")));
        const others = rest.filter(({ runs }) => !runs.includes("now"));
        const total = rest.reduce((sum, { record }) => sum + (record?.size_bytes ?? 0), 0);
        assert.ok(total <= bytes || others.length === 0, "over the bytes with something left to drop");
      }),
    );
  });
});

describe("sweeping bytes", () => {
  test("keeps bytes that another artifact or another owner still refers to", async () => {
    const { open, objects } = clockedStore();
    const a = await keepText(open("r1"), "shared");
    await keepText(open("r1", "bob"), "shared");
    await deleteArtifact(open("r1"), a);
    assert.ok(await objects.head(blobKey(makeMemorySpool("shared").sha256)));
  });

  test("keeps bytes without a record for an hour, because a keeper may be writing them", async () => {
    const { open, objects, wait } = clockedStore();
    const key = blobKey(makeMemorySpool("orphan").sha256);
    await objects.put(key, Buffer.from("orphan"));
    await sweep(open("r"), defaultSettings);
    assert.ok(await objects.head(key));
    wait(2 * 3_600_000);
    assert.equal((await sweep(open("r"), defaultSettings)).deletedBlobs, 1);
    assert.equal(await objects.head(key), undefined);
  });

  test("deletes no bytes while a record cannot be read", async () => {
    const { open, objects, wait } = clockedStore();
    const ref = await keepText(open("r1"), "whose?");
    await objects.put(ownerKeys("alice").record(ref), Buffer.from("{ torn"));
    wait(2 * 3_600_000);
    const report = await sweep(open("r2"), defaultSettings);
    assert.deepEqual([report.deletedBlobs, report.damagedRecords], [0, 1]);
    assert.ok(await objects.head(blobKey(makeMemorySpool("whose?").sha256)));
  });

  test("deletes temporary files, extracts and uses that belong to nothing", async () => {
    const { open, objects, wait } = clockedStore();
    const ref = await keepText(open("r1"), "x");
    const { sha256 } = makeMemorySpool("x");
    await objects.put(`${extractsKey(sha256)}text-1-0.part`, Buffer.from("{}"));
    await objects.put(`${extractsKey("0".repeat(64))}text-1-0.part`, Buffer.from("{}"));
    await objects.put("tmp/spool-1-2", Buffer.from("half"));
    await objects.put(ownerKeys("alice").use("gone", `af_${"0".repeat(32)}`), new Uint8Array());
    wait(2 * 3_600_000);
    assert.equal((await sweep(open("r2"), defaultSettings)).deletedLeftovers, 3);
    assert.ok(await open("r2").find(ref));
    assert.ok(await objects.head(`${extractsKey(sha256)}text-1-0.part`));
  });

  test("puts back at once what a killed sweeper had set aside", async () => {
    const { open, objects } = clockedStore();
    const ref = await keepText(open("r1"), "aside");
    const { sha256 } = makeMemorySpool("aside");
    await objects.move(blobKey(sha256), trashKey(sha256));
    await sweep(open("r2"), defaultSettings);
    assert.ok(await objects.head(blobKey(sha256)));
    await objects.move(blobKey(sha256), trashKey(sha256));
    assert.equal((await open("r2").find(ref)).size_bytes, 5, "a reader fetches it back as well");
  });

  test("loses nothing when others keep the same content at every step of a sweep", async () => {
    const { open, objects } = clockedStore();
    const { sha256 } = makeMemorySpool("raced");
    let pending: Array<Promise<string>> = [];
    let step = 0;
    const rounds = soakCount({ sample: 5, full: 20 });
    // After each call of the sweeper, a keeper starts at that moment.
    const racing = new Proxy(objects, {
      get(target, name: keyof typeof objects) {
        const method = target[name];
        if (typeof method !== "function" || name === "list") return method;
        return (...args: never[]) => {
          if (step++ % 2 === 0) pending.push(keepText(open(`k${step}`), "raced"));
          return (method as (...all: never[]) => unknown)(...args);
        };
      },
    });
    await objects.put(blobKey(sha256), Buffer.from("raced"));
    for (let round = 0; round < rounds; round++) {
      const sweeper = { ...open("sweeper"), objects: racing };
      await sweep(sweeper, defaultSettings, none);
      for (const ref of await Promise.all(pending)) {
        const record = await open("reader").find(ref);
        assert.equal((await objects.head(blobKey(record.sha256)))?.sizeBytes, 5);
      }
      pending = [];
      for await (const { key } of objects.list("owners/alice/records/")) await objects.delete(key);
    }
    assert.ok(step > rounds, "the keepers ran");
  });

  test("runs automatically only when it is due, and never on the first use", async () => {
    const { open, wait } = clockedStore();
    await keepText(open("r1"), "x");
    assert.equal(await sweepWhenDue(open("r1"), defaultSettings), undefined);
    assert.equal(await sweepWhenDue(open("r1"), defaultSettings), undefined);
    wait(30 * day);
    assert.equal((await sweepWhenDue(open("r2"), defaultSettings))?.swept.length, 1);
  });
});
