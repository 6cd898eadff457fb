/** Clones of repositories, from a real git server on loopback. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { lockClone } from "../src/clones/clone-lock.ts";
import { sweepClones } from "../src/clones/sweep-clones.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { fetchSource } from "../src/verbs/fetch.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { git, gitWithInput, startGitServer } from "./git-server.ts";
import { openMcp } from "./mcp.ts";
import { startServer } from "./server.ts";

/** A server with the repository `delta/weir`, and a command line that may reach it. */
async function openServer(change: (folder: string) => Promise<void> = async () => undefined, name = "weir.git") {
  const folder = await makeTemporaryFolder();
  const work = join(folder.path, "work");
  await mkdir(work);
  git(work, "init", "--quiet", "--initial-branch=main");
  await writeFile(join(work, "README.md"), "# Weir\n\nRaise the gate first.\n");
  await mkdir(join(work, "src"));
  await writeFile(join(work, "src", "gate.ts"), "export function raiseGate(level: number) {\n  return level + 1;\n}\n");
  await change(work);
  git(work, "add", "--all");
  git(work, "commit", "--quiet", "--message=first");
  git(work, "branch", "feature/gates");
  const bare = join(folder.path, "served", "delta", name);
  git(work, "clone", "--quiet", "--bare", work, bare);
  git(bare, "config", "uploadpack.allowFilter", "true");
  git(bare, "config", "uploadpack.allowAnySHA1InWant", "true");
  const server = await startGitServer(join(folder.path, "served"));
  const cli = await openCli();
  const allow = ["--set", `network.allow=${server.allow}`];
  return {
    server,
    cli,
    bare,
    /** Makes a tree the only commit of the default branch. */
    commitTree: (tree: string) => {
      git(bare, "update-ref", "refs/heads/main", git(bare, "commit-tree", "-m", "odd", tree).trim());
    },
    commit: git(work, "rev-parse", "HEAD").trim(),
    url: `${server.origin}/delta/weir`,
    clones: () => listClones(join(cli.home, "clones")),
    fetch: (url: string, ...args: string[]) => cli.run(["fetch", url, "--clone", ...allow, ...args]),
    fetchJson: async (url: string, ...args: string[]) =>
      (await cli.json("fetch", url, "--clone", ...allow, ...args))[0],
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Bytes of all files below a folder, as far as they are there at this moment. */
function sumFiles(folder: string): number {
  const sizes = listNames(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** None while a folder is being deleted: the walk fails if one vanishes. */
function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

/** The folders of all owners' clones. */
function listClones(home: string): string[] {
  if (!existsSync(home)) return [];
  return readdirSync(home, { withFileTypes: true }).flatMap(({ name }) =>
    readdirSync(join(home, name), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(home, name, entry.name)] : [],
    ),
  );
}

describe("a cloned repository", () => {
  test("is answered with its tree, its README and how to search it, and is searchable", async () => {
    await using setup = await openServer();
    const { out, status } = await setup.fetch(setup.url);
    assert.equal(status, 0, out);
    const [path = ""] = setup.clones();
    assert.ok(out.includes(`- commit: ${setup.commit}\n`), out);
    assert.match(out, /- \/: README\.md, src\/\n- src\/: gate\.ts\n\n# Weir\n\nRaise the gate first\./);
    assert.ok(out.includes(`Cloned into ${path}: search_code`), out);
    const found = await setup.cli.run(["search", "raise gate", "--dir", path]);
    assert.match(found.out, /src\/gate\.ts/);
    assert.ok(!existsSync(join(path, ".git")), "nothing of git is left");
  });

  test("can be one of a branch with slashes or of a full commit hash", async () => {
    await using setup = await openServer();
    for (const place of ["tree/feature/gates/src", `tree/${setup.commit}`]) {
      const url = `${setup.url}/${place}`;
      const fields = await setup.fetchJson(url, "--set", `sites.addresses=github=${setup.server.origin}`);
      assert.ok(fields.content?.includes(setup.commit), JSON.stringify(fields));
    }
    const { err, out } = await setup.fetch(
      `${setup.url}/tree/nowhere`,
      "--set",
      `sites.addresses=github=${setup.server.origin}`,
    );
    assert.match(err + out, /no branch, tag or commit nowhere/);
    assert.equal(setup.clones().length, 2, "the one that failed left nothing");
  });

  test("is made once by two callers at once, and again when asked", async () => {
    await using setup = await openServer();
    const both = await Promise.all([setup.fetchJson(setup.url), setup.fetchJson(setup.url)]);
    assert.equal(new Set(both.map(({ artifact_ref }) => artifact_ref)).size, 1);
    const packs = () => setup.server.requests.filter(({ url }) => url.endsWith("/git-upload-pack")).length;
    const once = packs();
    await setup.fetchJson(setup.url);
    assert.equal(packs(), once, "a third one finds it");
    await setup.fetchJson(setup.url, "--no-cache");
    assert.equal(packs(), 2 * once);
  });

  test("has no links, no hooks, no submodules and no files over the limit", async () => {
    await using setup = await openServer(async (work) => {
      await symlink("/etc/passwd", join(work, "passwd"));
      await writeFile(join(work, "big.bin"), Buffer.alloc(6 * 1024 * 1024, "x"));
      await writeFile(join(work, ".gitattributes"), "*.ts filter=evil\n");
      await mkdir(join(work, "hooks"));
      await writeFile(join(work, "hooks", "post-checkout"), "#!/bin/sh\ntouch hooked\n");
      await chmod(join(work, "hooks", "post-checkout"), 0o755);
    });
    const { content } = await setup.fetchJson(setup.url);
    assert.match(content, /- left out because of their size: big\.bin\n/);
    const [path = ""] = setup.clones();
    assert.equal(await readFile(join(path, "passwd"), "utf8"), "/etc/passwd");
    assert.ok(!existsSync(join(path, "big.bin")) && !existsSync(join(path, "hooked")));
  });

  test("that is larger than allowed is stopped, and leaves nothing", async () => {
    await using setup = await openServer(async (work) => {
      for (let each = 0; each < 4; each++) await writeFile(join(work, `${each}.bin`), randomBytes(2 * 1024 * 1024));
    });
    const { err, out, status } = await setup.fetch(setup.url, "--set", "sites.clone_bytes=4MiB");
    assert.equal(status, 1);
    assert.match(
      err + out,
      /The repository is larger than 4\.2 MB \(sites\.clone_bytes\)\.\s+Fetch the address without/,
    );
    assert.deepEqual(setup.clones(), []);
  });

  test("never takes more of the disk than allowed while it is fetched, and the server is cut off", async () => {
    await using setup = await openServer(async (work) => {
      for (let each = 0; each < 10; each++) await writeFile(join(work, `${each}.bin`), randomBytes(3 * 1024 * 1024));
    });
    // Otherwise the server spends its time comparing files that have nothing in common.
    git(setup.bare, "config", "core.bigFileThreshold", "1m");
    const home = join(setup.cli.home, "clones");
    let peakBytes = 0;
    const sampler = setInterval(() => {
      peakBytes = Math.max(peakBytes, sumFiles(home));
    }, 5);
    const { err, out } = await setup.fetch(setup.url, "--set", "sites.clone_bytes=8MiB");
    clearInterval(sampler);
    assert.match(err + out, /larger than 8\.4 MB/);
    assert.ok(peakBytes < 9 * 1024 * 1024, `${peakBytes} bytes on the disk`);
    assert.ok(setup.server.sentBytes() < 24 * 1024 * 1024, `${setup.server.sentBytes()} bytes sent`);
    assert.deepEqual(setup.clones(), []);
  });

  test("of 2 GB that were sent as a few kilobytes is refused before a file is written", async () => {
    await using setup = await openServer();
    const blob = gitWithInput(setup.bare, Buffer.alloc(4 * 1024 * 1024), "hash-object", "-w", "--stdin");
    const entries = Array.from({ length: 512 }, (_, index) => `100644 blob ${blob}\t${index}.bin\0`).sort();
    setup.commitTree(gitWithInput(setup.bare, entries.join(""), "mktree", "-z"));
    const home = join(setup.cli.home, "clones");
    let peakBytes = 0;
    const sampler = setInterval(() => {
      peakBytes = Math.max(peakBytes, sumFiles(home));
    }, 5);
    const { err, out } = await setup.fetch(setup.url);
    clearInterval(sampler);
    assert.match(err + out, /The repository is larger than 367 MB \(sites\.clone_bytes\)/);
    assert.ok(peakBytes < 1024 * 1024, `${peakBytes} bytes on the disk`);
    assert.deepEqual(setup.clones(), []);
  });

  test("that is aborted leaves nothing, and the next caller gets its own", async () => {
    await using setup = await openServer();
    const settings = { ...defaultSettings, home: setup.cli.home, "network.allow": [setup.server.allow] };
    await using session = await openSession({ settings });
    const stop = new AbortController();
    const aborted = fetchSource(setup.url, { forceClone: true }, { ...session, signal: stop.signal });
    const other = fetchSource(setup.url, { forceClone: true }, session);
    stop.abort(new Error("changed my mind"));
    await assert.rejects(aborted, /changed my mind/);
    assert.match((await other).content ?? "", /Raise the gate first/);
    assert.equal(setup.clones().length, 1);
  });

  test("that is aborted while the server is silent leaves nothing", async () => {
    const stop = new AbortController();
    await using server = await startServer(() => stop.abort(new Error("changed my mind")));
    await using cli = await openCli();
    const settings = { ...defaultSettings, home: cli.home, "network.allow": [server.allow] };
    await using session = await openSession({ settings });
    const cloning = fetchSource(
      `${server.origin}/delta/weir`,
      { forceClone: true },
      { ...session, signal: stop.signal },
    );
    await assert.rejects(cloning, /changed my mind/);
    assert.deepEqual(listClones(join(cli.home, "clones")), []);
  });

  test("is found by an agent's search through MCP", async () => {
    await using setup = await openServer();
    await setup.fetchJson(setup.url);
    const [path] = setup.clones();
    await using mcp = await openMcp();
    const client = await mcp.client("2025-11-25", { env: { SPILLWAY_HOME: setup.cli.home } });
    const reply = await client.callTool({ name: "search_code", arguments: { query: "raise gate", repo_path: path } });
    assert.match(JSON.stringify(reply.content), /src\/gate\.ts/);
    const file = await client.callTool({
      name: "fetch_content",
      arguments: { url: join(path ?? "", "src", "gate.ts") },
    });
    assert.match(JSON.stringify(file.content), /level \+ 1/);
  });

  test("stays behind the guard, and what git dials too", async () => {
    await using setup = await openServer();
    const { err, out, status } = await setup.cli.run(["fetch", setup.url, "--clone"]);
    assert.equal(status, 1);
    assert.match(err + out, /not allowed|private|loopback|refused/i);
    assert.deepEqual([setup.server.requests.length, setup.clones().length], [0, 0]);
  });

  test("that redirects gets no token, and its target neither", async () => {
    await using other = await startServer((_, response) => void response.writeHead(404).end());
    await using first = await startServer(({ url }, response) => {
      response.writeHead(302, { location: `${other.origin}${url}` }).end();
    });
    await using cli = await openCli();
    const set = [
      "--set",
      `network.allow=${first.allow},${other.allow}`,
      "--set",
      `sites.addresses=github=${first.origin}`,
    ];
    const { err, out } = await cli.run(["fetch", `${first.origin}/delta/weir`, "--clone", ...set], {
      env: { GITHUB_TOKEN: "s3cret-token" },
    });
    assert.ok(first.requests.length > 0 && first.requests[0]?.headers.authorization?.startsWith("Basic "));
    assert.deepEqual(other.requests, []);
    assert.match(err + out, /could not be cloned: it redirects/);
  });

  test("that fails says why and leaves nothing", async () => {
    await using setup = await openServer();
    const { err, out, status } = await setup.fetch(`${setup.server.origin}/delta/missing`);
    assert.equal(status, 1);
    assert.match(err + out, /could not be cloned: there is no such repository, or it is private\.\s+Check the address/);
    assert.deepEqual(setup.clones(), []);
    const file = await setup.fetch("a.txt");
    assert.match(file.err + file.out, /Only a repository at an http or https address can be cloned/);
  });

  test("leaves out the names that cannot be written, and says so", async () => {
    await using setup = await openServer();
    const blob = gitWithInput(setup.bare, "Kept.\n", "hash-object", "-w", "--stdin");
    const entries = ["kept.txt", "long-".repeat(60), "caf\xe9.txt"].map((name) => `100644 blob ${blob}\t${name}\0`);
    const tree = gitWithInput(setup.bare, Buffer.from(entries.sort().join(""), "latin1"), "mktree", "-z");
    setup.commitTree(tree);
    const { content } = await setup.fetchJson(setup.url);
    assert.match(content, /- files: 1 file, 6 B\n- left out because of their names: caf\ufffd\.txt, long-long-/);
    const [path = ""] = setup.clones();
    assert.equal(await readFile(join(path, "kept.txt"), "utf8"), "Kept.\n");
  });

  test("with more files than can be listed is refused, and leaves nothing", async () => {
    await using setup = await openServer();
    const blob = gitWithInput(setup.bare, "", "hash-object", "-w", "--stdin");
    const list = (count: number, entry: (name: string) => string) =>
      Array.from({ length: count }, (_, index) => entry(String(index).padStart(200, "0"))).join("");
    const folder = gitWithInput(
      setup.bare,
      list(1_000, (name) => `100644 blob ${blob}\t${name}\0`),
      "mktree",
      "-z",
    );
    const tree = gitWithInput(
      setup.bare,
      list(200, (name) => `040000 tree ${folder}\t${name}\0`),
      "mktree",
      "-z",
    );
    setup.commitTree(tree);
    const { err, out, status } = await setup.fetch(setup.url);
    assert.equal(status, 1);
    assert.match(
      err + out,
      /The repository has more files than can be listed\.\s+Fetch the address without forceClone/,
    );
    assert.deepEqual(setup.clones(), []);
  });

  test("can be one of a pull request, a release or a comparison", async () => {
    await using setup = await openServer();
    git(setup.bare, "update-ref", "refs/pull/12/head", setup.commit);
    git(setup.bare, "update-ref", "refs/tags/v2", setup.commit);
    const site = ["--set", `sites.addresses=github=${setup.server.origin}`];
    const refs = { "pull/12/files": "refs/pull/12/head", "releases/tag/v2": "refs/tags/v2", "compare/v1...v2": "v2" };
    for (const [page, ref] of Object.entries(refs)) {
      const { content } = await setup.fetchJson(`${setup.url}/${page}`, ...site);
      assert.ok(content.includes(`- ref: ${ref}\n`), content);
    }
  });

  test("may be at an address without .git, which is asked for once", async () => {
    await using setup = await openServer(undefined, "weir");
    for (let each = 0; each < 2; each++) assert.match((await setup.fetchJson(setup.url)).content, /Raise the gate/);
    const lists = setup.server.requests.filter(({ url }) => url.includes("/info/refs"));
    assert.deepEqual(
      lists.map(({ url }) => url),
      ["/delta/weir/info/refs?service=git-upload-pack"],
    );
    await using other = await openServer();
    for (let each = 0; each < 2; each++) await other.fetchJson(other.url);
    assert.equal(other.server.requests.filter(({ url }) => url.includes("/info/refs")).length, 2, "both, once each");
  });

  test("expires like artifacts do; leftovers of killed processes and old locks go too", async () => {
    await using folder = await makeTemporaryFolder();
    const day = 24 * 60 * 60 * 1_000;
    const now = Date.now();
    const make = async (name: string, ageMs: number) => {
      await mkdir(join(folder.path, name));
      await utimes(join(folder.path, name), (now - ageMs) / 1_000, (now - ageMs) / 1_000);
    };
    await make("young-1", day);
    await make("old-1", 10 * day);
    await make("half-1.0123abcd.tmp", 60_000);
    lockClone(join(folder.path, "gone-1"), now - 10 * day)?.[Symbol.dispose]();
    assert.equal(await sweepClones(folder.path, 7 * day, now), 3);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => !/^(old|half)-1\.lock$/.test(name)),
      ["young-1"],
    );
  });

  test("is not swept while another caller holds it", async () => {
    await using folder = await makeTemporaryFolder();
    const day = 24 * 60 * 60 * 1_000;
    const now = Date.now();
    for (const name of ["old-1", "old-1.0123abcd.tmp"]) await mkdir(join(folder.path, name));
    const later = now + 10 * day;
    {
      using lock = lockClone(join(folder.path, "old-1"), now);
      assert.ok(lock);
      assert.equal(await sweepClones(folder.path, 7 * day, later), 0);
      assert.deepEqual(readdirSync(folder.path).sort(), [
        "old-1",
        "old-1.0123abcd.tmp",
        "old-1.lock",
        "old-1.lock-journal",
      ]);
    }
    assert.equal(await sweepClones(folder.path, 7 * day, later), 2);
    assert.deepEqual(readdirSync(folder.path), ["old-1.lock"], "its lock was just taken");
  });
});
