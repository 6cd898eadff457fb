/** The contract of index stores; each implementation runs these tests. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chunkText } from "../chunk.ts";
import type { Change, IndexStore, NewFile } from "./index-store.ts";

/** A file to put into a store. */
export function newFile(path: string, text = `text of ${path}\n`): NewFile {
  return { path, stamp: `stamp ${text.length}`, hash: `hash of ${text}`, text, chunks: chunkText(text), outline: null };
}

/** Tests an implementation. */
export function testIndexStore(name: string, open: () => IndexStore): void {
  describe(`${name} as an index store`, () => {
    test("gives back what was put, with its chunks", () => {
      using store = open();
      const long = "line of text\n".repeat(500);
      store.write({ put: [newFile("a.ts"), newFile("b.ts", long)] });
      const files = store.files().sort((one, other) => (one.path < other.path ? -1 : 1));
      assert.deepEqual(
        files.map(({ path }) => path),
        ["a.ts", "b.ts"],
      );
      const [, second = assert.fail()] = files;
      const { id, path, stamp, hash } = second;
      assert.deepEqual(store.text(id), { id, path, stamp, hash, text: long, chunks: chunkText(long), outline: null });
    });

    test("keeps what folders contain, without a new generation", () => {
      using store = open();
      const folder = (path: string, ...entries: string[]) => {
        return {
          path,
          stamp: "1.2.3",
          rules: "r",
          ignoreFiles: [".gitignore"],
          entries,
          skipped: { link: "symbolic link" },
        };
      };
      store.write({ folders: [folder("", "a.ts", "src/"), folder("src", "'\"\n.ts", "link")] });
      assert.equal(store.write({ folders: [folder("", "b.ts")] }), 0);
      assert.deepEqual(
        store.folders().sort((one, other) => (one.path < other.path ? -1 : 1)),
        [folder("", "b.ts"), folder("src", "'\"\n.ts", "link")],
      );
      store.write({ removeFolders: ["src", "none"] });
      assert.deepEqual(store.folders(), [folder("", "b.ts")]);
    });

    test("lists what is directly in some folders, and the folders below one", () => {
      using store = open();
      const paths = ["a.ts", "src/b.ts", "src/deep/c.ts", "src-2/d.ts", "日本/𝒳/e.ts", "日本/f.ts"];
      store.write({ put: paths.map((path) => newFile(path)) });
      store.write({ skip: paths.map((path) => ({ path: `${path}.png`, stamp: "s", reason: "not text" })) });
      const folder = (path: string) => ({ path, stamp: "1", rules: "r", ignoreFiles: [], entries: [], skipped: {} });
      store.write({ folders: ["", "src", "src/deep", "src-2", "日本", "日本/𝒳"].map(folder) });
      const sorted = (items: readonly { path: string }[]) => items.map(({ path }) => path).sort();
      assert.deepEqual(sorted(store.files({ in: ["", "src"] })), ["a.ts", "src/b.ts"]);
      assert.deepEqual(sorted(store.files({ in: ["日本", "日本/𝒳"] })), ["日本/f.ts", "日本/𝒳/e.ts"]);
      assert.deepEqual(
        [store.files({ in: [] }), store.files({ in: ["none"] }), store.files().length],
        [[], [], paths.length],
      );
      assert.deepEqual(sorted(store.skippedFiles({ in: ["src/deep", ""] })), ["a.ts.png", "src/deep/c.ts.png"]);
      assert.deepEqual([store.folder("src"), store.folder("none")], [folder("src"), undefined]);
      assert.deepEqual(store.folderPaths("src").sort(), ["src", "src/deep"]);
      assert.equal(store.folderPaths().length, 6);
    });

    test("gives rows in the order of their paths, some at a time, and one by its path", () => {
      using store = open();
      const paths = ["a", "a.ts", "a/b.ts", "a/b/c.ts", "b"];
      store.write({ put: paths.toReversed().map((path) => newFile(path)) });
      store.write({ skip: paths.map((path) => ({ path: `${path}~`, stamp: "s", reason: "not text" })) });
      const folder = (path: string) => ({ path, stamp: "1", rules: "r", ignoreFiles: [], entries: [], skipped: {} });
      store.write({ folders: ["a/b", "a", ""].map(folder) });
      const pathsOf = (rows: readonly { readonly path: string }[]) => rows.map(({ path }) => path);
      assert.deepEqual(pathsOf(store.files({ after: null, limit: 2 })).slice(0, 2), ["a", "a.ts"]);
      assert.deepEqual(pathsOf(store.files({ after: "a.ts", limit: 9 })), ["a/b.ts", "a/b/c.ts", "b"]);
      assert.deepEqual(pathsOf(store.skippedFiles({ after: "a/b.ts~", limit: 1 })).slice(0, 1), ["a/b/c.ts~"]);
      assert.deepEqual(pathsOf(store.folders({ after: null, limit: 9 })), ["", "a", "a/b"]);
      assert.deepEqual(store.files({ after: "b", limit: 9 }), []);
      assert.deepEqual([pathsOf(store.files({ at: "a" })), store.files({ at: "A" })], [["a"], []]);
      assert.deepEqual(pathsOf(store.skippedFiles({ at: "b~" })), ["b~"]);
    });

    test("counts additions and removals of folders, and no other changes of them", () => {
      using store = open();
      const folder = (path: string, stamp = "1") => {
        return { path, stamp, rules: "r", ignoreFiles: [], entries: [], skipped: {} };
      };
      const versionAfter = (change: Change) => {
        store.write(change);
        return store.foldersVersion();
      };
      const added = versionAfter({ folders: [folder(""), folder("src")] });
      assert.ok(added > 0);
      assert.equal(versionAfter({ folders: [folder("src", "2")] }), added);
      assert.equal(versionAfter({ removeFolders: ["none"], put: [newFile("src/a.ts")] }), added);
      const removed = versionAfter({ removeFolders: ["src"] });
      assert.ok(removed > added);
      assert.ok(versionAfter({ folders: [folder("src")] }) > removed);
    });

    test("keeps why a file has an outline only", () => {
      using store = open();
      store.write({ put: [{ ...newFile("a.ts"), outline: "larger than 9 bytes" }, newFile("b.ts")] });
      const files = new Map(store.files().map(({ path, id, outline }) => [path, [outline, store.text(id)?.outline]]));
      assert.deepEqual(files.get("a.ts"), ["larger than 9 bytes", "larger than 9 bytes"]);
      assert.deepEqual(files.get("b.ts"), [null, null]);
    });

    test("counts a generation for every change of files or segments, and for nothing else", () => {
      using store = open();
      assert.equal(store.generation(), 0);
      assert.equal(store.write({ put: [newFile("a.ts")] }), 1);
      assert.equal(store.write({ facts: { indexed_at: "now" } }), 1);
      assert.equal(store.write({ remove: ["none.ts"] }), 1);
      const [file = assert.fail()] = store.files();
      assert.equal(store.write({ restamp: [{ id: file.id, stamp: "new" }] }), 1);
      assert.equal(store.files()[0]?.stamp, "new");
      assert.equal(store.write({ remove: ["a.ts"] }), 2);
      assert.equal(store.write({ addSegment: "s" }), 3);
      assert.equal(store.write({ dropSegments: ["s"] }), 4);
    });

    test("keeps the ids of the files of a segment that another index has built", () => {
      using store = open();
      store.write({ addSegment: "theirs", segmentFileIds: Uint32Array.of(0, 7, 4_294_967_295) });
      store.write({ addSegment: "ours" });
      assert.deepEqual(store.segmentFileIds("theirs"), Uint32Array.of(0, 7, 4_294_967_295));
      assert.deepEqual([store.segmentFileIds("ours"), store.segmentFileIds("none")], [undefined, undefined]);
      store.write({ dropSegments: ["theirs"] });
      assert.equal(store.segmentFileIds("theirs"), undefined);
      assert.deepEqual([store.snapshot().segments, store.segmentNames()], [["ours"], ["ours"]]);
    });

    test("gives a changed file a new id and forgets the old one", () => {
      using store = open();
      store.write({ put: [newFile("a.ts", "one")] });
      const [before = assert.fail()] = store.files();
      store.write({ put: [newFile("a.ts", "two")] });
      const [after = assert.fail()] = store.files();
      assert.ok(after.id > before.id);
      assert.equal(store.text(before.id), undefined);
      assert.equal(store.text(after.id)?.text, "two");
      assert.deepEqual(store.snapshot().fileIds, [after.id]);
      assert.equal(store.fileCount(), 1);
    });

    test("keeps a file either indexed or skipped", () => {
      using store = open();
      store.write({ put: [newFile("a.ts")] });
      store.write({ skip: [{ path: "a.ts", stamp: "s", reason: "not text" }] });
      assert.deepEqual([store.fileCount(), store.skippedFiles().length, store.skippedCount()], [0, 1, 1]);
      store.write({ put: [newFile("a.ts")] });
      assert.deepEqual([store.fileCount(), store.skippedFiles().length, store.skippedCount()], [1, 0, 0]);
    });

    test("accepts any path and text", () => {
      using store = open();
      const paths = ["'; DROP TABLE files; --", "%_\\", "日本語/𝒳.ts", "new\nline", "a'b\"c"];
      store.write({ put: paths.map((path) => newFile(path, `${path}\u2028 \ud83d\ude00 \t`)) });
      for (const { id, path } of store.files()) assert.equal(store.text(id)?.text, `${path}\u2028 \ud83d\ude00 \t`);
      assert.deepEqual(
        store
          .files()
          .map(({ path }) => path)
          .sort(),
        paths.sort(),
      );
    });

    test("keeps vectors by file, in the order they were stored, and says which files have none", () => {
      using store = open();
      store.write({ put: [newFile("a.ts"), newFile("b.ts"), newFile("c.ts")] });
      const [a = 0, b = 0, c = 0] = store.snapshot().fileIds;
      assert.deepEqual([store.vectorsMadeBy(), store.filesWithoutVectors(9)], [undefined, [a, b, c]]);
      const generation = store.generation();
      store.write({ vectors: { madeBy: "model", files: [{ id: b, bytes: Uint8Array.of(1, 2) }] } });
      store.write({ vectors: { madeBy: "model", files: [{ id: a, bytes: Uint8Array.of(3) }] } });
      store.write({ vectors: { madeBy: "model", files: [{ id: 999, bytes: Uint8Array.of(9) }] } });
      assert.equal(store.generation(), generation);
      const [first = assert.fail(), second = assert.fail(), ...rest] = store.vectorsAfter(0);
      assert.deepEqual([first.id, [...first.bytes], second.id, rest], [b, [1, 2], a, []]);
      assert.deepEqual(
        store.vectorsAfter(first.number).map(({ id }) => id),
        [a],
      );
      assert.deepEqual([store.filesWithoutVectors(9), store.filesWithoutVectors(0)], [[c], []]);
    });

    test("never mixes vectors of two models, and deletes those of deleted and changed files", () => {
      using store = open();
      store.write({ put: [newFile("a.ts"), newFile("b.ts"), newFile("c.ts")] });
      const files = store.snapshot().fileIds.map((id) => ({ id, bytes: Uint8Array.of(id) }));
      store.write({ vectors: { madeBy: "one", files } });
      store.write({ remove: ["a.ts"], put: [newFile("b.ts", "changed\n")] });
      const [remaining = assert.fail(), ...others] = store.vectorsAfter(0);
      assert.deepEqual(others, []);
      store.write({
        vectors: { madeBy: "two", files: store.filesWithoutVectors(1).map((id) => ({ id, bytes: Uint8Array.of(7) })) },
      });
      assert.equal(store.vectorsMadeBy(), "two");
      const after = store.vectorsAfter(0);
      assert.deepEqual(
        after.map(({ bytes }) => [...bytes]),
        [[7]],
      );
      assert.ok((after[0]?.number ?? 0) > remaining.number);
    });
  });
}
