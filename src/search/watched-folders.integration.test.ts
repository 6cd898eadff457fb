import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { openSearchedFolder } from "../../test/searched-folder.ts";
import { patientSearch } from "../../test/waiting.ts";
import { defaultSettings } from "../config/settings.ts";
import { openSession } from "../session/session.ts";
import { type FolderWatch, openFolderWatch } from "./index/folder/folder-watch.ts";
import type { IndexStore } from "./index/store/index-store.ts";
import { openMemoryStore } from "./index/store/memory-index-store.ts";
import { updateIndex } from "./index/update-index.ts";
import { closeUnused, openRepository } from "./repository/repository.ts";
import { searchCode } from "./search.ts";
import { projectOf } from "./targets.ts";
import { isLookLong, isLookRecent, isQuiet, isWholeLookDue, lookWatched, type WatchSystem } from "./watched-folders.ts";

const { signal } = new AbortController();
const isWatchable = process.platform === "linux";

function textsIn(store: IndexStore): string[] {
  return store
    .files()
    .map(({ path, id }) => `${path}: ${store.text(id)?.text}`)
    .sort();
}

/** A folder whose index is updated only where the watch does not say that nothing has changed. */
async function openWatched(options: Partial<WatchSystem> = {}) {
  const folder = await makeTemporaryFolder();
  const { now = () => performance.now(), openWatch = openFolderWatch } = options;
  const watches: (FolderWatch | null)[] = [];
  const system = {
    now,
    openWatch(path: string) {
      const watch = openWatch(path);
      watches.push(watch);
      return watch;
    },
  };
  const root = join(folder.path, "root");
  mkdirSync(root);
  const location = { root, store: openMemoryStore(), segments: null };
  let looks = 0;
  const update = (changedFolders: ReadonlySet<string> | null = null) =>
    updateIndex(location, { maxFileBytes: 1e6, signal, now: Date.now, changedFolders });
  return {
    at: (path: string) => join(root, path),
    write(path: string, text: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    async refresh(): Promise<void> {
      if (await isQuiet(location)) return;
      looks++;
      await lookWatched(location, signal, update, system);
    },
    looks: () => looks,
    location,
    update,
    texts: () => textsIn(location.store),
    /** What an index without a past has. */
    async readFresh(): Promise<string[]> {
      const store = openMemoryStore();
      await updateIndex({ root, store, segments: null }, { maxFileBytes: 1e6, signal, now: Date.now });
      return textsIn(store);
    },
    system,
    async [Symbol.asyncDispose]() {
      for (const watch of watches) watch?.[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a watched folder is looked at only after a change", {
  skip: !isWatchable && "only Linux is watched",
}, async () => {
  await using tree = await openWatched();
  tree.write("src/a.ts", "one\n");
  await tree.refresh();
  await tree.refresh(); // The first look found folders that were not watched.
  const before = tree.looks();
  for (let round = 0; round < 5; round++) await tree.refresh();
  assert.equal(tree.looks(), before);
  appendFileSync(tree.at("src/a.ts"), "two\n");
  await tree.refresh();
  assert.deepEqual([tree.looks(), tree.texts()], [before + 1, ["src/a.ts: one\ntwo\n"]]);
});

test("a look at a changed folder asks for nothing else that is stored", async () => {
  await using tree = await openWatched();
  for (let folder = 0; folder < 20; folder++) tree.write(`part${folder}/deep/a.ts`, "one\n");
  const { store, root } = tree.location;
  const asked: string[] = [];
  const counted: IndexStore = {
    ...store,
    files(selection) {
      asked.push(`files ${JSON.stringify(selection)}`);
      return store.files(selection);
    },
    folders(selection) {
      asked.push(`folders ${JSON.stringify(selection)}`);
      return store.folders(selection);
    },
  };
  const options = { maxFileBytes: 1e6, signal, now: () => Date.now() + 10_000 };
  const look = (changedFolders: ReadonlySet<string> | null) =>
    updateIndex({ root, store: counted, segments: null }, { ...options, changedFolders });
  await look(null);
  assert.ok(
    asked.splice(0).every((each) => each.includes('"after":')),
    "a look at everything reads pages",
  );
  appendFileSync(tree.at("part7/deep/a.ts"), "two\n");
  const { indexed } = await look(new Set(["part7/deep"]));
  assert.deepEqual([indexed, asked], [1, ['files {"in":["part7/deep"]}']]);
  assert.deepEqual(tree.texts(), await tree.readFresh());
});

test("a look at a changed folder counts the skipped files of all folders", async () => {
  await using tree = await openWatched();
  for (const path of ["a/one.bin", "b/two.bin", "b/three.bin"]) tree.write(path, "\0\0\0");
  tree.write("c/kept.ts", "one\n");
  const { root, store } = tree.location;
  const steps: [number, number][] = [];
  const look = (changedFolders: ReadonlySet<string> | null) =>
    updateIndex(
      { root, store, segments: null },
      {
        maxFileBytes: 1e6,
        signal,
        now: () => Date.now() + 10_000,
        changedFolders,
        progress: (done, total) => void steps.push([done, total]),
      },
    );
  await look(null);
  rmSync(tree.at("b/two.bin"));
  const { files, skippedCount } = await look(new Set(["b"]));
  assert.deepEqual([files, skippedCount, steps.at(-1)], [1, 2, [3, 3]]);
  rmSync(tree.at("c/kept.ts"));
  const last = await look(new Set(["c"]));
  assert.deepEqual([last.files, last.removed, last.skippedCount, steps.at(-1)], [0, 1, 2, [2, 2]]);
  assert.deepEqual(
    last.skipped.map(({ path }) => path),
    ["a/one.bin", "b/three.bin"],
  );
});

test("a server says why nothing is indexed, also after a look at one folder", {
  skip: !isWatchable && "only Linux is watched",
}, async () => {
  await using work = await openSearchedFolder();
  for (const name of ["a/one.bin", "a/two.bin"]) work.write(name, "\0\0\0");
  const reason = /all 2 files were skipped \(not text/;
  await assert.rejects(work.search("anything"), reason);
  for (let round = 0; round < 4; round++) {
    if (round === 2) mkdirSync(join(work.root, "b"));
    const { indexing } = await work.search("anything");
    assert.match(indexing?.error ?? "", reason);
    assert.deepEqual([indexing?.files_done, indexing?.files_total], [2, 2]);
  }
});

test("a folder that another one has replaced is watched in its place", async () => {
  await using tree = await openWatched();
  tree.write("src/deep/a.ts", "one\n");
  for (let round = 0; round < 3; round++) await tree.refresh();
  rmSync(tree.at("src"), { recursive: true });
  tree.write("src/deep/a.ts", "two\n");
  for (let round = 0; round < 3; round++) await tree.refresh();
  appendFileSync(tree.at("src/deep/a.ts"), "three\n");
  await tree.refresh();
  assert.deepEqual(tree.texts(), ["src/deep/a.ts: two\nthree\n"]);
});

test("a root that another folder has replaced is watched in its place", async () => {
  const replacements: Record<string, (at: (path: string) => string) => void> = {
    "moved away": (at) => {
      renameSync(at(""), at("../old"));
      renameSync(at("../new"), at(""));
    },
    "removed and made again": (at) => {
      rmSync(at(""), { recursive: true });
      mkdirSync(at("src/deep"), { recursive: true });
      writeFileSync(at("src/deep/b.ts"), "two\n");
    },
  };
  for (const [name, replace] of Object.entries(replacements)) {
    await using tree = await openWatched();
    tree.write("src/deep/a.ts", "one\n");
    tree.write("../new/src/deep/b.ts", "two\n");
    for (let round = 0; round < 3; round++) await tree.refresh();
    replace(tree.at);
    await tree.refresh();
    assert.deepEqual(tree.texts(), ["src/deep/b.ts: two\n"], name);
    await tree.refresh();
    appendFileSync(tree.at("src/deep/b.ts"), "three\n");
    await tree.refresh();
    assert.deepEqual(tree.texts(), ["src/deep/b.ts: two\nthree\n"], name);
  }
});

test("a server finds what is in a folder whose parent was replaced", async () => {
  await using folder = await makeTemporaryFolder();
  const at = (path: string) => join(folder.path, path);
  for (const [parent, text] of [
    ["parent", "const before = 1;\n"],
    ["next", "const after = 1;\n"],
  ] as const) {
    mkdirSync(at(`${parent}/root/src`), { recursive: true });
    writeFileSync(at(`${parent}/root/src/a.ts`), text);
  }
  const settings = { ...defaultSettings, ...patientSearch, home: at("home"), "search.refresh_every": 0 };
  await using session = await openSession({ settings, cwd: folder.path });
  const find = async (query: string) =>
    (await searchCode({ query, dir: at("parent/root") }, session)).results[0]?.content;
  for (let round = 0; round < 4; round++) assert.equal(await find("before"), "const before = 1;");
  renameSync(at("parent"), at("old"));
  renameSync(at("next"), at("parent"));
  for (let round = 0; round < 2; round++) assert.equal(await find("after"), "const after = 1;");
});

test("a folder that a file has replaced does not end the watching of the others", {
  skip: !isWatchable && "only Linux is watched",
}, async () => {
  await using tree = await openWatched();
  tree.write("a.ts", "one\n");
  tree.write("sub/deep/b.ts", "two\n");
  for (let round = 0; round < 3; round++) await tree.refresh();
  rmSync(tree.at("sub"), { recursive: true });
  writeFileSync(tree.at("sub"), "three\n");
  await tree.refresh();
  await tree.refresh();
  assert.equal(await isQuiet(tree.location), true);
  assert.deepEqual(tree.texts(), await tree.readFresh());
});

/** A clock that the test sets, and a folder that cannot be watched. */
function openUnwatched() {
  const clock = { ms: 1_000_000 };
  return { clock, system: { now: () => clock.ms, openWatch: () => null } };
}

test("looks at a folder that cannot be watched rest for ten times as long as one takes", async () => {
  const { clock, system } = openUnwatched();
  await using tree = await openWatched(system);
  tree.write("a.ts", "one\n");
  const look = (tookMs: number) =>
    lookWatched(
      tree.location,
      signal,
      (changed) => {
        assert.equal(changed, null);
        clock.ms += tookMs;
        return tree.update();
      },
      tree.system,
    );
  assert.deepEqual([isLookLong(tree.location, 0), isLookRecent(tree.location, system)], [false, false]);
  await look(9_000);
  assert.equal(isLookLong(tree.location, 0), false, "this look has indexed a file");
  await look(2_000);
  assert.deepEqual([isLookLong(tree.location, 1_999), isLookLong(tree.location, 2_000)], [true, false]);
  clock.ms += 19_999;
  assert.equal(isLookRecent(tree.location, system), true);
  clock.ms += 1;
  assert.equal(isLookRecent(tree.location, system), false);
  await look(3_600_000);
  clock.ms += 60_000;
  assert.equal(isLookRecent(tree.location, system), false, "at most for a minute");
});

test("a watched folder is looked at as a whole once a minute, or less often if that takes long", {
  skip: !isWatchable && "only Linux is watched",
}, async () => {
  const clock = { ms: 1_000_000 };
  await using tree = await openWatched({ now: () => clock.ms });
  tree.write("a.ts", "one\n");
  const look = (tookMs: number) =>
    lookWatched(
      tree.location,
      signal,
      (changed) => {
        if (changed === null) clock.ms += tookMs;
        return tree.update(changed);
      },
      tree.system,
    );
  for (let round = 0; round < 3; round++) await look(0);
  const isDueAfter = (ms: number) => {
    clock.ms += ms;
    return isWholeLookDue(tree.location, tree.system);
  };
  assert.deepEqual([isDueAfter(59_999), isDueAfter(1)], [false, true]);
  await look(5_000);
  assert.deepEqual([isDueAfter(144_999), isDueAfter(1)], [false, true], "thirty times five seconds after it began");
  assert.equal(isLookLong(tree.location, 0), false, "a search need not wait for it");
});

test("a folder is not quiet while a reported change is being looked at", {
  skip: !isWatchable && "only Linux is watched",
}, async () => {
  await using tree = await openWatched();
  tree.write("a.ts", "one\n");
  for (let round = 0; round < 3; round++) await tree.refresh();
  assert.equal(await isQuiet(tree.location), true);
  appendFileSync(tree.at("a.ts"), "two\n");
  await lookWatched(tree.location, signal, async (changed) => {
    assert.equal(await isQuiet(tree.location), false, "another search has to wait for this look");
    return tree.update(changed);
  });
  assert.equal(await isQuiet(tree.location), true);
});

test("a change is found that the system drops because too many others wait to be reported", async () => {
  await using tree = await openWatched();
  for (const path of ["noise/a.ts", "noise/b.ts", "calm/c.ts"]) tree.write(path, "one\n");
  for (let round = 0; round < 3; round++) await tree.refresh();
  // The same change twice in a row is reported once.
  for (let round = 0; round < 9_000; round++)
    for (const name of ["a", "b"]) appendFileSync(tree.at(`noise/${name}.ts`), "x");
  appendFileSync(tree.at("calm/c.ts"), "two\n");
  await tree.refresh();
  assert.ok(tree.texts().includes("calm/c.ts: one\ntwo\n"));
});

test("a change is found that the system drops because another tree has too many", async () => {
  await using noisy = await openWatched();
  await using calm = await openWatched();
  noisy.write("a.ts", "one\n");
  noisy.write("b.ts", "one\n");
  calm.write("c.ts", "one\n");
  for (let round = 0; round < 3; round++) for (const tree of [noisy, calm]) await tree.refresh();
  for (let round = 0; round < 9_000; round++)
    for (const name of ["a", "b"]) appendFileSync(noisy.at(`${name}.ts`), "x");
  appendFileSync(calm.at("c.ts"), "two\n");
  await calm.refresh();
  assert.deepEqual(calm.texts(), ["c.ts: one\ntwo\n"]);
});

test("a look that fails leaves the change to be found", async () => {
  await using tree = await openWatched();
  tree.write("a.ts", "one\n");
  await tree.refresh();
  await tree.refresh();
  tree.write("a.ts", "two\n");
  await assert.rejects(
    lookWatched(tree.location, signal, () => Promise.reject(new Error("disk full"))),
    /disk full/,
  );
  await tree.refresh();
  assert.deepEqual(tree.texts(), ["a.ts: two\n"]);
});

test("no change is missed, whatever happens between two searches and however much the system watches", async () => {
  const name = fc.constantFrom("a.ts", "b.ts", "src/c.ts", "src/deep/d.ts", "lib/e.ts", ".gitignore");
  const kinds = ["write", "append", "remove", "move", "away", "back", "replace", "burst", "search", "search"] as const;
  const step = fc.tuple(fc.constantFrom(...kinds), name, name);
  // All folders, some of the time none, or changes that are cut short.
  const limits = fc.constantFrom(
    { watches: 1_000, queuedChanges: 1_000 },
    { watches: 6, queuedChanges: 1_000 },
    { watches: 1_000, queuedChanges: 8 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), limits, async (steps, systemLimits) => {
      const openWatch = (root: string) => openFolderWatch(root, { limits: systemLimits });
      await using tree = await openWatched({ openWatch });
      for (const [kind, one, other] of steps) {
        try {
          if (kind === "write") tree.write(one, `${other}\n`);
          if (kind === "append") appendFileSync(tree.at(one), "more\n");
          if (kind === "remove") rmSync(tree.at(one));
          if (kind === "move") renameSync(tree.at(one), tree.at(other));
          if (kind === "away") renameSync(tree.at("src"), tree.at("moved"));
          if (kind === "back") renameSync(tree.at("moved"), tree.at("src"));
          if (kind === "replace") {
            rmSync(tree.at("src"), { recursive: true });
            tree.write("src/deep/new/f.ts", other);
          }
          for (let file = 0; kind === "burst" && file < 20; file++) tree.write(`lib/part${file % 4}/${file}.ts`, other);
        } catch {
          // Not every step is possible.
        }
        if (kind !== "search") continue;
        await tree.refresh();
        assert.deepEqual(tree.texts(), await tree.readFresh(), JSON.stringify(steps));
      }
    }),
    { numRuns: 60 },
  );
});

test("a repository that is closed is not watched any more", async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const first = 1;\n");
  await work.search("first");
  const { session, root } = work;
  let folder: string | null = null;
  let watch: FolderWatch | null = null;
  {
    using hold = await openRepository(projectOf(undefined, root, session, false), root, session.roots);
    ({ folder } = hold.repository);
    const report = { files: 1, indexed: 0, removed: 0, skippedCount: 0, unreadable: 0, skipped: [], bytes: 0 };
    const openWatch = (path: string) => {
      watch = openFolderWatch(path, { isLocal: () => true });
      return watch;
    };
    await lookWatched(hold.repository, signal, async () => report, { now: () => 0, openWatch });
  }
  const stateOf = (opened: FolderWatch | null) => opened?.state();
  assert.equal(stateOf(watch), "open");
  assert.ok(closeUnused(folder ?? assert.fail()));
  assert.equal(stateOf(watch), "idle");
});

test("a server that is searched again and again finds every change", async () => {
  await using folder = await makeTemporaryFolder();
  const root = join(folder.path, "work");
  mkdirSync(join(root, "src"), { recursive: true });
  const settings = { ...defaultSettings, ...patientSearch, home: join(folder.path, "home"), "search.refresh_every": 0 };
  await using session = await openSession({ settings, cwd: root });
  writeFileSync(join(root, "src/flume.ts"), "export const flume0 = 0;\n");
  for (let round = 0; round < 8; round++) {
    const query = `flume${round}`;
    const { results } = await searchCode({ query }, session);
    assert.ok(results[0]?.content.includes(query), query);
    const next = `export const flume${round + 1} = 1;\n`;
    if (round % 2 === 0) appendFileSync(join(root, "src/flume.ts"), next);
    else writeFileSync(join(root, `src/new${round}.ts`), next);
  }
});
