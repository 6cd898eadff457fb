/** Bitbucket Cloud: https://developer.atlassian.com/cloud/bitbucket/rest/ */
import { SpillwayError } from "../../errors.ts";
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { splitPath } from "../address.ts";
import type { Site, SiteApi } from "../site.ts";
import { type Fields, toDay, toText } from "../site-document.ts";
import type { Reply } from "../threads/thread.ts";
import { findReadme } from "../tree.ts";
import { encodePath, type ForgeApi, type ForgePage, readForgePage, writeDiff } from "./forge.ts";

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
    const page = toPage(rest, url.hash);
    const repository = `/repositories/${encodePath(workspace)}/${encodePath(name.replace(/\.git$/, ""))}`;
    return page && readForgePage(page, (api) => openBitbucket(api, repository));
  },
};

function toPage([kind, ...rest]: readonly string[], hash: string): ForgePage | undefined {
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
      return first === "" ? undefined : { kind: "commit", ref: first };
    default:
      return undefined;
  }
}

/** Its addresses name lines as `#lines-10:20`, and a folder like a file. */
function toPlacePage(names: readonly string[], hash: string): ForgePage | undefined {
  const [, from, to] = /^#lines-(\d{1,7})(?::(\d{1,7}))?$/.exec(hash) ?? [];
  const lines = from === undefined ? undefined : { first: Number(from), last: Number(to ?? from) };
  const isFile = names.length > 1 && (lines !== undefined || /\.\w+$/.test(names.at(-1) ?? ""));
  return isFile ? { kind: "file", place: { names }, lines } : { kind: "folder", place: { names } };
}

const RAW = { accept: "*/*" };

function openBitbucket(api: SiteApi, repository: string): ForgeApi {
  const get = async (path: string) => toFields(await api.json(`${repository}${path}`));
  const list = async (path: string) => {
    const page = await get(path);
    return { rows: toList(page.values).map(toFields), isCut: typeof page.next === "string" };
  };
  const srcAddress = (ref: string, path: string) => `${repository}/src/${encodeURIComponent(ref)}/${encodePath(path)}`;

  async function readChange(ref: string) {
    return api.text(`${repository}/diff/${encodePath(ref)}`, RAW);
  }

  return {
    async facts() {
      const facts = await get("");
      return {
        fullName: toLine(facts.full_name),
        defaultBranch: toLine(toFields(facts.mainbranch).name) || "HEAD",
        description: toLine(facts.description),
        sizeBytes: typeof facts.size === "number" ? facts.size : undefined,
        more: { language: toLine(facts.language), "last update": toDay(facts.updated_on) },
      };
    },

    async entries(ref, path) {
      const folder = path === "" ? "" : `${path}/`;
      const { rows, isCut } = await list(
        `/src/${encodeURIComponent(ref)}/${encodePath(folder)}?pagelen=100&max_depth=3`,
      );
      const entries = rows.map((entry) => ({
        path: toLine(entry.path),
        isFolder: entry.type === "commit_directory",
        sizeBytes: typeof entry.size === "number" ? entry.size : undefined,
      }));
      return { entries, isCut };
    },

    async readme(ref, path, entries) {
      const found = findReadme(path, entries);
      return found === undefined ? "" : (await api.text(srcAddress(ref, found), RAW)).text;
    },

    file: (ref, path) => api.open(srcAddress(ref, path), RAW),

    async refs(prefix) {
      const query = encodeURIComponent(`name ~ "${prefix.replaceAll('"', "")}"`);
      const { rows } = await list(`/refs?q=${query}&pagelen=100`);
      return rows.map(({ name }) => toLine(name));
    },

    async thread(kind, number) {
      const address = `/${kind === "issue" ? "issues" : "pullrequests"}/${number}`;
      const issue = await get(address);
      const { rows, isCut } = await list(`${address}/comments?pagelen=100`);
      const diff = kind === "pull" ? await api.text(`${repository}${address}/diff`, RAW) : { text: "", isCut: false };
      const branch = (side: unknown) => toLine(toFields(toFields(side).branch).name);
      return {
        title: `${toLine(issue.title)} #${issue.id}`,
        facts: {
          state: toLine(issue.state).toLowerCase(),
          author: nameOf(issue.author ?? issue.reporter),
          opened: toDay(issue.created_on),
          branches: kind === "pull" ? `${branch(issue.source)} into ${branch(issue.destination)}` : undefined,
        },
        body: toText(toFields(issue.content).raw) || toText(issue.description),
        extra: writeDiff(diff),
        replyName: "Comments",
        replies: rows.filter(({ deleted }) => deleted !== true).map(toReply),
        missing: isCut ? 1 : 0,
      };
    },

    async commit(ref) {
      const commit = await get(`/commit/${encodePath(ref)}`);
      const [title = "", ...rest] = toText(commit.message).split("\n");
      const { text: diff, isCut } = await readChange(ref);
      const facts = {
        commit: toLine(commit.hash),
        author: toLine(toFields(commit.author).raw),
        date: toDay(commit.date),
      };
      return { title, facts, message: rest.join("\n"), diff, isCut };
    },

    async compare(base, head) {
      const { text: diff, isCut } = await readChange(`${head}..${base}`);
      return { title: `${base}...${head}`, facts: {}, message: "", diff, isCut };
    },

    releases: () => Promise.reject(makeReleaseError()),
    release: () => Promise.reject(makeReleaseError()),
  };
}

const makeReleaseError = (): SpillwayError =>
  new SpillwayError("response_invalid", "Bitbucket has no releases.", { hint: "Fetch the page of a tag." });

const nameOf = (user: unknown): string => toLine(toFields(user).display_name) || "unknown";

const toReply = (comment: Fields): Reply => ({
  author: nameOf(comment.user),
  about: [toLine(toFields(comment.inline).path), toDay(comment.created_on)],
  body: toText(toFields(comment.content).raw),
});
