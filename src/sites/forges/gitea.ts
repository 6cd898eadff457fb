/** Gitea and Forgejo, which Codeberg runs: https://docs.gitea.com/api */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, requireLine, requireList, toDay, toText } from "../site-document.ts";
import type { Reply, Thread } from "../threads/thread.ts";
import type { TreeEntry } from "../tree.ts";
import {
  encodePath,
  type ForgeApi,
  type ForgePage,
  type Place,
  readForgePage,
  readLines,
  readOptional,
  readPages,
  readTree,
  toComparison,
  writeDiff,
  writeSubjects,
} from "./forge.ts";
import { toPullFacts, toRelease, toReply, toReview, toThread } from "./github-answers.ts";

export const codeberg: Site = makeGitea("https://codeberg.org/api/v1", ["CODEBERG_TOKEN"]);
export const gitea: Site = makeGitea("https://gitea.com/api/v1", ["GITEA_TOKEN"]);

function makeGitea(apiUrl: string, tokenNames: readonly string[]): Site {
  return {
    apiUrl,
    token: { names: tokenNames, gitUser: "oauth2", makeHeader: (token) => ({ authorization: `token ${token}` }) },
    findPage(url) {
      const [owner, name, ...rest] = splitPath(url);
      if (owner === undefined || name === undefined || reserved.test(owner)) return undefined;
      const page = toPage(rest, url.hash);
      const repository = `/repos/${encodePath(owner)}/${encodePath(name.replace(/\.git$/, ""))}`;
      return page && readForgePage(page, (api) => openGitea(api, repository));
    },
  };
}

const reserved = /^(explore|user|org|admin|api|assets|issues|pulls|notifications|login)$/;

function toPage([kind, ...rest]: readonly string[], hash: string): ForgePage | undefined {
  const [first = ""] = rest;
  switch (kind) {
    case undefined:
      return { kind: "repository" };
    case "src":
      return toPlacePage(rest, hash);
    case "raw":
      return toPlacePage(rest, "");
    case "issues":
      return /^\d+$/.test(first) ? { kind: "issue", number: first } : undefined;
    case "pulls":
      return /^\d+$/.test(first) ? { kind: "pull", number: first } : undefined;
    case "commit":
      return first === "" ? undefined : { kind: "commit", ref: first };
    case "compare":
      return toComparison(rest.join("/"));
    case "releases":
      if (first === "") return { kind: "releases" };
      return first === "tag" ? { kind: "release", tag: rest.slice(1).join("/") } : undefined;
    default:
      return undefined;
  }
}

/** A folder and a file have the same form of address; what has an extension or lines is taken for a file. */
function toPlacePage([refKind, ...names]: readonly string[], hash: string): ForgePage | undefined {
  if (refKind !== "branch" && refKind !== "tag" && refKind !== "commit") return undefined;
  const place: Place = { names, refKind };
  const lines = readLines(hash);
  const isFile = names.length > 1 && (lines !== undefined || /\.\w+$/.test(names.at(-1) ?? ""));
  return isFile ? { kind: "file", place, lines } : { kind: "folder", place };
}

const PER_PAGE = 50;
const MAX_PAGES = 6;
const MAX_COMPARED_COMMITS = 10;
const MAX_REVIEWS = 20;
const RAW = { accept: "*/*" };

function openGitea(api: SiteApi, repository: string): ForgeApi {
  const get = async (path: string) => toFields(await api.json(`${repository}${path}`));

  const getAll = async (path: string): Promise<readonly Fields[]> => {
    const address = (page: number) => `${repository}${path}?limit=${PER_PAGE}&page=${page}`;
    return (await readPages(api, { perPage: PER_PAGE, maxPages: MAX_PAGES, address })).rows;
  };

  const rawAddress = (ref: string, path: string) =>
    `${repository}/raw/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;

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
          licence: toList(facts.licenses).map(toLine).join(", "),
          stars: Number(facts.stars_count ?? 0),
          "open issues": Number(facts.open_issues_count ?? 0),
          "last update": toDay(facts.updated_at),
          archived: facts.archived === true ? "yes" : undefined,
          "fork of": toLine(toFields(facts.parent).full_name),
        },
      };
    },

    async entries(ref, path) {
      const prefix = path === "" ? "" : `${path}/`;
      const readAll = async () => {
        const tree = await get(`/git/trees/${encodeURIComponent(ref)}?recursive=true&per_page=1000`);
        const entries = requireList(tree.tree).map(toEntry);
        return { entries: entries.filter((entry) => entry.path.startsWith(prefix)), isCut: tree.truncated === true };
      };
      const readLevel = async () => {
        const list = await api.json(`${repository}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`);
        return { entries: toList(list).map(toFields).map(toEntry), isCut: false };
      };
      return readTree(readAll, readLevel);
    },

    text: (ref, path) => api.text(rawAddress(ref, path), RAW),

    file: (ref, path) => api.open(rawAddress(ref, path), RAW),

    async refs(prefix) {
      const lists = await Promise.all(["/branches", "/tags"].map(getAll));
      return lists.flat().flatMap(({ name }) => (toLine(name).startsWith(prefix) ? [toLine(name)] : []));
    },

    async thread(kind, number) {
      const issue = await get(`/issues/${number}`);
      const replies = (await getAll(`/issues/${number}/comments`)).map(toReply);
      const isPull = kind === "pull" || toFields(issue.pull_request).merged !== undefined;
      const thread = toThread(issue, replies);
      return isPull ? addPull(thread, number) : thread;
    },

    async commit(ref) {
      const address = `/git/commits/${encodePath(ref)}`;
      const commit = await get(address);
      const about = toFields(commit.commit);
      const author = toFields(about.author);
      const [title = "", ...rest] = toText(about.message).split("\n");
      const { text: diff, isCut } = await api.text(`${repository}${address}.diff`, RAW);
      const facts = { commit: requireLine(commit.sha), author: toLine(author.name), date: toDay(author.date) };
      return { title, facts, message: rest.join("\n"), diff, isCut };
    },

    async compare(base, head) {
      const range = await get(`/compare/${encodePath(base)}...${encodePath(head)}`);
      const commits = requireList(range.commits);
      const subjects = commits.map(({ sha, commit }) => ({ hash: sha, message: toFields(commit).message }));
      const facts = { commits: Number(range.total_commits ?? commits.length) };
      return { title: `${base}...${head}`, facts, message: writeSubjects(subjects), ...(await readDiffs(commits)) };
    },

    releases: async () =>
      toList(await api.json(`${repository}/releases?limit=10`))
        .map(toFields)
        .map(toRelease),

    release: async (tag) => toRelease(await get(`/releases/tags/${encodePath(tag)}`)),
  };

  /** Its API has no diff of a comparison, so those of the commits are read. */
  async function readDiffs(commits: readonly Fields[]) {
    const diffs: string[] = [];
    for (const { sha } of commits.slice(0, MAX_COMPARED_COMMITS))
      diffs.push(
        (await api.text(`${repository}/git/commits/${encodePath(requireLine(sha))}.diff`, RAW)).text.trimEnd(),
      );
    return { diff: diffs.join("\n"), isCut: commits.length > MAX_COMPARED_COMMITS };
  }

  async function addPull(thread: Thread, number: string): Promise<Thread> {
    const pull = await get(`/pulls/${number}`);
    const reviews = await getAll(`/pulls/${number}/reviews`);
    const diff = await readOptional(() => api.text(`${repository}/pulls/${number}.diff`, RAW));
    return {
      ...thread,
      facts: { ...thread.facts, ...toPullFacts(pull) },
      extra: writeDiff(diff),
      replies: [...thread.replies, ...reviews.flatMap(toReview), ...(await readNotes(number, reviews))],
    };
  }

  /** Notes on lines of the diff, which belong to reviews; those on one line are a conversation. */
  async function readNotes(number: string, reviews: readonly Fields[]): Promise<Reply[]> {
    const notes: Fields[] = [];
    const withNotes = reviews.filter(({ comments_count }) => Number(comments_count ?? 0) > 0);
    for (const { id } of withNotes.slice(0, MAX_REVIEWS))
      notes.push(...toList(await api.json(`${repository}/pulls/${number}/reviews/${id}/comments`)).map(toFields));
    const places = Object.groupBy(notes, ({ path, position, original_position }) => {
      const line = Number(position) || Number(original_position);
      return `${toLine(path)}${line > 0 ? `:${line}` : ""}`;
    });
    return Object.entries(places).flatMap(([place, conversation = []]) => {
      const [first, ...others] = conversation;
      if (first === undefined) return [];
      return [{ ...toReply(first), about: [place, toDay(first.created_at)], replies: others.map(toReply) }];
    });
  }
}

const toEntry = (entry: Fields): TreeEntry => ({
  path: toLine(entry.path),
  isFolder: entry.type === "tree" || entry.type === "dir",
  sizeBytes: typeof entry.size === "number" ? entry.size : undefined,
});
