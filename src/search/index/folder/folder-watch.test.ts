import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPause } from "../pause.ts";
import { openFolderWatch } from "./folder-watch.ts";

const pause = createPause(new AbortController().signal);

type Callbacks = { onChange: (type: "change" | "rename", name: string | null) => void; onError: () => void };

/** A watch whose folders change, fail and are refused as the test says. */
function openFake(refuse: (folder: string) => string | null = () => null) {
  const open = new Map<string, Callbacks>();
  const watch = openFolderWatch("/repo", {
    isLocal: () => true,
    watch(folder, onChange, onError) {
      const code = refuse(folder);
      if (code !== null) throw Object.assign(new Error(code), { code });
      open.set(folder, { onChange, onError });
      return { [Symbol.dispose]: () => void open.delete(folder) };
    },
  });
  return { watch: watch ?? assert.fail(), open };
}

describe("a watch of folders", () => {
  test("is quiet once it covers the folders and nothing has changed since", async () => {
    const { watch, open } = openFake();
    assert.equal(watch.isQuiet(), false);
    await watch.cover(["", "src"], pause);
    assert.deepEqual(
      [[...open.keys()], watch.isQuiet()],
      [["/repo/", "/repo/src"].map((path) => path.replace(/\/$/, "")), false],
    );
    assert.equal(watch.takeChanged(), null, "what happened before is not known");
    assert.equal(watch.isQuiet(), true);
    open.get("/repo/src")?.onChange("change", "a.ts");
    assert.deepEqual([watch.isQuiet(), watch.takeChanged()], [false, new Set(["src"])]);
    await watch.cover(["", "src"], pause);
    assert.equal(watch.isQuiet(), true);
    await watch.cover(["", "src", "src/new"], pause);
    assert.deepEqual([watch.isQuiet(), watch.takeChanged()], [false, new Set(["src/new"])]);
    await watch.cover([""], pause);
    assert.deepEqual([[...open.keys()], watch.isQuiet()], [["/repo"], true]);
    watch.markUnknown();
    assert.deepEqual([watch.isQuiet(), watch.takeChanged(), watch.isQuiet()], [false, null, true]);
  });

  test("watches a folder again that another one has replaced, with all below it", async () => {
    const { watch, open } = openFake();
    const folders = ["", "src", "src/deep", "srcs"];
    await watch.cover(folders, pause);
    watch.takeChanged();
    const before = open.get("/repo/src/deep");
    open.get("/repo")?.onChange("rename", "src");
    await watch.cover(folders, pause);
    assert.deepEqual(watch.takeChanged(), new Set(["", "src", "src/deep"]));
    assert.notEqual(open.get("/repo/src/deep"), before);
  });

  test("is never quiet where the system has no more watches, reports an error, or there are too many folders", async () => {
    const full = openFake((folder) => (folder.endsWith("b") ? "ENOSPC" : null));
    await full.watch.cover(["a", "b", "c"], pause);
    const failed = openFake();
    await failed.watch.cover(["a"], pause);
    failed.open.get("/repo/a")?.onError();
    const many = openFake();
    await many.watch.cover(
      Array.from({ length: 20_001 }, (_, folder) => `f${folder}`),
      pause,
    );
    for (const { watch, open } of [full, failed, many]) {
      watch.takeChanged();
      assert.deepEqual([watch.isQuiet(), watch.isIdle(), open.size], [false, false, 0]);
    }
  });

  test("continues without a folder that is gone", async () => {
    const { watch } = openFake((folder) => (folder.endsWith("gone") ? "ENOENT" : null));
    await watch.cover(["a", "gone"], pause);
    watch.takeChanged();
    assert.equal(watch.isQuiet(), true);
  });

  test("closes when it is not used, and can be opened again", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { watch, open } = openFake();
    await watch.cover(["a"], pause);
    watch.takeChanged();
    context.mock.timers.tick(600_001);
    assert.deepEqual([watch.isQuiet(), watch.isIdle(), open.size], [false, true, 0]);
  });

  test("is not opened where changes may not be reported", () => {
    assert.equal(openFolderWatch("/repo", { isLocal: () => false }), null);
    assert.equal(openFolderWatch("/no/such/folder"), null);
  });
});
