/** Bitbucket Cloud: https://developer.atlassian.com/cloud/bitbucket/rest/ */
import { toFields, toLine } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, requireLine, requireList, toDay, toText } from "../site-document.ts";
import { nestReplies, type Reply } from "../threads/thread.ts";
import {
  encodePath,
  type ForgeApi,
  type ForgePage,
  type Release,
  readForgePage,
  readOptional,
  readTree,
  writeDiff,
  writeSubjects,
} from "./forge.ts";

export const bitbucket: Site = {
  apiUrl: "https://api.bitbucket.org/2.0",
  token: {
    names: ["BITBUCKET_TOKEN"],
    gitUser: "x-token-auth",
    makeHeader: (token) => ({ authorization: `Bearer ${token}` }),
  },

  findPage(url) {
    const [workspace, name, ...rest] = splitPath(url);
    if (workspace === undefined || name === undefined || /^(account|dashboard|product)$/.test(workspace))
      return undefined;
    const page = toPage(rest, url);
    const repository = `/repositories/${encodePath(workspace)}/${encodePath(name.replace(/\.git$/, ""))}`;
    return page && readForgePage(page, (api) => openBitbucket(api, repository));
  },
};

function toPage([kind, ...rest]: readonly string[], { hash, searchParams }: URL): ForgePage | undefined {
  const [first = ""] = rest;
  switch (kind) {
    case undefined:
      return { kind: "repository" };
    case "src":
    case "raw":
      return toPlacePage(rest, hash);
    case "issues":
      return /^\d+$/.test(first) ? { kind: "issue", number: first } : undefined;
    case "pull-requests":
      return /^\d+$/.test(first) ? { kind: "pull", number: first } : undefined;
    case "commits":
      if (first === "tag") return { kind: "release", tag: rest.slice(1).join("/") };
      return first === "" || first === "branch" ? undefined : { kind: "commit", ref: first };
    case "branches":
      return first === "compare" ? toComparison(rest.slice(1).join("/")) : undefined;
    case "downloads":
      return searchParams.get("tab") === "tags" ? { kind: "releases" } : undefined;
    default:
      return undefined;
  }
}

/** `feature..main` is what `feature` adds to `main`; its own pages have a line end for the dots. */
function toComparison(range: string): ForgePage | undefined {
  const [head = "", base = ""] = range.split(/\r|\.{2,3}/);
  return base === "" || head === "" ? undefined : { kind: "compare", base, head };
}

/** Its addresses name lines as `#lines-10:20`, and a folder like a file. */
function toPlacePage(names: readonly string[], hash: string): ForgePage | undefined {
  const [, from, to] = /^#lines-(\d{1,7})(?::(\d{1,7}))?$/.exec(hash) ?? [];
  const lines = from === undefined ? undefined : { first: Number(from), last: Number(to ?? from) };
  const isFile = names.length > 1 && (lines !== undefined || /\.\w+$/.test(names.at(-1) ?? ""));
  return isFile ? { kind: "file", place: { names }, lines } : { kind: "folder", place: { names } };
}

const RAW = { accept: "*/*" };
const MAX_PAGES = 3;

function openBitbucket(api: SiteApi, repository: string): ForgeApi {
  const get = async (path: string) => toFields(await api.json(`${repository}${path}`));

  /** A page of a list names the next one. */
  async function list(path: string, maxPages = MAX_PAGES) {
    const rows: Fields[] = [];
    let next = `${repository}${path}`;
    for (let page = 0; page < maxPages && next !== ""; page++) {
      const answer = toFields(await api.json(next));
      rows.push(...requireList(answer.values));
      next = toLine(answer.next);
    }
    return { rows, isCut: next !== "" };
  }

  /** In the address of a file, the name of a branch may not have slashes. */
  async function toRevision(ref: string): Promise<string> {
    if (!ref.includes("/")) return encodeURIComponent(ref);
    const query = encodeURIComponent(`name = "${ref.replaceAll('"', "")}"`);
    const [found] = (await list(`/refs?q=${query}&pagelen=1`, 1)).rows;
    return requireLine(toFields(found?.target).hash);
  }

  const findSource = async (ref: string, path: string) =>
    `${repository}/src/${await toRevision(ref)}/${encodePath(path)}`;

  const readChange = (revisions: string) => api.text(`${repository}/diff/${encodeURIComponent(revisions)}`, RAW);

  return {
    async facts() {
      const facts = await get("");
      return {
        fullName: requireLine(facts.full_name),
        defaultBranch: toLine(toFields(facts.mainbranch).name) || "HEAD",
        description: toLine(facts.description),
        sizeBytes: typeof facts.size === "number" ? facts.size : undefined,
        more: { language: toLine(facts.language), "last update": toDay(facts.updated_on) },
      };
    },

    async entries(ref, path) {
      const folder = `/src/${await toRevision(ref)}/${encodePath(path === "" ? "" : `${path}/`)}?pagelen=100`;
      const read = async (query: string) => {
        const { rows, isCut } = await list(`${folder}${query}`);
        const entries = rows.map((entry) => ({
          path: toLine(entry.path),
          isFolder: entry.type === "commit_directory",
          sizeBytes: typeof entry.size === "number" ? entry.size : undefined,
        }));
        return { entries, isCut };
      };
      return readTree(
        () => read("&max_depth=3"),
        () => read(""),
      );
    },

    text: async (ref, path) => api.text(await findSource(ref, path), RAW),

    file: async (ref, path) => api.open(await findSource(ref, path), RAW),

    async refs(prefix) {
      const query = encodeURIComponent(`name ~ "${prefix.replaceAll('"', "")}"`);
      const { rows } = await list(`/refs?q=${query}&pagelen=100`);
      return rows.map(({ name }) => toLine(name));
    },

    async thread(kind, number) {
      const address = `/${kind === "issue" ? "issues" : "pullrequests"}/${number}`;
      const issue = await get(address);
      const { rows, isCut } = await list(`${address}/comments?pagelen=100`);
      const diff =
        kind === "pull"
          ? await readOptional(() => api.text(`${repository}${address}/diff`, RAW))
          : { text: "", isCut: false };
      const branch = (side: unknown) => toLine(toFields(toFields(side).branch).name);
      return {
        title: `${requireLine(issue.title)} #${issue.id}`,
        facts: {
          state: toLine(issue.state).toLowerCase(),
          author: nameOf(issue.author ?? issue.reporter),
          opened: toDay(issue.created_on),
          branches: kind === "pull" ? `${branch(issue.source)} into ${branch(issue.destination)}` : undefined,
        },
        body: toText(toFields(issue.content).raw) || toText(issue.description),
        extra: writeDiff(diff),
        replyName: "Comments",
        replies: nestReplies(rows.map(toReply)),
        missing: isCut ? 1 : 0,
      };
    },

    async commit(ref) {
      const commit = await get(`/commit/${encodePath(ref)}`);
      const [title = "", ...rest] = toText(commit.message).split("\n");
      const { text: diff, isCut } = await readChange(ref);
      const facts = {
        commit: requireLine(commit.hash),
        author: toLine(toFields(commit.author).raw),
        date: toDay(commit.date),
      };
      return { title, facts, message: rest.join("\n"), diff, isCut };
    },

    async compare(base, head) {
      const query = `include=${encodeURIComponent(head)}&exclude=${encodeURIComponent(base)}&pagelen=50`;
      const { rows, isCut: hasMore } = await list(`/commits?${query}`, 1);
      const { text: diff, isCut } = await readChange(`${head}..${base}`);
      const facts = { commits: hasMore ? `more than ${rows.length}` : rows.length };
      return { title: `${base}...${head}`, facts, message: writeSubjects(rows.map(toSubject)), diff, isCut };
    },

    /** It has tags, with the words of their author. */
    releases: async () => (await list("/refs/tags?sort=-target.date&pagelen=10", 1)).rows.map(toRelease),
    release: async (tag) => toRelease(await get(`/refs/tags/${encodePath(tag)}`)),
  };
}

const toSubject = ({ hash, message }: Fields) => ({ hash, message });

const toRelease = ({ name, date, message, target }: Fields): Release => ({
  name: "",
  tag: requireLine(name),
  day: toDay(date) || toDay(toFields(target).date),
  body: toText(message) || toText(toFields(target).message),
});

const nameOf = (user: unknown): string => toLine(toFields(user).display_name) || "unknown";

/** A comment that was deleted stays where others reply to it, without words. */
function toReply(comment: Fields) {
  const { path, to, from } = toFields(comment.inline);
  const line = to ?? from;
  const isReply = comment.parent !== undefined;
  const place = isReply ? "" : `${toLine(path)}${typeof line === "number" ? `:${line}` : ""}`;
  const body = comment.deleted === true ? "(deleted)" : toText(toFields(comment.content).raw);
  const reply: Reply = { author: nameOf(comment.user), about: [place, toDay(comment.created_on)], body };
  return { id: comment.id, parent: toFields(comment.parent).id, reply };
}
