/** Pages of code hosts, registries and forums, read through a local server that answers in the form of their API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import { systemDialler } from "../src/acquire/http/transport/guarded-connect.ts";
import { makePdfWithPages } from "./pdf.ts";
import { startServer } from "./server.ts";
import { openTools } from "./tools.ts";

type Answers = Readonly<Record<string, unknown>>;

/** A server that answers these paths, as JSON unless they are texts, and tools that take it for the API of a site. */
async function openSite(site: string, answers: Answers, allow: readonly string[] = []) {
  const server = await startServer((request, response) => {
    const accept = String(request.headers.accept ?? "");
    const path = request.url ?? "";
    const answer = answers[`${path} ${accept}`] ?? answers[path];
    if (answer === undefined) response.writeHead(404).end("nothing here");
    else if (typeof answer === "number") response.writeHead(answer).end("refused");
    else if (typeof answer === "string") response.writeHead(200, { "content-type": "text/plain" }).end(answer);
    else if (answer instanceof Uint8Array) response.writeHead(200).end(answer);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const tools = await openTools({
    "network.allow": [server.allow, ...allow],
    "network.tries": 1,
    "sites.addresses": [`${site}=${server.origin}`],
  });
  const dialled: string[] = [];
  const dialler = {
    // No name is ever looked up: pages that are not read through the API cannot be reached.
    resolve: async (host: string) => {
      dialled.push(host);
      throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    },
    dial: systemDialler.dial,
  };
  const network = openHttpClient({ settings: tools.session.settings, env: {}, dialler });
  return {
    ...tools,
    server,
    dialled,
    async fetch(url: string, env: Record<string, string> = {}) {
      const { text, fields } = await tools.call("fetch_content", { url }, { env, network });
      return { text, fields, content: String(fields.content) };
    },
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]();
      await tools[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

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
  "/repos/delta/weir/releases/tags/v2": { name: "Two", tag_name: "v2", published_at: when, body: "Oiled." },
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
    assert.match(release.content, /^## Two \(v2\)/);
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

const gitlabProject = "/projects/delta%2Fwater%2Fweir";
const gitlab: Answers = {
  [`${gitlabProject}?license=true`]: {
    path_with_namespace: "delta/water/weir",
    default_branch: "main",
    description: "Opens weirs.",
    star_count: 3,
  },
  [`${gitlabProject}/repository/tree?ref=main&path=&recursive=true&per_page=100&page=1`]: [
    { path: "README.md", type: "blob" },
  ],
  [`${gitlabProject}/repository/files/README.md/raw?ref=main`]: "Raise the gate first.",
  [`${gitlabProject}/issues/4`]: {
    iid: 4,
    title: "It sticks",
    state: "opened",
    author: { username: "ada" },
    description: "Down.",
  },
  [`${gitlabProject}/issues/4/notes?sort=asc&order_by=created_at&per_page=100&page=1`]: [
    { author: { username: "bo" }, body: "Oil it.", created_at: when },
    { author: { username: "bot" }, body: "changed the label", system: true },
  ],
  [`${gitlabProject}/merge_requests/5`]: {
    iid: 5,
    title: "Oil it",
    state: "merged",
    author: { username: "ada" },
    source_branch: "oil",
    target_branch: "main",
  },
  [`${gitlabProject}/merge_requests/5/notes?sort=asc&order_by=created_at&per_page=100&page=1`]: [],
  [`${gitlabProject}/merge_requests/5/diffs?unidiff=true&per_page=100&page=1`]: [
    { old_path: "gate.ts", new_path: "gate.ts", diff: "@@ -1 +1 @@\n-dry\n+oiled\n" },
  ],
};

describe("other code hosts", () => {
  test("GitLab: projects in groups, issues and merge requests", async () => {
    await using site = await openSite("gitlab", gitlab);
    const project = await site.fetch("https://gitlab.com/delta/water/weir");
    assert.match(project.content, /^# delta\/water\/weir\n[\s\S]*- \/: README\.md\n\nRaise the gate first\.\n$/);
    const issue = await site.fetch("https://gitlab.com/delta/water/weir/-/issues/4");
    assert.match(issue.content, /^# It sticks #4\n[\s\S]*Down\.[\s\S]*### bo \(2026-03-04\)\n\nOil it\.\n$/);
    const merge = await site.fetch("https://gitlab.com/delta/water/weir/-/merge_requests/5");
    assert.match(merge.content, /- branches: oil into main\n[\s\S]*-dry\n\+oiled\n```/);
  });

  test("Codeberg: a repository, a file without an extension, a pull request", async () => {
    await using site = await openSite("codeberg", {
      "/repos/delta/weir": { full_name: "delta/weir", default_branch: "main", size: 10 },
      "/repos/delta/weir/git/trees/main?recursive=true&per_page=1000": {
        tree: [{ path: "LICENSE", type: "blob", size: 5 }],
      },
      "/repos/delta/weir/raw/LICENSE?ref=main": "Take it.",
      "/repos/delta/weir/branches?limit=50&page=1": [{ name: "main" }],
      "/repos/delta/weir/tags?limit=50&page=1": [],
      "/repos/delta/weir/issues/2": { number: 2, title: "Oil", state: "closed", user, pull_request: { merged: true } },
      "/repos/delta/weir/issues/2/comments?limit=50&page=1": [{ user, created_at: when, body: "Good." }],
      "/repos/delta/weir/pulls/2.diff": "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-dry\n+oiled\n",
    });
    assert.match((await site.fetch("https://codeberg.org/delta/weir")).content, /^# delta\/weir\n[\s\S]*LICENSE/);
    const file = await site.fetch("https://codeberg.org/delta/weir/src/branch/main/LICENSE");
    assert.equal(file.content, "Take it.");
    const pull = await site.fetch("https://codeberg.org/delta/weir/pulls/2");
    assert.match(pull.content, /- state: merged\n[\s\S]*\+oiled\n```[\s\S]*### ada \(2026-03-04\)\n\nGood\.\n$/);
  });

  test("Bitbucket: a repository, lines of a file, a commit", async () => {
    await using site = await openSite("bitbucket", {
      "/repositories/delta/weir": { full_name: "delta/weir", mainbranch: { name: "main" }, size: 5_000_000 },
      "/repositories/delta/weir/src/main/?pagelen=100&max_depth=3": {
        values: [{ path: "gate.ts", type: "commit_file" }],
      },
      "/repositories/delta/weir/src/main/gate.ts": "one\ntwo\n",
      "/repositories/delta/weir/refs?q=name%20~%20%22main%22&pagelen=100": { values: [{ name: "main" }] },
      "/repositories/delta/weir/commit/abc": { hash: "abc", message: "Oil it\n", author: { raw: "Ada" }, date: when },
      "/repositories/delta/weir/diff/abc": "--- a/g\n+++ b/g\n-dry\n+oiled\n",
    });
    assert.match((await site.fetch("https://bitbucket.org/delta/weir")).content, /- size: 5\.0 MB\n[\s\S]*gate\.ts/);
    const lines = await site.fetch("https://bitbucket.org/delta/weir/src/main/gate.ts#lines-2");
    assert.match(lines.content, /lines 2-2 of 2\n\n```ts\ntwo\n```/);
    assert.match(
      (await site.fetch("https://bitbucket.org/delta/weir/commits/abc")).content,
      /^# Oil it\n[\s\S]*\+oiled/,
    );
  });
});

describe("package registries", () => {
  test("npm: facts, dependencies and the README", async () => {
    await using site = await openSite("npm", {
      "/@delta%2fweir": {
        "dist-tags": { latest: "2.0.0" },
        time: { "2.0.0": when },
        versions: {
          "1.0.0": {},
          "2.0.0": { description: "Opens weirs.", license: "MIT", dependencies: { gate: "^1" } },
        },
        readme: "# Weir\n\nRaise it.",
      },
    });
    const { content } = await site.fetch("https://www.npmjs.com/package/@delta/weir");
    assert.match(
      content,
      /^# @delta\/weir 2\.0\.0\n\nOpens weirs\.\n[\s\S]*- dependencies: gate \^1\n\n# Weir\n\nRaise it\.\n$/,
    );
  });

  test("PyPI and crates.io: facts and the description", async () => {
    await using python = await openSite("pypi", {
      "/pypi/weir/json": { info: { name: "weir", version: "2.0", summary: "Opens weirs.", description: "Raise it." } },
    });
    assert.match((await python.fetch("https://pypi.org/project/weir/")).content, /^# weir 2\.0\n[\s\S]*Raise it\.\n$/);
    await using rust = await openSite("crates", {
      "/api/v1/crates/weir": {
        crate: { description: "Opens weirs.", max_stable_version: "2.0.0", downloads: 9 },
        versions: [{ num: "2.0.0", license: "MIT", features: { gate: [] } }],
      },
      "/api/v1/crates/weir/2.0.0/readme": "<h1>Weir</h1><p>Raise <em>it</em>.</p>",
    });
    for (const url of ["https://crates.io/crates/weir", "https://docs.rs/crate/weir/latest"])
      assert.match(
        (await rust.fetch(url)).content,
        /^# weir 2\.0\.0\n[\s\S]*- features: gate\n[\s\S]*Raise [_*]it[_*]\.\n$/,
      );
  });

  test("arXiv: an abstract's address gives the paper, as a page or as a PDF", async () => {
    await using site = await openSite("arxiv", {
      "/html/2601.00001":
        "<!doctype html><title>Weirs</title><main><h1>Weirs</h1><p>A long study of weirs and gates.</p></main>",
      "/pdf/2601.00002v2": makePdfWithPages(["A study of gates"]),
    });
    assert.match((await site.fetch("https://arxiv.org/abs/2601.00001")).content, /A long study of weirs/);
    const paper = await site.fetch("https://arxiv.org/abs/2601.00002v2");
    assert.deepEqual([paper.fields.content_kind, paper.content], ["pdf", "A study of gates"]);
  });
});

describe("forums", () => {
  test("Hacker News: the post, then the comments as a tree", async () => {
    const deep = { author: "cy", text: "Yes.", children: [] };
    const first = {
      author: "bo",
      created_at: when,
      text: "<p>Is it <i>dry</i>?",
      children: [deep, { author: null, children: [] }],
    };
    await using site = await openSite("hackernews", {
      "/items/42": { title: "A weir", url: "https://example.com/weir", author: "ada", points: 5, children: [first] },
    });
    const { content } = await site.fetch("https://news.ycombinator.com/item?id=42");
    assert.match(content, /^# A weir\n\n- link: https:\/\/example\.com\/weir\n- points: 5\n- author: ada\n/);
    assert.match(content, /### bo \(2026-03-04\)\n\nIs it [_*]dry[_*]\?\n\n- \*\*cy\*\*: Yes\.\n$/);
  });

  test("Reddit: the post, scores once, replies with their depth, and how many are missing", async () => {
    const wrap = (...things: object[]) => ({ data: { children: things.map((data) => ({ data })) } });
    const reply = { author: "cy", body: "Yes.", score: 2, replies: "" };
    const comment = { author: "bo", body: "Is it dry?", score: 3, replies: wrap(reply, { count: 4 }) };
    await using site = await openSite("reddit", {
      "/comments/ab1.json?raw_json=1&limit=200": [
        wrap({
          title: "A weir",
          author: "ada",
          selftext: "Mine sticks.",
          score: 9,
          subreddit_name_prefixed: "r/water",
          is_self: true,
        }),
        wrap(comment),
      ],
    });
    const { content } = await site.fetch("https://old.reddit.com/r/water/comments/ab1/a_weir/");
    assert.match(
      content,
      /^# A weir\n[\s\S]*Mine sticks\.\n\n## Comments\n\n### bo \(3 points\)\n\nIs it dry\?\n\n- \*\*cy \(2 points\)\*\*: Yes\.\n/,
    );
    assert.match(content, /4 more replies are not shown here\.\n$/);
  });

  test("Stack Exchange: the question, then the answers by votes with their comments", async () => {
    const query = "site=unix&filter=withbody&pagesize=100";
    await using site = await openSite("stackexchange", {
      [`/questions/7?${query}`]: {
        items: [
          {
            title: "Why &quot;dry&quot;?",
            body: "<p>It <code>sticks</code>.</p>",
            score: 3,
            owner: { display_name: "ada" },
            answer_count: 1,
          },
        ],
      },
      [`/questions/7/answers?order=desc&sort=votes&${query}`]: {
        items: [{ answer_id: 8, body: "<p>Oil it.</p>", score: 5, is_accepted: true, owner: { display_name: "bo" } }],
      },
      [`/posts/7;8/comments?order=asc&sort=creation&${query}`]: {
        items: [{ post_id: 8, body: "Linseed?", owner: { display_name: "cy" } }],
      },
    });
    const { content } = await site.fetch("https://unix.stackexchange.com/questions/7/why-dry");
    assert.match(
      content,
      /^# Why "dry"\?\n[\s\S]*It `sticks`\.\n\n## Answers\n\n### bo \(accepted, score 5\)\n\nOil it\.\n\n- \*\*cy\*\*: Linseed\?\n$/,
    );
  });
});

describe("where the API does not help", () => {
  const page = "<!doctype html><title>A page</title><main><h1>A page</h1><p>Read as a page, in words.</p></main>";

  test("the page itself is read, and the reply says why", async () => {
    await using site = await openSite("gitlab", {
      "/delta/weir/-/issues/4": page,
      "/projects/delta%2Fweir/issues/4": 429,
      "/delta/weir/-/issues/5": page,
      "/projects/delta%2Fweir/issues/5": "{ not JSON",
      "/delta/weir/-/pipelines": page,
    });
    const limited = await site.fetch(`${site.server.origin}/delta/weir/-/issues/4`);
    assert.match(limited.content, /Read as a page/);
    assert.match(limited.text, /The API of gitlab was not used: .*429.* A token in GITLAB_TOKEN raises its limits\./);
    const malformed = await site.fetch(`${site.server.origin}/delta/weir/-/issues/5`);
    assert.match(malformed.text, /The API of gitlab was not used: its answer has another form than expected\./);
    const other = await site.fetch(`${site.server.origin}/delta/weir/-/pipelines`);
    assert.ok(other.content.includes("Read as a page") && !other.text.includes("The API of"));
  });

  test("mode raw and the setting read the page", async () => {
    await using site = await openSite("gitlab", { ...gitlab, "/delta/water/weir": page });
    const url = `${site.server.origin}/delta/water/weir`;
    const raw = await site.call("fetch_content", { url, mode: "raw" });
    assert.equal(raw.fields.content, page);
    const settings = { ...site.session.settings, "sites.api": "off" as const };
    const plain = await site.call("fetch_content", { url, noCache: true }, { settings });
    assert.match(String(plain.fields.content), /Read as a page/);
  });

  test("a redirect of the API and an API at a private address stay behind the guard", async () => {
    await using site = await openSite("github", {});
    const settings = { ...site.session.settings, "network.allow": [] };
    const network = openHttpClient({
      settings,
      env: {},
      dialler: { ...systemDialler, resolve: async () => ["10.0.0.1"], dial: refuse },
    });
    const { text, isError } = await site.call(
      "fetch_content",
      { url: "https://github.com/delta/weir" },
      { network, settings },
    );
    assert.equal(isError, true);
    assert.match(text, /private|not allowed|refused/i);
    assert.equal(site.server.requests.length, 0);
  });

  test("a bad line in the setting is named", async () => {
    await using site = await openSite("github", {});
    const settings = { ...site.session.settings, "sites.addresses": ["nowhere=ftp://x"] };
    const { text } = await site.call("fetch_content", { url: "https://github.com/delta/weir" }, { settings });
    assert.match(text, /sites\.addresses has a line that is not name=address/);
  });
});

async function refuse(): Promise<never> {
  throw new Error("nothing may be dialled");
}
