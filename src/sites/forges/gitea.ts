/** Gitea and Forgejo, which Codeberg runs: https://docs.gitea.com/api */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, toDay, toText } from "../site-document.ts";
import type { Reply } from "../threads/thread.ts";
import { findReadme } from "../tree.ts";
import {
  encodePath,
  type ForgeApi,
  type ForgePage,
  type Place,
  type Release,
  readForgePage,
  readLines,
  readPages,
  toComparison,
  writeDiff,
} from "./forge.ts";

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
        fullName: toLine(facts.full_name),
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
      const tree = await get(`/git/trees/${encodeURIComponent(ref)}?recursive=true&per_page=1000`);
      const entries = toList(tree.tree)
        .map(toFields)
        .map((entry) => ({
          path: toLine(entry.path),
          isFolder: entry.type === "tree",
          sizeBytes: typeof entry.size === "number" ? entry.size : undefined,
        }));
      const prefix = path === "" ? "" : `${path}/`;
      return { entries: entries.filter((entry) => entry.path.startsWith(prefix)), isCut: tree.truncated === true };
    },

    async readme(ref, path, entries) {
      const found = findReadme(path, entries);
      return found === undefined ? "" : (await api.text(rawAddress(ref, found), RAW)).text;
    },

    file: (ref, path) => api.open(rawAddress(ref, path), RAW),

    async refs(prefix) {
      const lists = await Promise.all(["/branches", "/tags"].map(getAll));
      return lists.flat().flatMap(({ name }) => (toLine(name).startsWith(prefix) ? [toLine(name)] : []));
    },

    async thread(kind, number) {
      const issue = await get(`/issues/${number}`);
      const replies = (await getAll(`/issues/${number}/comments`)).map(toReply);
      const isPull = kind === "pull" || toFields(issue.pull_request).merged !== undefined;
      const diff = isPull ? await api.text(`${repository}/pulls/${number}.diff`, RAW) : { text: "", isCut: false };
      return {
        title: `${toLine(issue.title)} #${issue.number}`,
        facts: {
          state: toFields(issue.pull_request).merged === true ? "merged" : toLine(issue.state),
          author: nameOf(issue.user),
          opened: toDay(issue.created_at),
          labels: toList(issue.labels)
            .map((label) => toLine(toFields(label).name))
            .join(", "),
        },
        body: toText(issue.body),
        extra: writeDiff(diff),
        replyName: "Comments",
        replies,
        missing: Math.max(0, Number(issue.comments ?? 0) - replies.length),
      };
    },

    async commit(ref) {
      const address = `/git/commits/${encodePath(ref)}`;
      const commit = await get(address);
      const about = toFields(commit.commit);
      const author = toFields(about.author);
      const [title = "", ...rest] = toText(about.message).split("\n");
      const { text: diff, isCut } = await api.text(`${repository}${address}.diff`, RAW);
      const facts = { commit: toLine(commit.sha), author: toLine(author.name), date: toDay(author.date) };
      return { title, facts, message: rest.join("\n"), diff, isCut };
    },

    async compare(base, head) {
      const range = await get(`/compare/${encodePath(base)}...${encodePath(head)}`);
      const commits = toList(range.commits).map(toFields);
      const subjects = commits.map(({ sha, commit }) => {
        return `- ${toLine(sha).slice(0, 10)} ${toText(toFields(commit).message).split("\n")[0]}`;
      });
      const facts = { commits: Number(range.total_commits ?? commits.length) };
      return { title: `${base}...${head}`, facts, message: subjects.join("\n"), diff: "", isCut: false };
    },

    releases: async () =>
      toList(await api.json(`${repository}/releases?limit=10`))
        .map(toFields)
        .map(toRelease),

    release: async (tag) => toRelease(await get(`/releases/tags/${encodePath(tag)}`)),
  };
}

const nameOf = (user: unknown): string => toLine(toFields(user).login) || "ghost";

const toReply = (comment: Fields): Reply => ({
  author: nameOf(comment.user),
  about: [toDay(comment.created_at)],
  body: toText(comment.body),
});

const toRelease = (release: Fields): Release => ({
  name: toLine(release.name),
  tag: toLine(release.tag_name),
  day: toDay(release.published_at),
  body: toText(release.body),
});
