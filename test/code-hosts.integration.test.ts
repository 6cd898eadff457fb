/** Pages of GitLab, Gitea and Bitbucket, read through a local server that answers in the form of their API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answers, openSite } from "./site-server.ts";

const when = "2026-03-04T05:06:07Z";
const patch = "@@ -1 +1 @@\n-dry\n+oiled\n";
const diff = `--- a/gate.ts\n+++ b/gate.ts\n${patch}`;
const source = "one\ntwo\nthree\n";
/** A listing that is full, so that there may be more. */
const deep = (type: string) => Array.from({ length: 100 }, (_, index) => ({ path: `a/part${index}.ts`, type }));
const paged = (address: string, type: string) =>
  Object.fromEntries([1, 2, 3].map((page) => [`${address}&per_page=100&page=${page}`, deep(type)]));

/** What every host says about the same repository: the address after the repository's, and what its text has. */
type Pages = Readonly<Record<string, RegExp>>;

async function readPages(site: string, base: string, answers: Answers, pages: Pages): Promise<void> {
  await using server = await openSite(site, answers);
  for (const [page, expected] of Object.entries(pages)) {
    const { content, text } = await server.fetch(`${base}${page}`);
    assert.match(content, expected, `${page}: ${text}`);
    assert.doesNotMatch(content, /undefined|NaN|\[object/, page);
  }
}

const project = "/projects/delta%2Fwater%2Fweir";
const [ada, bo] = [{ username: "ada" }, { username: "bo" }];

const gitlab: Answers = {
  [`${project}?license=true`]: {
    path_with_namespace: "delta/water/weir",
    default_branch: "main",
    description: "Opens weirs.",
    star_count: 3,
  },
  [`${project}/repository/tree?ref=main&path=&recursive=true&per_page=100&page=1`]: [
    { path: "README.md", type: "blob" },
  ],
  [`${project}/repository/tree?ref=feature%2Fgates&path=src&recursive=true&per_page=100&page=1`]: [
    { path: "src/gate.ts", type: "blob" },
  ],
  ...paged(`${project}/repository/tree?ref=wide&path=&recursive=true`, "blob"),
  [`${project}/repository/tree?ref=wide&path=&recursive=false&per_page=100&page=1`]: [
    { path: "a", type: "tree" },
    { path: "z.ts", type: "blob" },
  ],
  [`${project}/repository/branches?search=%5Efeature&per_page=100&page=1`]: [{ name: "feature/gates" }],
  [`${project}/repository/tags?search=%5Efeature&per_page=100&page=1`]: [],
  [`${project}/repository/files/README.md/raw?ref=main`]: "Raise the gate first.",
  [`${project}/repository/files/src%2Fgate.ts/raw?ref=feature%2Fgates`]: source,
  [`${project}/issues/4`]: { iid: 4, title: "It sticks", state: "opened", author: ada, description: "Down." },
  [`${project}/issues/4/discussions?per_page=100&page=1`]: [
    {
      notes: [
        { author: bo, body: "Oil it.", created_at: when },
        { author: ada, body: "Linseed?", created_at: when },
      ],
    },
    { notes: [{ author: { username: "bot" }, body: "changed the label", system: true }] },
  ],
  [`${project}/merge_requests/5`]: {
    iid: 5,
    title: "Oil it",
    state: "merged",
    author: ada,
    source_branch: "oil",
    target_branch: "main",
  },
  [`${project}/merge_requests/5/discussions?per_page=100&page=1`]: [
    { notes: [{ author: bo, body: "Why?", created_at: when, position: { new_path: "gate.ts", new_line: 1 } }] },
  ],
  [`${project}/merge_requests/5/diffs?unidiff=true&per_page=100&page=1`]: [
    { old_path: "gate.ts", new_path: "gate.ts", diff: patch },
  ],
  [`${project}/repository/commits/abc`]: {
    id: "abc",
    title: "Oil it",
    message: "Oil it\n\nIt was dry.\n",
    author_name: "Ada",
    authored_date: when,
    stats: { additions: 1, deletions: 1 },
  },
  [`${project}/repository/commits/abc/diff?unidiff=true&per_page=100&page=1`]: [
    { old_path: "gate.ts", new_path: "gate.ts", diff: patch },
  ],
  [`${project}/repository/compare?from=v1&to=v2`]: {
    commits: [{ id: "abc123def456789", title: "Oil it" }],
    diffs: [{ old_path: "gate.ts", new_path: "gate.ts", diff: patch }],
  },
  [`${project}/releases?per_page=10`]: [{ name: "Two", tag_name: "v2", released_at: when, description: "Oiled." }],
  [`${project}/releases/v2`]: { name: "Two", tag_name: "v2", released_at: when, description: "Oiled." },
};

const repository = "/repos/delta/weir";
const user = { login: "ada" };

const gitea: Answers = {
  [repository]: { full_name: "delta/weir", default_branch: "main", size: 10, stars_count: 2 },
  [`${repository}/git/trees/main?recursive=true&per_page=1000`]: { tree: [{ path: "LICENSE", type: "blob", size: 5 }] },
  [`${repository}/git/trees/wide?recursive=true&per_page=1000`]: { tree: deep("blob"), truncated: true },
  [`${repository}/contents/?ref=wide`]: [
    { path: "a", type: "dir" },
    { path: "z.ts", type: "file", size: 9 },
  ],
  [`${repository}/raw/LICENSE?ref=main`]: "Take it.",
  [`${repository}/raw/src/gate.ts?ref=feature%2Fgates`]: source,
  [`${repository}/branches?limit=50&page=1`]: [{ name: "main" }, { name: "feature/gates" }],
  [`${repository}/tags?limit=50&page=1`]: [],
  [`${repository}/issues/1`]: { number: 1, title: "It sticks", state: "open", user, created_at: when, body: "Down." },
  [`${repository}/issues/1/comments?limit=50&page=1`]: [{ user: { login: "bo" }, created_at: when, body: "Oil it." }],
  [`${repository}/issues/2`]: { number: 2, title: "Oil", state: "closed", user, pull_request: { merged: true } },
  [`${repository}/issues/2/comments?limit=50&page=1`]: [{ user, created_at: when, body: "Good." }],
  [`${repository}/pulls/2`]: {
    merged: true,
    head: { label: "oil" },
    base: { ref: "main" },
    changed_files: 1,
    additions: 1,
    deletions: 1,
  },
  [`${repository}/pulls/2.diff`]: diff,
  [`${repository}/pulls/2/reviews?limit=50&page=1`]: [
    { id: 7, user, state: "APPROVED", body: "Fine.", submitted_at: when, comments_count: 2 },
  ],
  [`${repository}/pulls/2/reviews/7/comments`]: [
    { user, path: "gate.ts", position: 1, body: "Why?", created_at: when },
    { user: { login: "bo" }, path: "gate.ts", position: 1, body: "Dry.", created_at: when },
  ],
  [`${repository}/git/commits/abc`]: {
    sha: "abc",
    commit: { message: "Oil it\n\nIt was dry.\n", author: { name: "Ada", date: when } },
  },
  [`${repository}/git/commits/abc.diff`]: diff,
  [`${repository}/compare/v1...v2`]: { total_commits: 1, commits: [{ sha: "abc", commit: { message: "Oil it" } }] },
  [`${repository}/releases?limit=10`]: [{ name: "Two", tag_name: "v2", published_at: when, body: "Oiled." }],
  [`${repository}/releases/tags/v2`]: { name: "Two", tag_name: "v2", published_at: when, body: "Oiled." },
};

const bucket = "/repositories/delta/weir";
const bucketTag = { name: "v2", message: "Oiled.", target: { hash: "abc", date: when, message: "Oil it" } };

const bitbucket: Answers = {
  [bucket]: { full_name: "delta/weir", mainbranch: { name: "main" }, size: 5_000_000 },
  [`${bucket}/src/main/?pagelen=100&max_depth=3`]: { values: [{ path: "gate.ts", type: "commit_file" }] },
  [`${bucket}/src/wide/?pagelen=100&max_depth=3`]: 555,
  [`${bucket}/src/wide/?pagelen=100`]: { values: [{ path: "z.ts", type: "commit_file" }] },
  [`${bucket}/src/main/gate.ts`]: source,
  [`${bucket}/src/abc/src/gate.ts`]: source,
  [`${bucket}/refs?q=name%20~%20%22main%22&pagelen=100`]: { values: [{ name: "main" }] },
  [`${bucket}/refs?q=name%20~%20%22feature%22&pagelen=100`]: { values: [{ name: "feature/gates" }] },
  [`${bucket}/refs?q=name%20%3D%20%22feature%2Fgates%22&pagelen=1`]: { values: [{ target: { hash: "abc" } }] },
  [`${bucket}/issues/4`]: {
    id: 4,
    title: "It sticks",
    state: "new",
    reporter: { display_name: "Ada" },
    created_on: when,
  },
  [`${bucket}/issues/4/comments?pagelen=100`]: {
    values: [{ id: 1, user: { display_name: "Bo" }, content: { raw: "Oil it." } }],
  },
  [`${bucket}/pullrequests/5`]: {
    id: 5,
    title: "Oil it",
    state: "MERGED",
    author: { display_name: "Ada" },
    source: { branch: { name: "oil" } },
    destination: { branch: { name: "main" } },
  },
  [`${bucket}/pullrequests/5/diff`]: diff,
  [`${bucket}/pullrequests/5/comments?pagelen=100`]: {
    values: [
      { id: 1, user: { display_name: "Bo" }, content: { raw: "Why?" }, inline: { path: "gate.ts", to: 1 } },
      { id: 2, parent: { id: 1 }, user: { display_name: "Ada" }, content: { raw: "Dry." } },
    ],
  },
  [`${bucket}/commit/abc`]: { hash: "abc", message: "Oil it\n\nIt was dry.\n", author: { raw: "Ada" }, date: when },
  [`${bucket}/diff/abc`]: diff,
  [`${bucket}/commits?include=v2&exclude=v1&pagelen=50`]: { values: [{ hash: "abc123", message: "Oil it\n" }] },
  [`${bucket}/diff/v2..v1`]: diff,
  [`${bucket}/refs/tags?sort=-target.date&pagelen=10`]: { values: [bucketTag] },
  [`${bucket}/refs/tags/v2`]: bucketTag,
};

const change =
  /^# Oil it\n\n- commit: abc\n- author: Ada\n- date: 2026-03-04\n[\s\S]*It was dry\.\n\n```diff\n--- a\/gate\.ts\n\+\+\+ b\/gate\.ts\n@@ -1 \+1 @@\n-dry\n\+oiled\n```\n$/;
const comparison = /^# v1\.\.\.v2\n\n- commits: 1\n\n- abc\w* Oil it\n\n```diff\n[\s\S]*-dry\n\+oiled\n```\n$/;
const lines = /^# src\/gate\.ts, lines 2-3 of 3\n\n```ts\ntwo\nthree\n```\n$/;
const wide = /- \/: (a\/, )?z\.ts\n[\s\S]*- and more, deeper in the tree; fetch the address of a folder to list it\n$/;

describe("every kind of page", () => {
  test("GitLab", () =>
    readPages("gitlab", "https://gitlab.com/delta/water/weir", gitlab, {
      "": /^# delta\/water\/weir\n\nOpens weirs\.\n[\s\S]*- \/: README\.md\n\nRaise the gate first\.\n$/,
      "/-/tree/feature/gates/src": /^# src at feature\/gates\n\n- src\/: gate\.ts\n$/,
      "/-/tree/wide": wide,
      "/-/blob/feature/gates/src/gate.ts#L2-3": lines,
      "/-/raw/feature/gates/src/gate.ts": /^one\ntwo\nthree\n$/,
      "/-/issues/4":
        /^# It sticks #4\n[\s\S]*Down\.[\s\S]*### bo \(2026-03-04\)\n\nOil it\.\n\n- \*\*ada \(2026-03-04\)\*\*: Linseed\?\n$/,
      "/-/merge_requests/5":
        /- branches: oil into main\n[\s\S]*-dry\n\+oiled\n```[\s\S]*### bo \(gate\.ts:1, 2026-03-04\)\n\nWhy\?\n$/,
      "/-/commit/abc": change,
      "/-/compare/v1...v2": comparison,
      "/-/releases": /## Two \(v2\)\n\n2026-03-04\n\nOiled\.\n$/,
      "/-/releases/v2": /## Two \(v2\)\n\n2026-03-04\n\nOiled\.\n$/,
    }));

  test("Codeberg, which runs Forgejo", () =>
    readPages("codeberg", "https://codeberg.org/delta/weir", gitea, {
      "": /^# delta\/weir\n[\s\S]*- stars: 2\n[\s\S]*LICENSE/,
      "/src/branch/main/LICENSE": /^Take it\.$/,
      "/src/branch/wide": wide,
      "/src/branch/feature/gates/src/gate.ts#L2-L3": lines,
      "/raw/branch/feature/gates/src/gate.ts": /^one\ntwo\nthree\n$/,
      "/issues/1": /^# It sticks #1\n[\s\S]*Down\.[\s\S]*### bo \(2026-03-04\)\n\nOil it\.\n$/,
      "/pulls/2":
        /- state: merged\n[\s\S]*- branches: oil into main\n- changes: 1 file, \+1 -1\n[\s\S]*\+oiled\n```[\s\S]*### ada \(2026-03-04\)\n\nGood\.\n\n### ada \(review: approved, 2026-03-04\)\n\nFine\.\n\n### ada \(gate\.ts:1, 2026-03-04\)\n\nWhy\?\n\n- \*\*bo \(2026-03-04\)\*\*: Dry\.\n$/,
      "/commit/abc": change,
      "/compare/v1...v2": comparison,
      "/releases": /## Two \(v2\)\n\n2026-03-04\n\nOiled\.\n$/,
      "/releases/tag/v2": /## Two \(v2\)\n\n2026-03-04\n\nOiled\.\n$/,
    }));

  test("Bitbucket", () =>
    readPages("bitbucket", "https://bitbucket.org/delta/weir", bitbucket, {
      "": /- size: 5\.0 MB\n[\s\S]*gate\.ts/,
      "/src/wide": wide,
      "/src/feature/gates/src/gate.ts#lines-2:3": lines,
      "/raw/main/gate.ts": /^one\ntwo\nthree\n$/,
      "/issues/4/it-sticks": /^# It sticks #4\n[\s\S]*### Bo\n\nOil it\.\n$/,
      "/pull-requests/5":
        /- state: merged\n[\s\S]*\+oiled\n```[\s\S]*### Bo \(gate\.ts:1\)\n\nWhy\?\n\n- \*\*Ada\*\*: Dry\.\n$/,
      "/commits/abc": change,
      "/branches/compare/v2%0Dv1": comparison,
      "/downloads/?tab=tags": /## v2\n\n2026-03-04\n\nOiled\.\n$/,
      "/commits/tag/v2": /## v2\n\n2026-03-04\n\nOiled\.\n$/,
    }));
});
