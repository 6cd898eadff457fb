import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { SpillwayError } from "../errors.ts";
import type { SourceContext } from "./source-kind.ts";
import { findSource } from "./sources.ts";

const signal = new AbortController().signal;

async function read(given: string, context: SourceContext): Promise<string> {
  const { chunks } = await findSource(given, context).open({ signal });
  return Buffer.concat(await Array.fromAsync(chunks)).toString();
}

async function refusal(given: string, context: SourceContext): Promise<SpillwayError> {
  const error = await read(given, context).then(
    (text) => assert.fail(`read ${JSON.stringify(text)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SpillwayError, String(error));
  assert.ok(error.hint);
  return error;
}

describe("a file as a source", () => {
  test("is read by relative path, absolute path and file: URL, all of one identity", async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, "a b.txt");
    await writeFile(path, "hello");
    const context = { cwd: folder.path };
    const spellings = ["a b.txt", "./a b.txt", path, pathToFileURL(path).href];
    for (const given of spellings) {
      assert.equal(await read(given, context), "hello");
      assert.equal(findSource(given, context).given, given);
      assert.equal((await findSource(given, context).open({ signal })).name, "a b.txt");
    }
    assert.equal(new Set(spellings.map((given) => findSource(given, context).identity)).size, 1);
  });

  test("that is missing, a folder or not readable gets an error of its own", async () => {
    await using folder = await makeTemporaryFolder();
    const context = { cwd: folder.path };
    await writeFile(join(folder.path, "secret"), "x");
    await chmod(join(folder.path, "secret"), 0);
    assert.equal((await refusal("none.txt", context)).code, "source_not_found");
    assert.equal((await refusal("secret/below", context)).code, "source_not_found");
    assert.match((await refusal(".", context)).message, /is a folder/);
    if (process.getuid?.() !== 0) assert.match((await refusal("secret", context)).message, /permission denied/);
  });

  test("that is a pipe, a socket or a device is refused at once, also behind a link", async () => {
    await using folder = await makeTemporaryFolder();
    const context = { cwd: folder.path };
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(folder.path, "socket"), done));
    await symlink("pipe", join(folder.path, "link"));
    assert.match((await refusal("pipe", context)).message, /is a pipe/);
    assert.match((await refusal("link", context)).message, /is a pipe/);
    assert.match((await refusal("socket", context)).message, /is a socket/);
    server.close();
    for (const given of ["/dev/null", "/dev/zero", "/dev/stdin"]) {
      assert.match((await refusal(given, context)).message, /kernel|device|pipe/);
    }
  });

  const linux = process.platform === "linux" ? false : "only Linux has these";
  test("of the kernel is refused, also behind a link", { skip: linux }, async () => {
    await using folder = await makeTemporaryFolder();
    const context = { cwd: folder.path };
    await symlink("/proc/self/environ", join(folder.path, "innocent.txt"));
    await symlink("/proc", join(folder.path, "docs"));
    for (const given of [
      "/proc/self/environ",
      "/proc/version",
      "/sys/kernel/uevent_seqnum",
      "innocent.txt",
      "docs/version",
    ]) {
      assert.match((await refusal(given, context)).message, /file of the kernel/, given);
    }
  });

  test("may be reached through a link, but not out of an allowed root", async () => {
    await using folder = await makeTemporaryFolder();
    const root = join(folder.path, "root");
    await mkdir(join(root, "sub"), { recursive: true });
    await mkdir(join(folder.path, "root-but-longer"));
    await writeFile(join(root, "sub", "in.txt"), "inside");
    await writeFile(join(folder.path, "out.txt"), "outside");
    await writeFile(join(folder.path, "root-but-longer", "out.txt"), "outside");
    await symlink("sub/in.txt", join(root, "in.txt"));
    await symlink("../out.txt", join(root, "out.txt"));
    await symlink("..", join(root, "up"));
    await symlink("loop", join(root, "loop"));
    const unrestricted = { cwd: root };
    const restricted = { cwd: root, roots: [root, join(folder.path, "missing")] };
    assert.equal(await read("in.txt", restricted), "inside");
    assert.equal(await read("out.txt", unrestricted), "outside");
    for (const given of [
      "out.txt",
      "up/out.txt",
      "../out.txt",
      join(folder.path, "out.txt"),
      "../root-but-longer/out.txt",
    ]) {
      assert.match((await refusal(given, restricted)).message, /outside the folders/, given);
    }
    assert.match((await refusal("loop", unrestricted)).message, /loop/);
    for (const given of ["../nothing.txt", "up/nothing/at/all", "/nothing-of-this-name"])
      assert.match(
        (await refusal(given, restricted)).message,
        /outside the folders/,
        "a missing path is not revealed either",
      );
    assert.match((await refusal("nothing.txt", restricted)).message, /no file|not found|does not exist/i);
  });
});

test("a folder swapped for a link while a file is opened never lets a read out of its root", async () => {
  await using folder = await makeTemporaryFolder();
  const root = join(folder.path, "root");
  await mkdir(join(folder.path, "outside"));
  await mkdir(join(root, "inside"), { recursive: true });
  await writeFile(join(folder.path, "outside", "a.txt"), "outside");
  await writeFile(join(root, "inside", "a.txt"), "inside");
  await symlink("inside", join(root, "door"));
  let swapping = true;
  const swapper = (async () => {
    for (let i = 0; swapping; i++) {
      await symlink(i % 2 === 0 ? "../outside" : "inside", join(root, "next"));
      await rename(join(root, "next"), join(root, "door"));
    }
  })();
  const texts = new Set<string>();
  // On a busy machine many reads may find the same state: read on until both were seen.
  for (let i = 0; i < 300 || (texts.size < 2 && i < 20_000); i++)
    texts.add(await read("door/a.txt", { cwd: root, roots: [root] }).catch(() => "refused"));
  swapping = false;
  await swapper;
  assert.ok(texts.has("inside") && texts.has("refused"), [...texts].join());
  assert.ok(!texts.has("outside"));
});

describe("other sources", () => {
  const context = { cwd: "/" };

  for (const { given, text, type } of [
    { given: "data:,Hello%2C%20World", text: "Hello, World", type: undefined },
    { given: "data:text/plain;base64,SGVsbG8=", text: "Hello", type: "text/plain" },
    { given: "DATA:text/plain;charset=utf-8;BASE64,SGVs\nbG8", text: "Hello", type: "text/plain;charset=utf-8" },
    { given: "data:text/html;base64,PGI%2B", text: "<b>", type: "text/html" },
    { given: "data:,100%", text: "100%", type: undefined },
    { given: "data:,", text: "", type: undefined },
    { given: "data:,ü", text: "ü", type: undefined },
  ]) {
    test(`${given} is ${JSON.stringify(text)}`, async () => {
      assert.equal(await read(given, context), text);
      const { headers } = await findSource(given, context).open({ signal });
      assert.equal(headers["content-type"], type);
    });
  }

  test("a data: URL is not repeated in its own name", () => {
    const source = findSource(`data:text/plain,${"x".repeat(10_000)}`, context);
    assert.equal(source.given, "data:text/plain");
    assert.ok(source.identity.length < 200);
  });

  test("that are invalid get an error that says why", async () => {
    assert.throws(() => findSource("data:text/plain", context), /no comma/);
    assert.throws(() => findSource("  ", context), /empty/);
    assert.throws(() => findSource("ftp://host/x", context), /ftp:/);
    assert.throws(() => findSource("file://host/x", context), /not a file on this machine/);
    assert.match((await refusal("data:;base64,###", context)).message, /is not/);
    assert.match((await refusal("-", context)).message, /no standard input/);
  });

  test("standard input is read to its end", async () => {
    async function* stdin() {
      yield Buffer.from("from ");
      yield Buffer.from("stdin");
    }
    assert.equal(await read("-", { cwd: "/", stdin: stdin() }), "from stdin");
  });
});
