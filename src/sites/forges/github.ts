/** GitHub: https://docs.github.com/en/rest */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import {
  type Fields,
  joinParts,
  requireLine,
  requireList,
  toDay,
  toMarkdownSource,
  toText,
  writeFacts,
  writeFence,
} from "../site-document.ts";
import { nestReplies, type Reply, type Thread, writeReplies } from "../threads/thread.ts";
import {
  type Change,
  encodePath,
  type ForgeApi,
  type ForgePage,
  findLanguage,
  formatChanges,
  readForgePage,
  readLines,
  readOptional,
  readPages,
  readTree,
  toComparison,
  writeDiff,
  writePatch,
  writeSubjects,
} from "./forge.ts";
import { loginOf, toPullFacts, toRelease, toReply, toReview, toThread } from "./github-answers.ts";

export const github: Site = {
  apiUrl: "https://api.github.com",
  token: {
    names: ["GITHUB_TOKEN", "GH_TOKEN"],
    gitUser: "x-access-token",
    makeHeader: (token) => ({ authorization: `Bearer ${token}` }),
  },

  findPage(url) {
    const names = splitPath(url);
    if (url.hostname === "gist.github.com") {
      const id = names.at(names.length === 1 ? 0 : 1) ?? "";
      return names.length < 3 && /^[\da-f]{4,}$/.test(id) ? (api) => readGist(api, id) : undefined;
    }
    const [owner, name, ...rest] = names;
    if (owner === undefined || name === undefined || reserved.has(owner)) return undefined;
    const page = toPage(rest, url.hash);
    const repository = `/repos/${encodePath(owner)}/${encodePath(name.replace(/\.git$/, ""))}`;
    return page && readForgePage(page, (api) => openGithub(api, repository));
  },
};

/** First names of addresses that are not those of users. */
const reserved: ReadonlySet<string> = new Set(
  "about apps collections contact customer-stories enterprise events explore features issues login marketplace new notifications orgs organizations pricing pulls search security sessions settings signup site sponsors stars topics trending users".split(
    " ",
  ),
);

function toPage([kind, ...rest]: readonly string[], hash: string): ForgePage | undefined {
  const [first = ""] = rest;
  switch (kind) {
    case undefined:
      return { kind: "repository" };
    case "tree":
      return { kind: "folder", place: { names: rest } };
    case "blob":
    case "raw":
      return rest.length < 2
        ? undefined
        : { kind: "file", place: { names: withoutRefs(rest) }, lines: readLines(hash) };
    case "issues":
      return /^\d+$/.test(first) ? { kind: "issue", number: first } : undefined;
    case "pull":
      return /^\d+$/.test(first) ? { kind: "pull", number: first } : undefined;
    case "commit":
      return first === "" ? undefined : { kind: "commit", ref: first };
    case "compare":
      return toComparison(rest.join("/"));
    case "releases":
      if (first === "") return { kind: "releases" };
      if (first === "latest") return { kind: "release", tag: "" };
      return first === "tag" ? { kind: "release", tag: rest.slice(1).join("/") } : undefined;
    default:
      return undefined;
  }
}

/** `refs/heads/main` is `main`. */
const withoutRefs = (names: readonly string[]): readonly string[] =>
  names[0] === "refs" && /^(heads|tags)$/.test(names[1] ?? "") ? names.slice(2) : names;

const RAW = { accept: "application/vnd.github.raw+json" };
const PER_PAGE = 100;
const MAX_PAGES = 3;

function openGithub(api: SiteApi, repository: string): ForgeApi {
  const get = async (path: string) => toFields(await api.json(`${repository}${path}`));

  const getAll = async (path: string): Promise<readonly Fields[]> => {
    const address = (page: number) => `${repository}${path}?per_page=${PER_PAGE}&page=${page}`;
    return (await readPages(api, { perPage: PER_PAGE, maxPages: MAX_PAGES, address })).rows;
  };

  return {
    async facts() {
      const facts = await get("");
      return {
        fullName: requireLine(facts.full_name),
        defaultBranch: toLine(facts.default_branch) || "HEAD",
        description: toLine(facts.description),
        sizeBytes: typeof facts.size === "number" ? facts.size * 1024 : undefined,
        more: {
          language: toLine(facts.language),
          licence: toLine(toFields(facts.license).spdx_id),
          stars: Number(facts.stargazers_count ?? 0),
          "open issues": Number(facts.open_issues_count ?? 0),
          topics: toList(facts.topics).map(toLine).join(", "),
          homepage: toLine(facts.homepage),
          "last push": toDay(facts.pushed_at),
          archived: facts.archived === true ? "yes" : undefined,
          "fork of": toLine(toFields(facts.parent).full_name),
        },
      };
    },

    async entries(ref, path) {
      const address = `/git/trees/${encodeURIComponent(path === "" ? ref : `${ref}:${path}`)}`;
      const read = async (query: string) => {
        const tree = await get(`${address}${query}`);
        const entries = requireList(tree.tree).map((entry) => ({
          path: `${path === "" ? "" : `${path}/`}${toLine(entry.path)}`,
          isFolder: entry.type === "tree",
          sizeBytes: typeof entry.size === "number" ? entry.size : undefined,
        }));
        return { entries, isCut: tree.truncated === true };
      };
      return readTree(
        () => read("?recursive=1"),
        () => read(""),
      );
    },

    text: (ref, path) => api.text(`${repository}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`, RAW),

    file: (ref, path) => api.open(`${repository}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`, RAW),

    async refs(prefix) {
      const lists = await Promise.all(
        ["heads", "tags"].map((kind) => api.json(`${repository}/git/matching-refs/${kind}/${encodePath(prefix)}`)),
      );
      return lists.flatMap((list) => toList(list).map((ref) => toLine(toFields(ref).ref).replace(/^refs\/\w+\//, "")));
    },

    async thread(kind, number) {
      const issue = await get(`/issues/${number}`);
      const comments = await getAll(`/issues/${number}/comments`);
      const isPull = kind === "pull" || issue.pull_request !== undefined;
      const replies = comments.map(toReply);
      const thread = toThread(issue, replies);
      return isPull ? addPull(thread, await readPull(number)) : thread;
    },

    commit: async (ref) => toCommit(await get(`/commits/${encodePath(ref)}`)),

    async compare(base, head) {
      const range = await get(`/compare/${encodePath(base)}...${encodePath(head)}`);
      const commits = requireList(range.commits);
      const subjects = commits.map(({ sha, commit }) => ({ hash: sha, message: toFields(commit).message }));
      return {
        title: `${base}...${head}`,
        facts: { commits: Number(range.total_commits ?? commits.length), status: toLine(range.status) },
        message: writeSubjects(subjects),
        ...toDiff(range.files),
      };
    },

    releases: async () =>
      toList(await api.json(`${repository}/releases?per_page=10`))
        .map(toFields)
        .map(toRelease),

    release: async (tag) => toRelease(await get(tag === "" ? "/releases/latest" : `/releases/tags/${encodePath(tag)}`)),
  };

  async function readPull(number: string) {
    const [pull, reviews, notes] = await Promise.all([
      get(`/pulls/${number}`),
      getAll(`/pulls/${number}/reviews`),
      getAll(`/pulls/${number}/comments`),
    ]);
    const diff = await readOptional(() =>
      api.text(`${repository}/pulls/${number}`, { accept: "application/vnd.github.diff" }),
    );
    return { pull, reviews, notes, diff };
  }

  type Pull = Awaited<ReturnType<typeof readPull>>;

  function addPull(thread: Thread, { pull, reviews, notes, diff }: Pull): Thread {
    return {
      ...thread,
      facts: { ...thread.facts, ...toPullFacts(pull) },
      extra: writeDiff(diff),
      replies: [...thread.replies, ...reviews.flatMap(toReview), ...toReviewThreads(notes)],
    };
  }
}

/** Notes on lines of the diff, each with the replies to it. */
function toReviewThreads(notes: readonly Fields[]): Reply[] {
  return nestReplies(
    notes.map((note) => {
      const { id, in_reply_to_id: parent } = note;
      const line = note.line ?? note.original_line;
      const place = `${toLine(note.path)}${typeof line === "number" ? `:${line}` : ""}`;
      const about = [parent === undefined ? place : "", toDay(note.created_at)];
      return { id, parent, reply: { ...toReply(note), about } };
    }),
  );
}

function toCommit(commit: Fields): Change {
  const about = toFields(commit.commit);
  const author = toFields(about.author);
  const [subject = "", ...rest] = toText(about.message).split("\n");
  const stats = toFields(commit.stats);
  return {
    title: subject,
    facts: {
      commit: requireLine(commit.sha),
      author: toLine(author.name),
      date: toDay(author.date),
      changes: formatChanges({ ...stats, changed_files: toList(commit.files).length }),
    },
    message: rest.join("\n"),
    ...toDiff(commit.files),
  };
}

/** The patches that the API includes; of very large and of binary files it includes none. */
function toDiff(files: unknown): Pick<Change, "diff" | "isCut"> {
  const patches = toList(files)
    .map(toFields)
    .map((file) => {
      const name = toLine(file.filename);
      const before = toLine(file.previous_filename) || name;
      if (typeof file.patch === "string") return writePatch(before, name, file.patch);
      return `--- a/${before}\n+++ b/${name}\n(${toLine(file.status)}, no text diff)`;
    });
  return { diff: patches.join("\n"), isCut: patches.length >= 300 };
}

async function readGist(api: SiteApi, id: string) {
  const gist = toFields(await api.json(`/gists/${encodeURIComponent(id)}`));
  const files = Object.values(toFields(gist.files)).map(toFields);
  if (files.length === 0) throw new TypeError("A gist without files.");
  const parts = await Promise.all(
    files.map(async (file) => {
      const isCut = file.truncated === true && typeof file.raw_url === "string";
      const text = isCut ? (await api.text(String(file.raw_url))).text : toText(file.content);
      const name = toLine(file.filename);
      return `## ${name}\n\n${writeFence(text, findLanguage(name))}`;
    }),
  );
  const comments =
    Number(gist.comments ?? 0) > 0 ? requireList(await api.json(`/gists/${id}/comments?per_page=100`)) : [];
  const title = toLine(gist.description) || `Gist ${id}`;
  const facts = writeFacts({ author: loginOf(gist.owner), updated: toDay(gist.updated_at) });
  const replies = writeReplies("Comments", comments.map(toReply));
  return toMarkdownSource(`gist ${id}`, joinParts(`# ${title}`, facts, ...parts, replies));
}
