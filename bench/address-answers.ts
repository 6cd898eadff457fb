/** Answers of public APIs in their documented form, with all the fields that a reader does not need. The words are ours. */
import type { Answers } from "../test/site-server.ts";

/** One kind of address, and what its API answers. */
export type AddressKind = {
  readonly kind: string;
  readonly site: string;
  readonly url: string;
  readonly answers: Answers;
};

const when = "2026-03-04T05:06:07Z";
const subjects = ["The weir", "A gate", "The keeper", "Every sluice", "The river", "A flood"];
const verbs = ["holds back", "lets through", "measures", "records", "raises", "reports"];
const objects = ["the water of the upper basin", "forty barrels an hour", "the level at dawn", "a change of the gate"];

/** Prose of so many sentences; different for each seed. */
export function writeProse(sentences: number, seed = 0): string {
  const pick = (list: readonly string[], index: number) => list[index % list.length] ?? "";
  return Array.from({ length: sentences }, (_, index) => {
    const at = seed * 7 + index;
    return `${pick(subjects, at)} ${pick(verbs, at + (at >> 1))} ${pick(objects, at + (at >> 2))} in case ${at}.`;
  }).join(" ");
}

const makeCode = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, index) => `export const level${index} = readLevel("gate-${index}") * ${index + 1};`,
  ).join("\n");

const makePatch = (lines: number): string =>
  `@@ -1,${lines} +1,${lines} @@\n${Array.from({ length: lines }, (_, index) => `-const level${index} = ${index};\n+const level${index} = readLevel(${index});`).join("\n")}`;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const hash = (seed: number): string => (seed + 11).toString(16).padStart(2, "0").repeat(20);

const api = "https://api.example/repos/delta/weir";
const userLinks =
  "html followers following gists starred subscriptions organizations repos events received_events".split(" ");
const githubUser = (login: string) => ({
  login,
  id: 1_234_567,
  node_id: "MDQ6VXNlcjEyMzQ1Njc=",
  avatar_url: `https://avatars.example/u/1234567?v=4`,
  gravatar_id: "",
  url: `https://api.example/users/${login}`,
  ...Object.fromEntries(userLinks.map((name) => [`${name}_url`, `https://api.example/users/${login}/${name}`])),
  type: "User",
  user_view_type: "public",
  site_admin: false,
});
const repositoryLinks =
  "forks keys collaborators teams hooks issue_events events assignees branches tags blobs git_tags git_refs trees statuses languages stargazers contributors subscribers subscription commits git_commits comments issue_comment contents compare merges archive downloads issues pulls milestones notifications labels releases deployments".split(
    " ",
  );
const githubRepository = {
  id: 987_654_321,
  node_id: "R_kgDOOtExample",
  name: "weir",
  full_name: "delta/weir",
  private: false,
  owner: githubUser("delta"),
  html_url: "https://github.com/delta/weir",
  description: "Opens weirs.",
  fork: false,
  url: api,
  ...Object.fromEntries(repositoryLinks.map((name) => [`${name}_url`, `${api}/${name}{/sha}`])),
  created_at: when,
  updated_at: when,
  pushed_at: when,
  size: 20_480,
  stargazers_count: 812,
  language: "TypeScript",
  license: { key: "mit", name: "MIT License", spdx_id: "MIT", url: "https://api.example/licenses/mit", node_id: "x" },
  topics: ["water", "gates"],
  default_branch: "main",
  open_issues_count: 31,
};
const reactions = (url: string) => ({
  url: `${url}/reactions`,
  ...{ total_count: 1, "+1": 1, "-1": 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 },
});
const githubComment = (index: number) => ({
  url: `${api}/issues/comments/${index}`,
  html_url: `https://github.com/delta/weir/issues/12#issuecomment-${index}`,
  issue_url: `${api}/issues/12`,
  id: 3_000_000 + index,
  node_id: "IC_kwDOExample",
  user: githubUser(`keeper${index % 4}`),
  created_at: when,
  updated_at: when,
  author_association: "CONTRIBUTOR",
  body: writeProse(6, index),
  reactions: reactions(`${api}/issues/comments/${index}`),
  performed_via_github_app: null,
});
const githubIssue = (number: number) => ({
  url: `${api}/issues/${number}`,
  repository_url: api,
  labels_url: `${api}/issues/${number}/labels{/name}`,
  html_url: `https://github.com/delta/weir/issues/${number}`,
  id: 2_000_000 + number,
  node_id: "I_kwDOExample",
  number,
  title: "The gate sticks in frost",
  user: githubUser("ada"),
  labels: [{ id: 1, node_id: "x", url: `${api}/labels/bug`, name: "bug", color: "d73a4a", default: true }],
  state: "open",
  locked: false,
  assignees: [githubUser("bo")],
  comments: 12,
  created_at: when,
  updated_at: when,
  body: writeProse(12, number),
  reactions: reactions(`${api}/issues/${number}`),
  timeline_url: `${api}/issues/${number}/timeline`,
});
const githubFile = (name: string, lines: number) => ({
  sha: hash(1),
  filename: name,
  status: "modified",
  additions: lines,
  deletions: lines,
  changes: lines * 2,
  blob_url: `https://github.com/delta/weir/blob/${hash(1)}/${name}`,
  raw_url: `https://github.com/delta/weir/raw/${hash(1)}/${name}`,
  contents_url: `${api}/contents/${name}?ref=${hash(1)}`,
  patch: makePatch(lines),
});
const githubCommit = (index: number) => ({
  sha: hash(index),
  node_id: "C_kwDOExample",
  commit: {
    author: { name: "Ada", email: "ada@example.com", date: when },
    committer: { name: "Ada", email: "ada@example.com", date: when },
    message: `Read level ${index} from the gate\n\n${writeProse(2, index)}`,
    tree: { sha: hash(index), url: `${api}/git/trees/${hash(index)}` },
    url: `${api}/git/commits/${hash(index)}`,
    verification: { verified: false, reason: "unsigned", signature: null, payload: null },
  },
  url: `${api}/commits/${hash(index)}`,
  author: githubUser("ada"),
  committer: githubUser("ada"),
  parents: [{ sha: hash(index), url: `${api}/commits/${hash(index)}` }],
});
const treeEntries = times(600, (index) => ({
  path: index < 20 ? `part${index}.ts` : `src/part${index % 30}/level${index}.ts`,
  mode: "100644",
  type: "blob",
  sha: hash(index % 200),
  size: 900 + index,
  url: `${api}/git/blobs/${hash(index % 200)}`,
}));
const readme = `# Weir\n\n${times(8, (index) => `## Part ${index}\n\n${writeProse(8, index)}`).join("\n\n")}\n`;
const github = (kind: string, page: string, answers: Answers): AddressKind => ({
  kind: `GitHub ${kind}`,
  site: "github",
  url: page.startsWith("https:") ? page : `https://github.com/delta/weir${page}`,
  answers,
});
const repos = "/repos/delta/weir";
const readmeEntry = { path: "README.md", mode: "100644", type: "blob", sha: hash(2), size: 4_000, url: api };
const mainRefs = {
  [`${repos}/git/matching-refs/heads/main`]: [
    { ref: "refs/heads/main", node_id: "x", url: api, object: { sha: hash(1) } },
  ],
  [`${repos}/git/matching-refs/tags/main`]: [],
};
const releases = times(10, (index) => ({
  url: `${api}/releases/${index}`,
  assets_url: `${api}/releases/${index}/assets`,
  upload_url: `${api}/releases/${index}/assets{?name,label}`,
  id: index,
  author: githubUser("ada"),
  tag_name: `v${index}.0.0`,
  name: `Release ${index}`,
  draft: false,
  prerelease: false,
  published_at: when,
  assets: times(6, (asset) => ({
    id: asset,
    name: `weir-${asset}.tar.gz`,
    uploader: githubUser("ada"),
    size: 123_456,
    browser_download_url: `https://github.com/delta/weir/releases/download/v${index}/weir-${asset}.tar.gz`,
  })),
  body: writeProse(8, index),
}));

const githubKinds: readonly AddressKind[] = [
  github("repository", "", {
    [repos]: githubRepository,
    [`${repos}/git/trees/main?recursive=1`]: {
      sha: hash(1),
      url: api,
      tree: [readmeEntry, ...treeEntries],
      truncated: false,
    },
    [`${repos}/contents/README.md?ref=main`]: readme,
  }),
  github("folder", "/tree/main/src", {
    ...mainRefs,
    [`${repos}/git/trees/main%3Asrc?recursive=1`]: {
      sha: hash(1),
      url: api,
      tree: treeEntries.slice(0, 120),
      truncated: false,
    },
  }),
  github("file", "/blob/main/gate.ts", { ...mainRefs, [`${repos}/contents/gate.ts?ref=main`]: makeCode(300) }),
  github("lines of a file", "/blob/main/gate.ts#L10-L40", {
    ...mainRefs,
    [`${repos}/contents/gate.ts?ref=main`]: makeCode(300),
  }),
  github("issue", "/issues/12", {
    [`${repos}/issues/12`]: githubIssue(12),
    [`${repos}/issues/12/comments?per_page=100&page=1`]: times(12, githubComment),
  }),
  github("pull request", "/pull/13", {
    [`${repos}/issues/13`]: { ...githubIssue(13), pull_request: { url: `${api}/pulls/13` } },
    [`${repos}/issues/13/comments?per_page=100&page=1`]: times(12, githubComment),
    [`${repos}/pulls/13`]: {
      ...githubIssue(13),
      head: { label: "ada:oil", ref: "oil", sha: hash(1), user: githubUser("ada"), repo: githubRepository },
      base: { label: "delta:main", ref: "main", sha: hash(2), user: githubUser("delta"), repo: githubRepository },
      ...{ merged: false, additions: 60, deletions: 60, changed_files: 2 },
    },
    [`${repos}/pulls/13 application/vnd.github.diff`]: `--- a/gate.ts\n+++ b/gate.ts\n${makePatch(60)}\n`,
    [`${repos}/pulls/13/reviews?per_page=100&page=1`]: times(2, (index) => ({
      ...githubComment(index),
      state: "APPROVED",
      submitted_at: when,
    })),
    [`${repos}/pulls/13/comments?per_page=100&page=1`]: times(6, (index) => ({
      ...githubComment(index),
      path: "gate.ts",
      line: index,
      diff_hunk: makePatch(6),
    })),
  }),
  github("commit", `/commit/${hash(1)}`, {
    [`${repos}/commits/${hash(1)}`]: {
      ...githubCommit(1),
      stats: { total: 120, additions: 60, deletions: 60 },
      files: [githubFile("gate.ts", 60)],
    },
  }),
  github("comparison", "/compare/v1...v2", {
    [`${repos}/compare/v1...v2`]: {
      url: api,
      base_commit: githubCommit(1),
      merge_base_commit: githubCommit(1),
      status: "ahead",
      total_commits: 10,
      commits: times(10, githubCommit),
      files: times(4, (index) => githubFile(`gate${index}.ts`, 20)),
    },
  }),
  github("releases", "/releases", { [`${repos}/releases?per_page=10`]: releases }),
  github("gist", "https://gist.github.com/ada/aa11", {
    "/gists/aa11": {
      url: `${api}/gists/aa11`,
      id: "aa11",
      files: {
        "gate.ts": {
          filename: "gate.ts",
          type: "text/plain",
          language: "TypeScript",
          size: 9_000,
          content: makeCode(120),
        },
      },
      owner: githubUser("ada"),
      history: times(20, (index) => ({ user: githubUser("ada"), version: hash(index), committed_at: when, url: api })),
      updated_at: when,
      description: "Gates",
    },
  }),
];

const project = "/projects/delta%2Fweir";
const gitlabUser = (username: string) => ({
  ...{ id: 77, username, name: username, state: "active", locked: false },
  avatar_url: "https://secure.example/avatar/0123456789abcdef?s=80&d=identicon",
  web_url: `https://gitlab.com/${username}`,
});
const gitlabNote = (index: number) => ({
  ...{
    id: index,
    type: null,
    body: writeProse(6, index),
    author: gitlabUser("ada"),
    created_at: when,
    updated_at: when,
  },
  ...{
    system: false,
    noteable_id: 5,
    noteable_type: "MergeRequest",
    project_id: 7,
    resolvable: false,
    confidential: false,
  },
  ...{ internal: false, imported: false, imported_from: "none", noteable_iid: 5, commands_changes: {} },
});
const gitlabKinds: readonly AddressKind[] = [
  {
    kind: "GitLab project",
    site: "gitlab",
    url: "https://gitlab.com/delta/weir",
    answers: {
      [`${project}?license=true`]: {
        ...{
          id: 7,
          path_with_namespace: "delta/weir",
          default_branch: "main",
          description: "Opens weirs.",
          star_count: 9,
        },
        ...Object.fromEntries(times(60, (index) => [`setting_${index}_enabled`, index % 2 === 0])),
        _links: Object.fromEntries(
          repositoryLinks.map((name) => [name, `https://gitlab.com/api/v4/projects/7/${name}`]),
        ),
      },
      ...Object.fromEntries(
        [1, 2, 3].map((page) => [
          `${project}/repository/tree?ref=main&path=&recursive=true&per_page=100&page=${page}`,
          treeEntries
            .slice(page * 100 - 100, page * 100)
            .map(({ path, sha }) => ({ id: sha, name: path.split("/").at(-1), type: "blob", path, mode: "100644" })),
        ]),
      ),
      [`${project}/repository/tree?ref=main&path=&recursive=false&per_page=100&page=1`]: [
        { id: hash(1), name: "README.md", type: "blob", path: "README.md", mode: "100644" },
        { id: hash(1), name: "src", type: "tree", path: "src", mode: "040000" },
      ],
      [`${project}/repository/files/README.md/raw?ref=main`]: readme,
    },
  },
  {
    kind: "GitLab merge request",
    site: "gitlab",
    url: "https://gitlab.com/delta/weir/-/merge_requests/5",
    answers: {
      [`${project}/merge_requests/5`]: {
        ...{
          id: 900,
          iid: 5,
          title: "Oil the gate",
          description: writeProse(10),
          state: "opened",
          author: gitlabUser("ada"),
        },
        ...{ source_branch: "oil", target_branch: "main", created_at: when, labels: [], user_notes_count: 10 },
        ...Object.fromEntries(times(40, (index) => [`detail_${index}`, null])),
      },
      [`${project}/merge_requests/5/discussions?per_page=100&page=1`]: times(10, (index) => ({
        id: hash(index),
        individual_note: true,
        notes: [gitlabNote(index)],
      })),
      [`${project}/merge_requests/5/diffs?unidiff=true&per_page=100&page=1`]: [
        {
          old_path: "gate.ts",
          new_path: "gate.ts",
          a_mode: "100644",
          b_mode: "100644",
          new_file: false,
          diff: makePatch(60),
        },
      ],
    },
  },
];

const giteaComment = (index: number) => ({
  ...githubComment(index),
  assets: [],
  original_author: "",
  original_author_id: 0,
});
const otherKinds: readonly AddressKind[] = [
  {
    kind: "Codeberg repository",
    site: "codeberg",
    url: "https://codeberg.org/delta/weir",
    answers: {
      [repos]: { ...githubRepository, stars_count: 8 },
      [`${repos}/git/trees/main?recursive=true&per_page=1000`]: {
        sha: hash(1),
        url: api,
        tree: [readmeEntry, ...treeEntries],
        truncated: false,
      },
      [`${repos}/raw/README.md?ref=main`]: readme,
    },
  },
  {
    kind: "Codeberg pull request",
    site: "codeberg",
    url: "https://codeberg.org/delta/weir/pulls/2",
    answers: {
      [`${repos}/issues/2`]: { ...githubIssue(2), pull_request: { merged: false } },
      [`${repos}/issues/2/comments?limit=50&page=1`]: times(8, giteaComment),
      [`${repos}/pulls/2`]: {
        ...githubIssue(2),
        head: { label: "oil", repo: githubRepository },
        base: { ref: "main", repo: githubRepository },
      },
      [`${repos}/pulls/2/reviews?limit=50&page=1`]: [],
      [`${repos}/pulls/2.diff`]: `--- a/gate.ts\n+++ b/gate.ts\n${makePatch(60)}\n`,
    },
  },
  {
    kind: "Bitbucket pull request",
    site: "bitbucket",
    url: "https://bitbucket.org/delta/weir/pull-requests/5",
    answers: {
      "/repositories/delta/weir/pullrequests/5": {
        ...{
          id: 5,
          title: "Oil the gate",
          description: writeProse(10),
          state: "OPEN",
          author: { display_name: "Ada" },
          created_on: when,
        },
        ...{ source: { branch: { name: "oil" } }, destination: { branch: { name: "main" } } },
        links: Object.fromEntries(
          userLinks.map((name) => [name, { href: `https://api.example/2.0/repositories/delta/weir/${name}` }]),
        ),
      },
      "/repositories/delta/weir/pullrequests/5/comments?pagelen=100": {
        values: times(8, (index) => ({
          ...{
            id: index + 1,
            created_on: when,
            updated_on: when,
            deleted: false,
            user: { display_name: "Bo", uuid: "{0123}", links: { self: { href: "https://api.example/users/bo" } } },
          },
          content: {
            type: "rendered",
            raw: writeProse(6, index),
            markup: "markdown",
            html: `<p>${writeProse(6, index)}</p>`,
          },
        })),
      },
      "/repositories/delta/weir/pullrequests/5/diff": `--- a/gate.ts\n+++ b/gate.ts\n${makePatch(60)}\n`,
    },
  },
  {
    kind: "npm package",
    site: "npm",
    url: "https://www.npmjs.com/package/weir",
    answers: {
      "/weir": {
        _id: "weir",
        name: "weir",
        "dist-tags": { latest: "1.0.59" },
        versions: Object.fromEntries(
          times(60, (index) => [
            `1.0.${index}`,
            {
              ...{
                name: "weir",
                version: `1.0.${index}`,
                description: "Opens weirs.",
                license: "MIT",
                main: "index.js",
              },
              dependencies: Object.fromEntries(times(8, (each) => [`gate-${each}`, `^${each}.0.0`])),
              dist: {
                shasum: hash(index),
                tarball: `https://registry.example/weir/-/weir-1.0.${index}.tgz`,
                integrity: `sha512-${hash(index)}`,
                signatures: [{ keyid: hash(1), sig: hash(2) }],
              },
              maintainers: [{ name: "ada", email: "ada@example.com" }],
            },
          ]),
        ),
        time: Object.fromEntries(times(60, (index) => [`1.0.${index}`, when])),
        readme,
      },
    },
  },
  {
    kind: "PyPI project",
    site: "pypi",
    url: "https://pypi.org/project/weir/",
    answers: {
      "/pypi/weir/json": {
        info: {
          ...{ name: "weir", version: "2.0", summary: "Opens weirs.", description: readme, requires_python: ">=3.10" },
          classifiers: times(20, (index) => `Programming Language :: Python :: 3.${index}`),
          requires_dist: times(8, (index) => `gate${index}>=1`),
        },
        last_serial: 1,
        releases: Object.fromEntries(
          times(40, (index) => [
            `1.${index}`,
            times(2, () => ({
              digests: { blake2b_256: hash(1), md5: hash(2), sha256: hash(3) },
              filename: `weir-1.${index}.tar.gz`,
              url: `https://files.example/packages/${hash(index)}/weir.tar.gz`,
              upload_time: when,
            })),
          ]),
        ),
        urls: [{ upload_time_iso_8601: when }],
      },
    },
  },
  {
    kind: "crates.io crate",
    site: "crates",
    url: "https://crates.io/crates/weir",
    answers: {
      "/api/v1/crates/weir": {
        crate: { id: "weir", name: "weir", description: "Opens weirs.", max_stable_version: "2.0.0", downloads: 9 },
        versions: times(40, (index) => ({
          num: index === 0 ? "2.0.0" : `1.${index}.0`,
          license: "MIT",
          created_at: when,
          features: { gate: [] },
          checksum: hash(index),
          dl_path: `/api/v1/crates/weir/1.${index}.0/download`,
          published_by: { login: "ada", avatar: "https://avatars.example/u/1", url: "https://github.com/ada" },
          audit_actions: [],
        })),
        keywords: [],
        categories: [],
      },
      "/api/v1/crates/weir/2.0.0/readme": `<h1>Weir</h1>${times(8, (index) => `<h2>Part ${index}</h2><p>${writeProse(8, index)}</p>`).join("")}`,
    },
  },
  {
    kind: "Hacker News thread",
    site: "hackernews",
    url: "https://news.ycombinator.com/item?id=42",
    answers: {
      "/items/42": {
        ...{
          id: 42,
          created_at: when,
          created_at_i: 1,
          type: "story",
          author: "ada",
          title: "A weir",
          url: "https://example.com/weir",
          points: 80,
        },
        children: times(20, (index) => ({
          ...{
            id: index,
            created_at: when,
            created_at_i: 1,
            type: "comment",
            author: "bo",
            title: null,
            url: null,
            points: null,
            parent_id: 42,
            story_id: 42,
            options: [],
          },
          text: `<p>${writeProse(5, index)}`,
          children: [
            {
              id: 100 + index,
              created_at: when,
              type: "comment",
              author: "cy",
              text: `<p>${writeProse(3, index)}`,
              points: null,
              parent_id: index,
              story_id: 42,
              children: [],
              options: [],
            },
          ],
        })),
      },
    },
  },
];

export const addressKinds: readonly AddressKind[] = [...githubKinds, ...gitlabKinds, ...otherKinds];
