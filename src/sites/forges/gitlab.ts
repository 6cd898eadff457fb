/** GitLab: https://docs.gitlab.com/api/rest/ */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, requireLine, requireList, toDay, toText } from "../site-document.ts";
import type { Reply } from "../threads/thread.ts";
import {
  type ForgeApi,
  type ForgePage,
  formatChanges,
  type Release,
  readForgePage,
  readLines,
  readPages,
  readTree,
  toComparison,
  writeDiff,
  writePatch,
  writeSubjects,
} from "./forge.ts";

export const gitlab: Site = {
  apiUrl: "https://gitlab.com/api/v4",
  token: { names: ["GITLAB_TOKEN"], gitUser: "oauth2", makeHeader: (token) => ({ "private-token": token }) },

  /** Projects lie in groups of any depth; `-` ends their name. */
  findPage(url) {
    const names = splitPath(url);
    const dash = names.indexOf("-");
    const project = (dash < 0 ? names : names.slice(0, dash)).join("/").replace(/\.git$/, "");
    if (!project.includes("/") || /^(explore|users|help|groups|dashboard)\//.test(project)) return undefined;
    const page = dash < 0 ? ({ kind: "repository" } as const) : toPage(names.slice(dash + 1), url.hash);
    return page && readForgePage(page, (api) => openGitlab(api, `/projects/${encodeURIComponent(project)}`));
  },
};

function toPage([kind, ...rest]: readonly string[], hash: string): ForgePage | undefined {
  const [first = ""] = rest;
  switch (kind) {
    case "tree":
      return { kind: "folder", place: { names: rest } };
    case "blob":
    case "raw":
      return rest.length < 2 ? undefined : { kind: "file", place: { names: rest }, lines: readLines(hash) };
    case "issues":
    case "work_items":
      return /^\d+$/.test(first) ? { kind: "issue", number: first } : undefined;
    case "merge_requests":
      return /^\d+$/.test(first) ? { kind: "pull", number: first } : undefined;
    case "commit":
      return first === "" ? undefined : { kind: "commit", ref: first };
    case "compare":
      return toComparison(rest.join("/"));
    case "releases":
      return first === "" ? { kind: "releases" } : { kind: "release", tag: rest.join("/") };
    default:
      return undefined;
  }
}

const PER_PAGE = 100;
const MAX_PAGES = 3;
const RAW = { accept: "*/*" };

function openGitlab(api: SiteApi, project: string): ForgeApi {
  const get = async (path: string) => toFields(await api.json(`${project}${path}`));

  const getAll = (path: string, query: string) => {
    const address = (page: number) =>
      `${project}${path}?${query === "" ? "" : `${query}&`}per_page=${PER_PAGE}&page=${page}`;
    return readPages(api, { perPage: PER_PAGE, maxPages: MAX_PAGES, address });
  };

  const fileAddress = (ref: string, path: string) =>
    `${project}/repository/files/${encodeURIComponent(path)}/raw?ref=${encodeURIComponent(ref)}`;

  return {
    async facts() {
      const facts = await get("?license=true");
      return {
        fullName: requireLine(facts.path_with_namespace),
        defaultBranch: toLine(facts.default_branch) || "HEAD",
        description: toLine(facts.description),
        sizeBytes: undefined,
        more: {
          licence: toLine(toFields(facts.license).name),
          stars: Number(facts.star_count ?? 0),
          topics: toList(facts.topics).map(toLine).join(", "),
          "last activity": toDay(facts.last_activity_at),
          archived: facts.archived === true ? "yes" : undefined,
        },
      };
    },

    async entries(ref, path) {
      const query = `ref=${encodeURIComponent(ref)}&path=${encodeURIComponent(path)}`;
      const read = async (recursive: boolean) => {
        const { rows, isCut } = await getAll("/repository/tree", `${query}&recursive=${recursive}`);
        const entries = rows.map((entry) => ({
          path: toLine(entry.path),
          isFolder: entry.type === "tree",
          sizeBytes: undefined,
        }));
        return { entries, isCut };
      };
      return readTree(
        () => read(true),
        () => read(false),
      );
    },

    text: (ref, path) => api.text(fileAddress(ref, path), RAW),

    file: (ref, path) => api.open(fileAddress(ref, path), RAW),

    async refs(prefix) {
      const search = encodeURIComponent(`^${prefix}`);
      const lists = await Promise.all(
        ["branches", "tags"].map((kind) => getAll(`/repository/${kind}`, `search=${search}`)),
      );
      return lists.flatMap(({ rows }) => rows.map(({ name }) => toLine(name)));
    },

    async thread(kind, number) {
      const address = `/${kind === "issue" ? "issues" : "merge_requests"}/${number}`;
      const issue = await get(address);
      const { rows } = await getAll(`${address}/discussions`, "");
      const notes = rows.map((discussion) => toList(discussion.notes).map(toFields).filter(isComment));
      const replies = notes.flatMap(toDiscussion);
      const { diff, isCut } = kind === "pull" ? await readDiff(`${address}/diffs`) : { diff: "", isCut: false };
      return {
        title: `${requireLine(issue.title)} ${kind === "issue" ? "#" : "!"}${issue.iid}`,
        facts: {
          state: [toLine(issue.state), issue.draft === true ? "draft" : ""].filter(Boolean).join(", "),
          author: nameOf(issue.author),
          opened: toDay(issue.created_at),
          labels: toList(issue.labels).map(toLine).join(", "),
          branches: kind === "pull" ? `${toLine(issue.source_branch)} into ${toLine(issue.target_branch)}` : undefined,
        },
        body: toText(issue.description),
        extra: writeDiff({ text: diff, isCut }),
        replyName: "Comments",
        replies,
        missing: Math.max(0, Number(issue.user_notes_count ?? 0) - notes.flat().length),
      };
    },

    async commit(ref) {
      const address = `/repository/commits/${encodeURIComponent(ref)}`;
      const commit = await get(address);
      const [, ...rest] = toText(commit.message).split("\n");
      const stats = toFields(commit.stats);
      return {
        title: toLine(commit.title),
        facts: {
          commit: requireLine(commit.id),
          author: toLine(commit.author_name),
          date: toDay(commit.authored_date),
          changes: formatChanges(stats),
        },
        message: rest.join("\n"),
        ...(await readDiff(`${address}/diff`)),
      };
    },

    async compare(base, head) {
      const query = `from=${encodeURIComponent(base)}&to=${encodeURIComponent(head)}`;
      const range = await get(`/repository/compare?${query}`);
      const commits = requireList(range.commits);
      return {
        title: `${base}...${head}`,
        facts: { commits: commits.length },
        message: writeSubjects(commits.map(({ id, title }) => ({ hash: id, message: title }))),
        diff: toDiff(toList(range.diffs).map(toFields)),
        isCut: false,
      };
    },

    releases: async () =>
      toList(await api.json(`${project}/releases?per_page=10`))
        .map(toFields)
        .map(toRelease),

    release: async (tag) => toRelease(await get(`/releases/${encodeURIComponent(tag)}`)),
  };

  async function readDiff(address: string) {
    const { rows, isCut } = await getAll(address, "unidiff=true");
    return { diff: toDiff(rows), isCut };
  }
}

const toDiff = (files: readonly Fields[]): string =>
  files
    .map((file) => writePatch(toLine(file.old_path), toLine(file.new_path), withoutHeader(toText(file.diff))))
    .join("\n");

const withoutHeader = (diff: string): string => diff.replace(/^--- .*\n\+\+\+ .*\n/, "");

const nameOf = (user: unknown): string => toLine(toFields(user).username) || "ghost";

const toReply = (note: Fields): Reply => ({
  author: nameOf(note.author),
  about: [toDay(note.created_at)],
  body: toText(note.body),
});

/** What the site itself notes, such as a changed label, says little. */
const isComment = ({ system }: Fields): boolean => system !== true;

/** A first comment, with its place in the diff, and the replies to it. */
function toDiscussion([first, ...others]: readonly Fields[]): Reply[] {
  if (first === undefined) return [];
  const { new_path, new_line, old_line } = toFields(first.position);
  const line = new_line ?? old_line;
  const place = `${toLine(new_path)}${typeof line === "number" ? `:${line}` : ""}`;
  const comment = toReply(first);
  return [{ ...comment, about: [place, ...(comment.about ?? [])], replies: others.map(toReply) }];
}

const toRelease = (release: Fields): Release => ({
  name: toLine(release.name),
  tag: requireLine(release.tag_name),
  day: toDay(release.released_at),
  body: toText(release.description),
  files: toList(toFields(release.assets).links).map((link) => toLine(toFields(link).name)),
});
