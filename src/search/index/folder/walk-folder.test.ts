import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { walkFolder } from "./walk-folder.ts";

function write(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function walk(root: string) {
  const steps = [...walkFolder(root)];
  return {
    files: steps.flatMap((step) => ("file" in step ? [step.file.path] : [])),
    skipped: steps.flatMap((step) => ("skipped" in step ? [`${step.skipped.path}: ${step.skipped.reason}`] : [])),
  };
}

describe("walking a folder", () => {
  test("respects ignore files: inner before outer ones, ours before git's", async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, {
      ".gitignore": "*.log\n/out/\nsecret.txt\n",
      ".spillwayignore": "!wanted.log\ndata/\n",
      "a.ts": "",
      "b.log": "",
      "wanted.log": "",
      "out/x.ts": "",
      "src/out/y.ts": "",
      "src/.gitignore": "!b.log\n/local.ts\n",
      "src/b.log": "",
      "src/local.ts": "",
      "src/deep/local.ts": "",
      "data/d.ts": "",
      "node_modules/x/index.js": "",
    });
    assert.deepEqual(walk(folder.path).files, [
      ".gitignore",
      ".spillwayignore",
      "a.ts",
      "src/.gitignore",
      "src/b.log",
      "src/deep/local.ts",
      "src/out/y.ts",
      "wanted.log",
    ]);
  });

  test("never enters .git, and lets only our own ignore file override the default list", async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, {
      ".git/config": "",
      ".gitignore": "/*\n!/*/\n!.env\n!yarn.lock\n!b.ts\n",
      ".spillwayignore": "!yarn.lock\n*.gen.ts\n",
      ".env": "SECRET=1",
      "yarn.lock": "",
      "b.ts": "",
      "src/.gitignore": "!a.gen.ts\n",
      "src/a.gen.ts": "",
      "src/node_modules/x.js": "",
      "tree/.git": "gitdir: elsewhere\n",
      "tree/c.ts": "",
    });
    assert.deepEqual(walk(folder.path).files, ["b.ts", "src/.gitignore", "tree/c.ts", "yarn.lock"]);
  });

  test("obeys the git repository around the folder, and its exclude file", async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, {
      ".git/info/exclude": "mine.ts\n",
      ".gitignore": "/pkg/gen/\n",
      "pkg/gen/a.ts": "",
      "pkg/b.ts": "",
    });
    write(folder.path, { "pkg/mine.ts": "" });
    assert.deepEqual(walk(join(folder.path, "pkg")).files, ["b.ts"]);
  });

  test("obeys the exclude file of the main repository of a worktree", async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, {
      "main/.git/info/exclude": "mine.ts\n",
      "main/.git/worktrees/tree/commondir": "../..\n",
      "tree/.git": `gitdir: ${join(folder.path, "main/.git/worktrees/tree")}\n`,
      "tree/mine.ts": "",
      "tree/a.ts": "",
      "main/.git/modules/part/info/exclude": "a.ts\n",
      "main/part/.git": "gitdir: ../.git/modules/part\n",
      "main/part/a.ts": "",
      "main/part/b.ts": "",
    });
    assert.deepEqual(walk(join(folder.path, "tree")).files, ["a.ts"]);
    assert.deepEqual(walk(join(folder.path, "main/part")).files, ["b.ts"]);
  });

  test("walks the root even where an outer rule ignores it", async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, {
      ".git/info/exclude": "named\n",
      ".gitignore": "*\n!/kept\n*.log\n",
      "deep/.gitignore": "na*\n",
      "deep/named/a.ts": "",
      "deep/named/a.log": "",
      "deep/named/in/b.ts": "",
    });
    assert.deepEqual(walk(join(folder.path, "deep/named")).files, ["a.ts", "in/b.ts"]);
    assert.deepEqual(walk(folder.path).files, []);
  });

  test("does not follow links, into loops or outside the root", async () => {
    await using folder = await makeTemporaryFolder();
    await using outside = await makeTemporaryFolder();
    write(outside.path, { "secret.ts": "" });
    write(folder.path, { "a.ts": "" });
    symlinkSync(folder.path, join(folder.path, "loop"));
    symlinkSync(outside.path, join(folder.path, "out"));
    symlinkSync(join(outside.path, "secret.ts"), join(folder.path, "secret.ts"));
    const { files, skipped } = walk(folder.path);
    assert.deepEqual(files, ["a.ts"]);
    assert.deepEqual(skipped, ["loop: symbolic link", "out: symbolic link", "secret.ts: symbolic link"]);
  });

  test("continues after a folder that cannot be read", { skip: process.getuid?.() === 0 }, async () => {
    await using folder = await makeTemporaryFolder();
    write(folder.path, { "closed/a.ts": "", "open/b.ts": "" });
    chmodSync(join(folder.path, "closed"), 0o000);
    const { files, skipped } = walk(folder.path);
    chmodSync(join(folder.path, "closed"), 0o700);
    assert.deepEqual(files, ["open/b.ts"]);
    assert.deepEqual(skipped, ["closed: permission denied"]);
  });

  test("accepts unusual names", async () => {
    await using folder = await makeTemporaryFolder();
    const names = ["a b.ts", "[x].ts", "%.ts", "'; DROP TABLE files; --.ts", "日本語.ts", "new\nline.ts"];
    for (const name of names) writeFileSync(join(folder.path, name), "");
    assert.deepEqual(walk(folder.path).files, names.toSorted());
  });

  test("continues after a name that is not UTF-8", { skip: process.platform !== "linux" }, async () => {
    await using folder = await makeTemporaryFolder();
    const name = Buffer.concat([Buffer.from(`${folder.path}/bad`), Buffer.from([0xff]), Buffer.from(".ts")]);
    writeFileSync(name, "x");
    writeFileSync(join(folder.path, "good.ts"), "x");
    assert.deepEqual(walk(folder.path), { files: ["good.ts"], skipped: ["bad\ufffd.ts: its name is not UTF-8"] });
  });

  test("reports a root that does not exist", () => {
    assert.deepEqual(walk("/no/such/folder"), { files: [], skipped: [".: vanished while indexing"] });
  });
});
