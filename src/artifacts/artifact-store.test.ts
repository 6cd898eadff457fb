import assert from "node:assert/strict";
import {
  chmod,
  mkdir,
  open,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  makeMemorySpool,
  makeOrigin,
  makeTemporaryFolder,
  plainTextDetection,
  readArtifactBytes,
} from "../../test/bodies.ts";
import { makeStorage, propertyRuns } from "../../test/storage-places.ts";
import { waitUntil } from "../../test/waiting.ts";
import { SpillwayError } from "../errors.ts";
import { openStore } from "./artifact-store.ts";
import { diskStorage, type Storage } from "./storage.ts";
import { deleteArtifact } from "./sweeper.ts";

const alice = { owner: "alice", run: "r1" };
const origin = makeOrigin("notes.txt");

async function bytesOf(storage: Storage, ref: string, who = alice): Promise<string> {
  return (await readArtifactBytes(openStore(storage, who), ref)).toString();
}

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  const error = await action().then(
    () => assert.fail("should have been refused"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SpillwayError, String(error));
  assert.ok(error.hint, `${error.code} has no hint`);
  return error.code;
}

describe("the artifact store", () => {
  test("keeps bytes and gives them back in another process's store of the same owner", async () => {
    const storage = makeStorage();
    const kept = await openStore(storage, alice).keep(makeMemorySpool("hello"), plainTextDetection, origin);
    assert.match(kept.artifact_ref, /^af_[0-9a-f]{32}$/);
    assert.equal(await bytesOf(storage, kept.artifact_ref, { owner: "alice", run: "another" }), "hello");
  });

  test("knows which content its owner did not have before", async () => {
    const storage = makeStorage();
    const [store, stranger] = [openStore(storage, alice), openStore(storage, { owner: "bob", run: "r1" })];
    const first = await store.keep(makeMemorySpool("hello"), plainTextDetection, origin);
    const again = await store.keep(makeMemorySpool("hello"), plainTextDetection, makeOrigin("copy.txt"));
    const others = await stranger.keep(makeMemorySpool("hello"), plainTextDetection, origin);
    assert.deepEqual([store.isNewContent(first), store.isNewContent(again)], [true, false]);
    assert.equal(stranger.isNewContent(others), true);
    assert.equal(store.isNewContent(await store.find(first.artifact_ref)), false);
  });

  test("counts a read as a use by its run, also one that does not wait for it", async () => {
    const storage = makeStorage();
    const kept = await openStore(storage, alice).keep(makeMemorySpool("hello"), plainTextDetection, origin);
    const reader = openStore(storage, { owner: "alice", run: "reader" });
    await readArtifactBytes(reader, kept.artifact_ref);
    await waitUntil("the use is noted", async () => (await reader.count("reader")) === 1);
    const later = openStore(storage, { owner: "alice", run: "later", now: () => Date.now() + 3_600_000 });
    await readArtifactBytes(later, kept.artifact_ref);
    assert.equal(await later.count("later"), 1);
  });

  test("notes the use of many reads at once with one change", async () => {
    const storage = makeStorage();
    const kept = await openStore(storage, alice).keep(makeMemorySpool("hello"), plainTextDetection, origin);
    let changes = 0;
    const transact: Storage["catalogue"]["transact"] = (work, options) => {
      changes++;
      return storage.catalogue.transact(work, options);
    };
    const reader = openStore(
      { ...storage, catalogue: { ...storage.catalogue, transact } },
      { owner: "alice", run: "r2" },
    );
    await Promise.all(Array.from({ length: 20 }, () => readArtifactBytes(reader, kept.artifact_ref)));
    await waitUntil("the use is noted", async () => (await reader.count("r2")) === 1);
    assert.equal(changes, 1);
  });

  test("gives no bytes of an artifact that expires while it is opened, and leaves nothing open", async () => {
    const storage = makeStorage();
    const now = () => Date.now() + 3_600_000;
    const { artifact_ref: ref } = await openStore(storage, alice).keep(
      makeMemorySpool("hello"),
      plainTextDetection,
      origin,
    );
    let opened = 0;
    const opening = <T extends object>(object: T | undefined): T | undefined =>
      object && Object.assign(object, { [Symbol.asyncDispose]: async () => void opened--, opened: opened++ });
    const { objects } = storage;
    const watched: Storage["objects"] = {
      ...objects,
      local: async (key) => opening(await objects.local(key)),
      ...(objects.open && { open: async (key: string) => opening(await objects.open?.(key)) }),
    };
    const get: Storage["catalogue"]["get"] = async (statement, ...values) => {
      const row = await storage.catalogue.get(statement, ...values);
      if (/run_used_at/.test(statement)) await deleteArtifact(openStore(storage, alice), ref);
      return row as never;
    };
    const store = openStore(
      { ...storage, objects: watched, catalogue: { ...storage.catalogue, get } },
      { ...alice, now },
    );
    assert.equal(await codeOf(() => store.read(ref)), "artifact_expired");
    assert.equal(opened, 0);
  });

  test("does the same work for bytes that a stranger has as for bytes that are new", async () => {
    /** The calls of one keep, without what differs by owner and content. */
    async function callsOfKeep(storage: Storage, body: string): Promise<string[]> {
      const calls: string[] = [];
      const objects = new Proxy(storage.objects, {
        get(target, name: Exclude<keyof Storage["objects"], symbol>) {
          const method = target[name];
          if (typeof method !== "function") return method;
          return (key: string, ...rest: readonly unknown[]) => {
            const plainKey = key.replaceAll(/[0-9a-f]{64}\.[0-9a-f]{12}|(?<=blobs\/)[0-9a-f]{2}/g, "#");
            calls.push(`${name} ${plainKey} ${rest[0] instanceof Uint8Array ? `${rest[0].length} bytes` : ""}`);
            return Reflect.apply(method, target, [key, ...rest]);
          };
        },
      });
      const bob = openStore({ ...storage, objects }, { owner: "bob", run: "r" });
      await bob.keep(makeMemorySpool(body), plainTextDetection, origin);
      return calls;
    }

    const [shared, fresh] = [makeStorage(), makeStorage()];
    await openStore(shared, alice).keep(makeMemorySpool("the same bytes"), plainTextDetection, origin);
    await openStore(fresh, alice).keep(makeMemorySpool("any other byte"), plainTextDetection, origin);
    const [known, unknown] = [await callsOfKeep(shared, "the same bytes"), await callsOfKeep(fresh, "the same bytes")];
    assert.deepEqual(known, unknown);
    assert.ok(known.includes("put blobs/#/# 14 bytes"), known.join("\n"));
  });

  test("gives the same source the same ref and the record of its first keep", async () => {
    let time = Date.UTC(2026, 0, 1);
    const storage = makeStorage(() => time);
    const first = await openStore(storage, { ...alice, now: () => time }).keep(
      makeMemorySpool("x"),
      plainTextDetection,
      origin,
    );
    time += 5_000;
    const later = openStore(storage, { owner: "alice", run: "r2", now: () => time });
    const second = await later.keep(makeMemorySpool("x"), plainTextDetection, origin);
    assert.equal(second.artifact_ref, first.artifact_ref);
    const { created_at, run, last_used_at } = await later.find(first.artifact_ref);
    assert.deepEqual({ created_at, run }, { created_at: "2026-01-01T00:00:00.000Z", run: "r1" });
    assert.equal(last_used_at, "2026-01-01T00:00:05.000Z");
  });

  test("gives other bytes, another source and another owner each another ref", async () => {
    const storage = makeStorage();
    const store = openStore(storage, alice);
    const bob = openStore(storage, { owner: "bob", run: "r1" });
    const refs = await Promise.all([
      store.keep(makeMemorySpool("x"), plainTextDetection, origin),
      store.keep(makeMemorySpool("y"), plainTextDetection, origin),
      store.keep(makeMemorySpool("x"), plainTextDetection, makeOrigin("other.txt")),
      bob.keep(makeMemorySpool("x"), plainTextDetection, origin),
    ]);
    assert.equal(new Set(refs.map(({ artifact_ref }) => artifact_ref)).size, 4);
  });

  test("belongs to its owner, also over the store of another", async () => {
    const store = openStore(openStore(makeStorage(), alice), { owner: "bob", run: "r9", now: () => 5 });
    assert.deepEqual([store.owner, store.ownerId, store.run, store.now()], ["bob", "bob", "r9", 5]);
  });

  test("keeps the same bytes once however many artifacts hold them", async () => {
    const storage = makeStorage();
    const store = openStore(storage, alice);
    for (const name of ["a", "b", "c"]) await store.keep(makeMemorySpool("same"), plainTextDetection, makeOrigin(name));
    assert.equal((await Array.fromAsync(storage.objects.list("blobs/"))).length, 1);
    assert.equal((await Array.fromAsync(store.list())).length, 3);
  });

  const badRefs = [
    "",
    "*",
    "af_*",
    "../../../etc/passwd",
    "af_../../x",
    `af_${"0".repeat(31)}`,
    `af_${"G".repeat(32)}`,
  ];
  for (const ref of [...badRefs, `af_${"0".repeat(32)}`, `AF_${"0".repeat(32)}`, `af_${"0".repeat(32)}\n`]) {
    test(`finds nothing under ${JSON.stringify(ref)}`, async () => {
      const storage = makeStorage();
      await openStore(storage, alice).keep(makeMemorySpool("secret"), plainTextDetection, origin);
      assert.equal(await codeOf(() => openStore(storage, alice).find(ref)), "artifact_not_found");
    });
  }

  test("never touches the objects for a ref of the wrong form", async () => {
    const untouchable = <T extends object>() =>
      new Proxy({} as T, { get: (_, name) => assert.fail(`touched ${String(name)}`) });
    const storage: Storage = { objects: untouchable(), catalogue: untouchable() };
    for (const ref of badRefs) {
      assert.equal(await codeOf(() => openStore(storage, alice).find(ref)), "artifact_not_found");
    }
  });

  test("does not show one owner's artifact to another who knows the ref", async () => {
    const storage = makeStorage();
    const { artifact_ref } = await openStore(storage, alice).keep(
      makeMemorySpool("secret"),
      plainTextDetection,
      origin,
    );
    const mallory = openStore(storage, { owner: "mallory", run: "r1" });
    assert.equal(await codeOf(() => mallory.find(artifact_ref)), "artifact_not_found");
    assert.deepEqual(await Array.fromAsync(mallory.list()), []);
  });

  test("keeps owners apart whose names differ only in letters a key cannot hold", async () => {
    const storage = makeStorage();
    const names = ["a/b", "a_b", "a b", "A/B", "../a", "a"];
    const kept = await Promise.all(
      names.map((owner) =>
        openStore(storage, { owner, run: "r" }).keep(makeMemorySpool(owner), plainTextDetection, origin),
      ),
    );
    for (const [i, owner] of names.entries()) {
      const listed = await Array.fromAsync(openStore(storage, { owner, run: "r" }).list());
      assert.deepEqual(
        listed.map((each) => "record" in each && each.record.artifact_ref),
        [kept[i]?.artifact_ref],
      );
    }
  });

  test("lists a run by what the run used, also what another run kept", async () => {
    const storage = makeStorage();
    const first = openStore(storage, alice);
    const second = openStore(storage, { owner: "alice", run: "Second Run!" });
    const a = await first.keep(makeMemorySpool("a"), plainTextDetection, makeOrigin("a"));
    const b = await second.keep(makeMemorySpool("b"), plainTextDetection, makeOrigin("b"));
    await second.find(a.artifact_ref);
    const refs = async (run: string) =>
      (await Array.fromAsync(first.list(run))).map((each) => "record" in each && each.record.artifact_ref).sort();
    assert.deepEqual(await refs("r1"), [a.artifact_ref]);
    assert.deepEqual(await refs("Second Run!"), [a.artifact_ref, b.artifact_ref].sort());
    assert.deepEqual(await refs("none"), []);
  });

  test("any bytes come back as they went in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), fc.string(), async (bytes, name) => {
        const store = openStore(makeStorage(), alice);
        const { artifact_ref, sha256 } = await store.keep(makeMemorySpool(bytes), plainTextDetection, makeOrigin(name));
        const record = await store.find(artifact_ref);
        assert.deepEqual(await readArtifactBytes(store, artifact_ref), Buffer.from(bytes));
        assert.equal(record.sha256, sha256);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

describe("a damaged store on disk", () => {
  async function withTwo(
    check: (root: string, storage: Storage, a: string, b: string) => Promise<void>,
  ): Promise<void> {
    await using folder = await makeTemporaryFolder();
    const storage = diskStorage(folder.path);
    const store = openStore(storage, alice);
    const a = await store.keep(makeMemorySpool("first"), plainTextDetection, makeOrigin("a"));
    const b = await store.keep(makeMemorySpool("second"), plainTextDetection, makeOrigin("b"));
    await check(folder.path, storage, a.artifact_ref, b.artifact_ref);
    await storage.catalogue.close();
  }

  for (const [name, content] of [
    ["half-written", '{ "artifact_ref": "af_'],
    ["empty", ""],
    ["of another shape", '{"hello": 1}'],
    ["not an object", '"text"'],
  ] as const) {
    test(`reports a record that is ${name} and reads the rest`, async () => {
      await withTwo(async (_, storage, a, b) => {
        await storage.catalogue.run("UPDATE artifacts SET record = ? WHERE ref = ?", content, a);
        assert.equal(await codeOf(() => openStore(storage, alice).find(a)), "artifact_damaged");
        assert.equal(await bytesOf(storage, b), "second");
        const listed = await Array.fromAsync(openStore(storage, alice).list());
        assert.deepEqual(listed.map((each) => ("record" in each ? "sound" : each.ref)).sort(), [a, "sound"].sort());
      });
    });
  }

  test("says when the bytes are missing or cut short, and repairs them when they are fetched again", async () => {
    await withTwo(async (_, storage, a, b) => {
      const store = openStore(storage, alice);
      await unlink((await store.find(a)).path ?? "");
      await truncate((await store.find(b)).path ?? "", 2);
      assert.equal(await codeOf(() => store.find(a)), "artifact_damaged");
      assert.equal(await codeOf(() => store.find(b)), "artifact_damaged");
      await store.keep(makeMemorySpool("first"), plainTextDetection, makeOrigin("a"));
      await store.keep(makeMemorySpool("second"), plainTextDetection, makeOrigin("b"));
      assert.equal(await bytesOf(storage, a), "first");
      assert.equal(await bytesOf(storage, b), "second");
    });
  });

  for (const { change, alter } of [
    { change: "altered at the same length", alter: (path: string) => writeFile(path, "FIRST") },
    {
      change: "replaced by a link",
      alter: async (path: string) => {
        await rename(path, `${path}-elsewhere`);
        await symlink(`${path}-elsewhere`, path);
      },
    },
    { change: "unreadable", alter: (path: string) => unlink(path).then(() => mkdir(path)) },
  ]) {
    test(`never gives out bytes that were ${change}, and fetching again heals them`, async () => {
      await withTwo(async (_, storage, a, b) => {
        const store = openStore(storage, alice);
        await alter((await store.find(a)).path ?? "");
        const error = await bytesOf(storage, a).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof SpillwayError && error.code === "artifact_damaged", String(error));
        assert.match(error.message, new RegExp(a));
        assert.equal(await bytesOf(storage, b), "second");
        await store.keep(makeMemorySpool("first"), plainTextDetection, makeOrigin("a"));
        assert.equal(await bytesOf(storage, a), "first");
      });
    });
  }

  test("notices a changed byte in large bytes, which are not hashed at every read", async () => {
    await withTwo(async (_, storage) => {
      const store = openStore(storage, alice);
      const body = Buffer.alloc(9 * 1024 * 1024, "a");
      const { artifact_ref, path } = await store.keep(makeMemorySpool(body), plainTextDetection, makeOrigin("large"));
      assert.equal((await readArtifactBytes(store, artifact_ref)).length, body.length);
      const { atime, mtime } = await stat(path ?? "");
      await using file = await open(path ?? "", "r+");
      await file.write("b", 5_000_000);
      await utimes(path ?? "", atime, mtime);
      assert.equal(await codeOf(() => readArtifactBytes(store, artifact_ref)), "artifact_damaged");
    });
  });

  test("keeps files private and names the blob's path in the record", async () => {
    await withTwo(async (_, storage, a) => {
      const { path } = await openStore(storage, alice).find(a);
      assert.equal(await readFile(path ?? "", "utf8"), "first");
      assert.equal((await stat(path ?? "")).mode & 0o777, 0o600);
    });
  });

  test("serves reads when it cannot be written", {
    skip: process.getuid?.() === 0 && "root may write anywhere",
  }, async () => {
    await withTwo(async (root, storage, a) => {
      await chmod(join(root, "owners"), 0o500);
      assert.equal(await bytesOf(storage, a), "first");
      await chmod(join(root, "owners"), 0o700);
    });
  });
});
