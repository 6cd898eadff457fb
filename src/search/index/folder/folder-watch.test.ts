import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createPause } from "../pause.ts";
import { openFolderWatch } from "./folder-watch.ts";

const pause = createPause(new AbortController().signal);

type Callbacks = { onChange: (type: "change" | "rename", name: string | null) => void; onError: () => void };

const limits = { watches: 100, queuedChanges: 1_000 };
let version = 0;

/** A watch whose folders change, fail and are refused as the test says. */
function openFake(refuse: (folder: string) => string | null = () => null) {
  const open = new Map<string, Callbacks>();
  const root = { id: "first" as string | null };
  const folderWatch = openFolderWatch("/repo", {
    isLocal: () => true,
    identify: () => root.id,
    limits,
    watch(folder, onChange, onError) {
      const code = refuse(folder);
      if (code !== null) throw Object.assign(new Error(code), { code });
      open.set(folder, { onChange, onError });
      return { [Symbol.dispose]: () => void open.delete(folder) };
    },
  });
  const watch = folderWatch ?? assert.fail();
  const cover = (...folders: string[]) => watch.cover({ version: ++version, paths: () => folders }, pause);
  return { watch, open, root, cover, [Symbol.dispose]: () => watch[Symbol.dispose]() };
}

describe("a watch of folders", () => {
  test("is quiet once it covers the folders and nothing has changed since", async () => {
    using fake = openFake();
    const { watch, open, cover } = fake;
    assert.equal(watch.isQuiet(), false);
    await cover("", "src");
    assert.deepEqual(
      [[...open.keys()], watch.isQuiet()],
      [["/repo/", "/repo/src"].map((path) => path.replace(/\/$/, "")), false],
    );
    assert.equal(watch.takeChanged(), null, "what happened before is not known");
    assert.equal(watch.isQuiet(), true);
    open.get("/repo/src")?.onChange("change", "a.ts");
    assert.deepEqual([watch.isQuiet(), watch.takeChanged()], [false, new Set(["src"])]);
    await cover("", "src");
    assert.equal(watch.isQuiet(), true);
    await cover("", "src", "src/new");
    assert.deepEqual([watch.isQuiet(), watch.takeChanged()], [false, new Set(["src/new"])]);
    await cover("");
    assert.deepEqual([[...open.keys()], watch.isQuiet()], [["/repo"], true]);
    watch.markUnknown();
    assert.deepEqual([watch.isQuiet(), watch.takeChanged(), watch.isQuiet()], [false, null, true]);
  });

  test("asks for the folders only where they may be others, or one was replaced or is missing", async () => {
    const missing = new Set(["/repo/late"]);
    using fake = openFake((folder) => (missing.has(folder) ? "ENOENT" : null));
    const { watch, open } = fake;
    let asked = 0;
    const cover = (of: number, ...folders: string[]) => {
      const paths = () => {
        asked++;
        return folders;
      };
      return watch.cover({ version: of, paths }, pause);
    };
    for (let round = 0; round < 3; round++) await cover(1, "", "src");
    assert.equal(asked, 1);
    open.get("/repo")?.onChange("rename", "a.ts");
    await cover(1, "", "src");
    assert.equal(asked, 1, "a file was renamed");
    open.get("/repo")?.onChange("rename", "src");
    await cover(1, "", "src");
    assert.equal(asked, 2);
    await cover(2, "", "src", "late");
    await cover(2, "", "src", "late");
    assert.equal(asked, 4, "one folder is not watched yet");
    missing.clear();
    await cover(2, "", "src", "late");
    await cover(2, "", "src", "late");
    assert.deepEqual([asked, open.has("/repo/late")], [5, true]);
  });

  test("watches a folder again that another one has replaced, with all below it", async () => {
    using fake = openFake();
    const { watch, open, cover } = fake;
    const folders = ["", "src", "src/deep", "srcs"];
    await cover(...folders);
    watch.takeChanged();
    const before = open.get("/repo/src/deep");
    open.get("/repo")?.onChange("rename", "src");
    await cover(...folders);
    assert.deepEqual(watch.takeChanged(), new Set(["", "src", "src/deep"]));
    assert.notEqual(open.get("/repo/src/deep"), before);
  });

  test("is not quiet once another folder is at the place of the root, and then watches that one", async () => {
    using fake = openFake();
    const { watch, open, root, cover } = fake;
    const startsAgain = async (why: string) => {
      const before = open.get("/repo/src");
      assert.equal(watch.isQuiet(), false, why);
      await cover("", "src");
      assert.equal(watch.takeChanged(), null, "every folder may be another one");
      assert.notEqual(open.get("/repo/src"), before, why);
      assert.equal(watch.isQuiet(), true);
    };
    await cover("", "src");
    watch.takeChanged();
    root.id = "second";
    await startsAgain("a folder above the root was replaced, which is not reported");
    open.get("/repo")?.onChange("rename", "repo");
    watch.takeChanged();
    await startsAgain("the root was removed, and the new one has the same inode");
    root.id = null;
    await cover("", "src");
    watch.takeChanged();
    assert.equal(watch.isQuiet(), false, "there is no root");
  });

  test("is never quiet where the system has no more watches, or reports an error", async () => {
    using full = openFake((folder) => (folder.endsWith("b") ? "ENOSPC" : null));
    await full.cover("a", "b", "c");
    using failed = openFake();
    await failed.cover("a");
    failed.open.get("/repo/a")?.onError();
    for (const { watch, open } of [full, failed]) {
      watch.takeChanged();
      assert.deepEqual([watch.isQuiet(), watch.state(), open.size], [false, "failed", 0]);
    }
  });

  test("leaves half of the watches of a user to other programs, however many trees are watched", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, folder) => `f${folder}`);
    using one = openFake();
    using other = openFake();
    await one.cover(...names(30));
    await other.cover(...names(20));
    assert.deepEqual([one.watch.state(), other.watch.state()], ["open", "open"]);
    await other.cover(...names(21));
    assert.deepEqual([one.watch.state(), one.open.size], ["open", 30]);
    assert.deepEqual([other.watch.state(), other.open.size], ["failed", 0]);
    using third = openFake();
    await third.cover(...names(20));
    assert.equal(third.watch.state(), "open", "the other one holds none any more");
  });

  test("does not know what has changed after a burst that the system may have cut short", async () => {
    using fake = openFake();
    const { watch, open, cover } = fake;
    await cover("a");
    await nextTurn(); // Those of other watches count too.
    const change = (times: number) => {
      watch.takeChanged();
      for (let round = 0; round < times; round++) open.get("/repo/a")?.onChange("change", "x.ts");
      return watch.takeChanged();
    };
    assert.deepEqual(change(499), new Set(["a"]));
    await nextTurn();
    assert.deepEqual(change(499), new Set(["a"]), "counted for each turn of the event loop");
    await nextTurn();
    assert.equal(change(500), null);
  });

  test("counts the changes of all trees, which the system reports through one queue", async () => {
    using noisy = openFake();
    using calm = openFake();
    for (const { cover, watch } of [noisy, calm]) {
      await cover("a");
      watch.takeChanged();
    }
    for (const { open } of [noisy, calm])
      for (let round = 0; round < 250; round++) open.get("/repo/a")?.onChange("change", "x.ts");
    assert.deepEqual([noisy.watch.takeChanged(), calm.watch.takeChanged()], [null, null]);
  });

  for (const code of ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]) {
    test(`continues without a folder that is gone or is none any more (${code})`, async () => {
      using fake = openFake((folder) => (folder.endsWith("gone") ? code : null));
      const { watch, cover } = fake;
      await cover("a", "gone");
      watch.takeChanged();
      assert.deepEqual([watch.isQuiet(), watch.state()], [true, "open"]);
    });
  }

  test("closes when it is not used or has failed, and can be opened again", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { watch, open, cover } = openFake();
    await cover("a");
    watch.takeChanged();
    context.mock.timers.tick(600_001);
    assert.deepEqual([watch.isQuiet(), watch.state(), open.size], [false, "idle", 0]);
    const failed = openFake(() => "ENOSPC");
    await failed.cover("a");
    context.mock.timers.tick(300_000);
    assert.deepEqual([failed.watch.isQuiet(), failed.watch.state()], [false, "failed"]);
    context.mock.timers.tick(300_001);
    assert.equal(failed.watch.state(), "idle");
  });

  test("is not opened where changes may not be reported", () => {
    assert.equal(openFolderWatch("/repo", { isLocal: () => false }), null);
    assert.equal(openFolderWatch("/no/such/folder"), null);
  });
});
