import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import type { Change } from "../store/index-store.ts";
import { openMemoryStore } from "../store/memory-index-store.ts";
import { recordsInOrder } from "../store/rows-in-order.ts";
import { openSqliteStore } from "../store/sqlite-index-store.ts";
import { updateIndex } from "../update-index.ts";
import { openFolderMemory } from "./folder-memory.ts";
import { walkFolder } from "./walk-folder.ts";

/** The paths and reasons of a walk. */
const listWalk = (
  steps: Iterable<ReturnType<typeof walkFolder> extends Generator<infer Step> ? Step : never>,
): string[] =>
  [...steps].map((step) => ("file" in step ? step.file.path : `${step.skipped.path}: ${step.skipped.reason}`)).sort();

/** A folder that is walked again and again with what the walk before remembered. */
async function openWalked() {
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "root");
  mkdirSync(root);
  const store = openSqliteStore(join(folder.path, "index.db"));
  return {
    root,
    at: (path: string) => join(root, path),
    write(path: string, text = "x = 1\n") {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    /** Walks, and returns the steps and the folders that were read. */
    walk(now = Date.now()) {
      const memory = openFolderMemory(recordsInOrder(store), () => now);
      const steps = listWalk(walkFolder(root, new Set(), memory));
      const { folders, removeFolders } = memory.changes();
      store.write({ folders, removeFolders });
      return { steps, read: folders.map(({ path }) => path), removed: removeFolders };
    },
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const LATER_MS = 10_000;

describe("a walk that remembers folders", () => {
  test("reads only the folders whose entries or rules have changed", async () => {
    await using tree = await openWalked();
    for (const path of ["a.ts", "src/b.ts", "src/deep/c.ts", "lib/d.ts"]) tree.write(path);
    symlinkSync("a.ts", tree.at("constructor"));
    const later = () => tree.walk(Date.now() + LATER_MS);
    assert.deepEqual(later().read, ["", "lib", "src", "src/deep"]);
    const unchanged = later();
    assert.deepEqual([unchanged.read, unchanged.removed], [[], []]);
    assert.deepEqual(unchanged.steps, listWalk(walkFolder(tree.root)));
    tree.write("src/deep/new.ts");
    assert.deepEqual(later().read, ["src/deep"]);
    tree.write("src/.gitignore", "*.log\n");
    assert.deepEqual(later().read, ["src", "src/deep"]);
    writeFileSync(tree.at("src/.gitignore"), "c.ts\n");
    const ignored = later();
    assert.deepEqual([ignored.read, ignored.steps.includes("src/deep/c.ts")], [["src", "src/deep"], false]);
    rmSync(tree.at("lib"), { recursive: true });
    assert.deepEqual(later().removed, ["lib"]);
  });

  test("reads a folder again that has just changed: its clock may not show the next change", async () => {
    await using tree = await openWalked();
    tree.write("src/a.ts");
    assert.deepEqual(tree.walk().read, ["", "src"]);
    assert.deepEqual(tree.walk().read, [], "what is stored says already that it has just changed");
    assert.deepEqual(tree.walk(Date.now() + LATER_MS).read, ["", "src"]);
    assert.deepEqual(tree.walk(Date.now() + LATER_MS).read, []);
  });

  test("finds what a walk without a memory finds, after any changes", async () => {
    const name = fc.constantFrom(
      "a.ts",
      "b.py",
      "src",
      "lib",
      "src/c.ts",
      "src/deep",
      "src/deep/d.ts",
      "lib/.gitignore",
    );
    const step = fc.tuple(fc.constantFrom("write", "remove", "move", "ignore", "link", "old"), name, name);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await using tree = await openWalked();
        for (const each of steps) {
          try {
            change(tree, ...each);
          } catch {
            // The file system refuses some of them: a file in the place of a folder, for one.
          }
          assert.deepEqual(tree.walk().steps, listWalk(walkFolder(tree.root)), each.join(" "));
        }
      }),
      { numRuns: 40 },
    );
  });
});

type Tree = Awaited<ReturnType<typeof openWalked>>;

function change(tree: Tree, kind: string, one: string, other: string): void {
  if (kind === "write") tree.write(one);
  if (kind === "remove") rmSync(tree.at(one), { recursive: true, force: true });
  if (kind === "move") renameSync(tree.at(one), tree.at(other));
  if (kind === "ignore") tree.write(".gitignore", `${other}\n`);
  if (kind === "link") symlinkSync("a.ts", tree.at(one));
  // A restored backup or a checkout may set the time of a folder back.
  if (kind === "old") utimesSync(tree.at(one), 1, 1);
}

test("a look that finds no change writes nothing", async () => {
  await using tree = await openWalked();
  for (let file = 0; file < 20; file++) tree.write(`part${file % 3}/f${file}.ts`);
  const store = openMemoryStore();
  const writes: Change[] = [];
  const counted = {
    ...store,
    write(changes: Change) {
      writes.push(changes);
      return store.write(changes);
    },
  };
  const update = () =>
    updateIndex(
      { root: tree.root, store: counted, segments: null },
      { maxFileBytes: 1e6, signal: new AbortController().signal, now: () => Date.now() + LATER_MS },
    );
  await update();
  writes.length = 0;
  const { indexed, files } = await update();
  assert.deepEqual([indexed, files, writes], [0, 20, []]);
  writeFileSync(tree.at("part1/f1.ts"), "changed = 2\n");
  assert.equal((await update()).indexed, 1);
});
