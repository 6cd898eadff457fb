/** Pages of GitHub, read through a local server that answers in the form of its API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startServer } from "./server.ts";
import { type Answers, openSite } from "./site-server.ts";

const DIFF = "application/vnd.github.diff";
const user = { login: "ada" };
const when = "2026-03-04T05:06:07Z";

const github: Answers = {
  "/repos/delta/weir": {
    full_name: "delta/weir",
    default_branch: "main",
    description: "Opens weirs.",
    size: 2048,
    language: "TypeScript",
    license: { spdx_id: "MIT" },
    stargazers_count: 7,
    topics: ["water"],
  },
  "/repos/delta/weir/git/trees/main?recursive=1": {
    tree: [
      { path: "README.md", type: "blob", size: 40 },
      { path: "src", type: "tree" },
      { path: "src/gate.ts", type: "blob", size: 2000 },
      { path: "src/big.bin", type: "blob", size: 200_000 },
      ...Array.from({ length: 300 }, (_, index) => ({ path: `src/deep/part${index}.ts`, type: "blob", size: 1 })),
    ],
    truncated: false,
  },
  "/repos/delta/weir/git/trees/feature%2Fgates%3Asrc?recursive=1": {
    tree: [{ path: "gate.ts", type: "blob", size: 2000 }],
  },
  "/repos/delta/weir/contents/README.md?ref=main": "# Weir\n\nRaise the gate first.\n",
  "/repos/delta/weir/git/matching-refs/heads/feature": [
    { ref: "refs/heads/feature/gates" },
    { ref: "refs/heads/feature/other" },
  ],
  "/repos/delta/weir/git/matching-refs/tags/feature": [],
  "/repos/delta/weir/git/matching-refs/heads/main": [{ ref: "refs/heads/main" }],
  "/repos/delta/weir/git/matching-refs/tags/main": [],
  "/repos/delta/weir/contents/src/gate.ts?ref=feature%2Fgates": "one\ntwo\nthree\nfour\nfive\n",
  "/repos/delta/weir/contents/logo.png?ref=main": Buffer.from(
    "89504e470d0a1a0a0000000d4948445200000010000000100806",
    "hex",
  ),
  "/repos/delta/weir/issues/12": {
    number: 12,
    title: "The gate sticks",
    state: "closed",
    user,
    created_at: when,
    labels: [{ name: "bug" }],
    body: "It stays *down*.",
    comments: 2,
  },
  "/repos/delta/weir/issues/12/comments?per_page=100&page=1": [
    { user, created_at: when, body: "Oil it." },
    { user: null, created_at: when, body: "That helped." },
  ],
  "/repos/delta/weir/issues/13": {
    number: 13,
    title: "Oil the gate",
    state: "open",
    user,
    created_at: when,
    body: "Fixes #12.",
    comments: 0,
    pull_request: {},
  },
  "/repos/delta/weir/issues/13/comments?per_page=100&page=1": [],
  "/repos/delta/weir/pulls/13": {
    state: "closed",
    merged: true,
    head: { label: "ada:oil" },
    base: { ref: "main" },
    changed_files: 1,
    additions: 1,
    deletions: 1,
  },
  [`/repos/delta/weir/pulls/13 ${DIFF}`]: "--- a/gate.ts\n+++ b/gate.ts\n@@ -1 +1 @@\n-dry\n+oiled\n",
  "/repos/delta/weir/pulls/13/reviews?per_page=100&page=1": [
    { user, state: "APPROVED", body: "", submitted_at: when },
    { user, state: "COMMENTED", body: "" },
  ],
  "/repos/delta/weir/pulls/13/comments?per_page=100&page=1": [
    { id: 1, user, path: "gate.ts", line: 1, body: "Which oil?", created_at: when },
    { id: 2, in_reply_to_id: 1, user: { login: "bo" }, body: "Linseed.", created_at: when },
  ],
  "/repos/delta/weir/commits/abc123": {
    sha: "abc123def",
    commit: { message: "Oil the gate\n\nIt was dry.", author: { name: "Ada", date: when } },
    stats: { additions: 1, deletions: 1 },
    files: [
      { filename: "gate.ts", status: "modified", patch: "@@ -1 +1 @@\n-dry\n+oiled" },
      { filename: "logo.png", status: "added" },
    ],
  },
  "/repos/delta/weir/compare/v1...v2": {
    status: "ahead",
    total_commits: 1,
    commits: [{ sha: "abc123def456", commit: { message: "Oil the gate" } }],
    files: [{ filename: "gate.ts", status: "modified", patch: "@@ -1 +1 @@\n-dry\n+oiled" }],
  },
  "/repos/delta/weir/releases?per_page=10": [{ name: "Two", tag_name: "v2", published_at: when, body: "Oiled." }],
  "/repos/delta/weir/releases/tags/v2": {
    name: "Two",
    tag_name: "v2",
    published_at: when,
    body: "Oiled.",
    assets: [{ name: "weir-2.tar.gz" }],
  },
};

describe("a GitHub address", () => {
  test("of a repository gives its facts, 200 entries of its tree and its README", async () => {
    await using site = await openSite("github", github);
    const { content, fields } = await site.fetch("https://github.com/delta/weir");
    assert.match(content, /^# delta\/weir\n\nOpens weirs\.\n\n- default branch: main\n- size: 2\.1 MB\n/);
    assert.match(content, /- licence: MIT\n- stars: 7\n/);
    assert.match(
      content,
      /- \/: README\.md, src\/\n- src\/: gate\.ts, big\.bin \(200 KB\)\n- src\/deep\/: part0\.ts, part1\.ts, /,
    );
    assert.match(content, /and 104 more, deeper in the tree/);
    assert.match(content, /# Weir\n\nRaise the gate first\.\n$/);
    assert.ok(fields.artifact_ref);
  });

  test("of a folder or a file on a branch with slashes finds the branch", async () => {
    await using site = await openSite("github", github);
    const folder = await site.fetch("https://github.com/delta/weir/tree/feature/gates/src");
    assert.match(folder.content, /^# src at feature\/gates\n\n- src\/: gate\.ts\n/);
    const file = await site.fetch("https://github.com/delta/weir/blob/feature/gates/src/gate.ts");
    assert.equal(file.content, "one\ntwo\nthree\nfour\nfive\n");
    assert.equal(file.fields.content_kind, "text");
  });

  test("with lines gives these lines, and says how to get the others", async () => {
    await using site = await openSite("github", github);
    const { content, text } = await site.fetch("https://github.com/delta/weir/blob/feature/gates/src/gate.ts#L2-L3");
    assert.equal(content, "# src/gate.ts, lines 2-3 of 5\n\n```ts\ntwo\nthree\n```\n");
    assert.match(text, /Only lines 2-3 of 5 are here; fetch the address without its # part for the whole file\./);
    const other = await site.fetch("https://github.com/delta/weir/blob/feature/gates/src/gate.ts#L4");
    assert.match(other.content, /four/, "another range is not taken from the cache");
  });

  test("of a binary file gives metadata", async () => {
    await using site = await openSite("github", github);
    const { fields } = await site.fetch("https://github.com/delta/weir/blob/main/logo.png");
    assert.deepEqual([fields.content_kind, fields.content], ["image", null]);
  });

  test("of an issue gives the post, then the comments with their authors", async () => {
    await using site = await openSite("github", github);
    const { content } = await site.fetch("https://github.com/delta/weir/issues/12#issuecomment-1");
    assert.equal(
      content,
      "# The gate sticks #12\n\n- state: closed\n- author: ada\n- opened: 2026-03-04\n- labels: bug\n\nIt stays *down*.\n\n## Comments\n\n### ada (2026-03-04)\n\nOil it.\n\n### ghost (2026-03-04)\n\nThat helped.\n",
    );
  });

  test("of a pull request gives the diff with + and -, reviews and the replies to notes", async () => {
    await using site = await openSite("github", github);
    const { content } = await site.fetch("https://github.com/delta/weir/pull/13/files");
    assert.match(content, /- state: merged\n/);
    assert.match(content, /```diff\n--- a\/gate\.ts\n\+\+\+ b\/gate\.ts\n@@ -1 \+1 @@\n-dry\n\+oiled\n```/);
    assert.match(content, /### ada \(review: approved, 2026-03-04\)/);
    assert.match(
      content,
      /### ada \(gate\.ts:1, 2026-03-04\)\n\nWhich oil\?\n\n- \*\*bo \(2026-03-04\)\*\*: Linseed\./,
    );
  });

  test("of a pull request with a long diff says how to reach the comments", async () => {
    const long = `--- a/gate.ts\n+++ b/gate.ts\n${"-dry\n+oiled\n".repeat(2_000)}`;
    await using site = await openSite("github", { ...github, [`/repos/delta/weir/pulls/13 ${DIFF}`]: long });
    const { text, fields } = await site.fetch("https://github.com/delta/weir/pull/13", {}, { maxChars: 2_000 });
    assert.match(text, /A long diff comes before 2 comments: read_artifact with section=Comments reads them\./);
    const read = await site.call("read_artifact", { artifact_ref: fields.artifact_ref, section: "Comments" });
    assert.match(String(read.fields.content), /^## Comments\n\n### ada \(review: approved[\s\S]*Linseed\.\n$/);
  });

  test("of a commit, a comparison and releases gives what changed", async () => {
    await using site = await openSite("github", github);
    const commit = await site.fetch("https://github.com/delta/weir/commit/abc123");
    assert.match(
      commit.content,
      /^# Oil the gate\n[\s\S]*It was dry\.[\s\S]*-dry\n\+oiled\n[\s\S]*\(added, no text diff\)/,
    );
    const range = await site.fetch("https://github.com/delta/weir/compare/v1...v2");
    assert.match(range.content, /- abc123def4 Oil the gate\n[\s\S]*\+oiled/);
    const releases = await site.fetch("https://github.com/delta/weir/releases");
    assert.match(releases.content, /## Two \(v2\)\n\n2026-03-04\n\nOiled\./);
    const release = await site.fetch("https://github.com/delta/weir/releases/tag/v2");
    assert.match(release.content, /^## Two \(v2\)[\s\S]*Oiled\.\n\nFiles:\n\n- weir-2\.tar\.gz\n$/);
  });

  test("of a page's source gives the source, not the page", async () => {
    const source = "<!doctype html><title>Weir</title><main><p>Raise it.</p></main>\n";
    await using site = await openSite("github", {
      ...github,
      "/repos/delta/weir/contents/index.html?ref=main": source,
    });
    const { content, fields } = await site.fetch("https://github.com/delta/weir/blob/main/index.html");
    assert.deepEqual([content, fields.content_kind], [source, "text"]);
  });

  test("of a tree that is cut gives the first level whole", async () => {
    const deep = Array.from({ length: 300 }, (_, index) => ({ path: `a/part${index}.ts`, type: "blob" }));
    await using site = await openSite("github", {
      ...github,
      "/repos/delta/weir/git/trees/main?recursive=1": { tree: deep, truncated: true },
      "/repos/delta/weir/git/trees/main": { tree: ["a", "b", "z"].map((path) => ({ path, type: "tree" })) },
    });
    const { content } = await site.fetch("https://github.com/delta/weir");
    assert.match(content, /- \/: a\/, b\/, z\/\n- a\/: part0\.ts, [\s\S]*- and more, deeper in the tree/);
  });

  test("of a repository without a commit says that there are no files", async () => {
    await using site = await openSite("github", { "/repos/delta/weir": github["/repos/delta/weir"] });
    const { content } = await site.fetch("https://github.com/delta/weir");
    assert.match(content, /- stars: 7\n[\s\S]*## Files\n\nThere are none\.\n$/);
  });

  test("of a gist gives its files, each in a fence with its extension", async () => {
    const files = {
      "a.ipynb": { filename: "a.ipynb", language: "Jupyter Notebook", content: "{}\n" },
      Makefile: { filename: "Makefile", language: "Makefile", content: "all:\n" },
    };
    await using site = await openSite("github", {
      "/gists/aa11": { description: "Two", owner: user, files, comments: 1 },
      "/gists/aa11/comments?per_page=100": [{ user, created_at: when, body: "Neat." }],
    });
    for (const url of ["https://gist.github.com/ada/aa11", "https://gist.github.com/aa11"])
      assert.match(
        (await site.fetch(url)).content,
        /^# Two\n\n- author: ada\n\n## a\.ipynb\n\n```ipynb\n{}\n```\n\n## Makefile\n\n```\nall:\n```\n\n## Comments\n\n### ada \(2026-03-04\)\n\nNeat\.\n$/,
      );
  });

  test("whose answer is empty is read as a page, and the reply says why", async () => {
    for (const page of ["", "/issues/1", "/commit/abc", "/compare/a...b", "/releases/tag/v1"]) {
      const paths = ["", "/issues/1", "/commits/abc", "/compare/a...b", "/releases/tags/v1"];
      const answers = Object.fromEntries(paths.map((path) => [`/repos/delta/weir${path}`, {}]));
      await using site = await openSite("github", answers);
      const { text } = await site.fetch(`https://github.com/delta/weir${page}`);
      assert.doesNotMatch(text, /undefined|# #|Found|default branch/);
      assert.ok(site.dialled.includes("github.com"), "the page itself was asked for");
    }
  });

  test("whose answer comes from another host names that host", async () => {
    await using other = await startServer((_, response) => {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(github["/repos/delta/weir/issues/12"]));
    });
    const redirect = { status: 302, location: `${other.origin}/moved` };
    await using site = await openSite("github", { ...github, "/repos/delta/weir/issues/12": redirect }, [other.allow]);
    const { text, content } = await site.fetch("https://github.com/delta/weir/issues/12", { GITHUB_TOKEN: "s3cret" });
    assert.match(content, /^# The gate sticks #12/);
    assert.ok(text.includes(`Redirected to "${other.origin}/".`), text);
    assert.equal(other.requests[0]?.headers.authorization, undefined);
  });

  test("sends the token to the API and nowhere else, and shows it nowhere", async () => {
    await using other = await startServer((_, response) => void response.writeHead(200).end("the long file"));
    const files = { "a.ts": { filename: "a.ts", truncated: true, raw_url: `${other.origin}/raw` } };
    const gist = { "/gists/aa11": { description: "A gist", owner: user, files } };
    for (const isAllowed of [true, false]) {
      await using site = await openSite("github", gist, isAllowed ? [other.allow] : []);
      const { text, fields } = await site.fetch("https://gist.github.com/ada/aa11", { GITHUB_TOKEN: "s3cret-token" });
      assert.equal(site.server.requests[0]?.headers.authorization, "Bearer s3cret-token");
      assert.equal(text.includes("the long file"), isAllowed);
      assert.equal(other.requests.length, 1, "the guard refuses an address that the answer names");
      assert.equal(other.requests[0]?.headers.authorization, undefined);
      assert.ok(!text.includes("s3cret") && !JSON.stringify(fields).includes("s3cret"));
    }
  });
});
