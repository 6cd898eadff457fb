/** A repository as a source: it is cloned, and its tree and README are the text. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { parseTarget } from "../acquire/http/url.ts";
import type { OpenedSource, Source } from "../acquire/source.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { splitPath } from "../sites/address.ts";
import { joinParts, toMarkdownSource, writeFacts } from "../sites/site-document.ts";
import { readToken } from "../sites/site-token.ts";
import { type FoundSite, findSite } from "../sites/sites.ts";
import { findReadme, type TreeEntry, writeTree } from "../sites/tree.ts";
import { formatCount, formatSize } from "../system/quantities.ts";
import { redactUrl } from "../system/redact-url.ts";
import { type Clone, type CloneContext, type CloneTarget, cloneRepository } from "./clone.ts";

type CloneSession = Pick<Session, "settings" | "env" | "network" | "now" | "cloneFolder">;

/** The source that a page of a repository names; it has no cache beside the clone itself. */
export function makeCloneSource(given: string, session: CloneSession, noCache: boolean): Source {
  if (!/^\s*https?:/i.test(given)) throw makeAddressError();
  const url = parseTarget(given.trim());
  const { network, cloneFolder } = session;
  if (network === undefined || cloneFolder === null) throw makeUnavailableError();
  return {
    given: redactUrl(given),
    identity: `clone:${url.href}`,
    async open({ signal }) {
      const maxAgeMs = noCache ? -1 : session.settings["network.cache_ttl"];
      const { env, now } = session;
      const maxBytes = session.settings["sites.clone_bytes"];
      const context = { folder: cloneFolder, network, env, now, maxAgeMs, maxBytes, signal };
      return describeClone(await cloneFirst(await listTargets(url, session), context));
    },
  };
}

function makeUnavailableError(): SpillwayError {
  return new SpillwayError("source_refused", "This session cannot clone: it has no network or no data folder.", {
    hint: "Fetch the address without forceClone.",
  });
}

function makeAddressError(): SpillwayError {
  return new SpillwayError("usage", "Only a repository at an http or https address can be cloned.", {
    hint: "Give the address of its page, such as https://github.com/owner/name.",
  });
}

/** Where a branch may have slashes in its name, the shortest name is tried first. */
async function cloneFirst(targets: readonly CloneTarget[], context: CloneContext): Promise<Clone> {
  for (const [index, target] of targets.entries()) {
    try {
      return await cloneRepository(target, context);
    } catch (error) {
      const isLast = index === targets.length - 1;
      if (isLast || !(error instanceof SpillwayError) || error.code !== "source_not_found") throw error;
    }
  }
  throw new TypeError("There is no address to clone.");
}

const MAX_REF_NAMES = 4;

async function listTargets(page: URL, { settings, env }: CloneSession): Promise<CloneTarget[]> {
  const site = findSite(page, settings["sites.addresses"]);
  const names = splitPath(page);
  const { repository, rest } = site === undefined ? { repository: names, rest: [] } : splitRepository(site, names);
  const url = new URL(
    `${page.origin}/${repository
      .map(encodeURIComponent)
      .join("/")
      .replace(/\.git$/, "")}.git`,
  );
  const authorization = site && mayGetToken(url, site) ? await makeAuthorization(site, env) : undefined;
  const refNames = readRefNames(rest);
  const refs = refNames.map((_, index) => refNames.slice(0, index + 1).join("/")).slice(0, MAX_REF_NAMES);
  return (refs.length === 0 ? [undefined] : refs).map((ref) => ({ url, ref, authorization }));
}

/** On most sites a repository has two names; on GitLab it has any number, and `-` ends them. */
function splitRepository({ name }: FoundSite, names: readonly string[]) {
  const dash = names.indexOf("-");
  const count = name !== "gitlab" ? 2 : dash < 0 ? names.length : dash;
  return { repository: names.slice(0, count), rest: names.slice(name === "gitlab" ? count + 1 : count) };
}

/** `tree/main/src`, `src/branch/main/src` and `commit/<hash>` name a ref. */
function readRefNames([kind = "", ...rest]: readonly string[]): readonly string[] {
  if (!["tree", "blob", "raw", "commit", "commits", "src"].includes(kind)) return [];
  return ["branch", "tag", "commit"].includes(rest[0] ?? "") ? rest.slice(1) : rest;
}

/** A token is for the server that the settings name, or else for the public one over a secure connection. */
function mayGetToken({ protocol, port, origin }: URL, { apiUrl }: FoundSite): boolean {
  return apiUrl === undefined ? protocol === "https:" && port === "" : new URL(apiUrl).origin === origin;
}

async function makeAuthorization(site: FoundSite, env: CloneSession["env"]): Promise<string | undefined> {
  const { token } = await site.load();
  const value = token && readToken(token, env);
  if (value === undefined || token?.gitUser === undefined) return undefined;
  return `Basic ${Buffer.from(`${token.gitUser}:${value}`).toString("base64")}`;
}

const MAX_README_BYTES = 1024 * 1024;
const MAX_NAMED_FILES = 5;

async function describeClone(clone: Clone): Promise<OpenedSource> {
  const entries = await listEntries(clone.path);
  const name = new URL(clone.url).pathname.slice(1).replace(/\.git$/, "");
  const text = joinParts(
    `# ${name}`,
    writeFacts({
      commit: clone.commit,
      ref: clone.ref ?? "the default branch",
      folder: clone.path,
      files: `${formatCount(clone.files, "file")}, ${formatSize(clone.sizeBytes)}`,
      "left out because of their size": nameSome(clone.leftOut),
    }),
    "## Files",
    writeTree(entries, false),
    await readReadme(clone.path, entries),
  );
  return toMarkdownSource(name, text, [
    `Cloned into ${clone.path}: search_code with that repo_path (spillway search --dir) finds code in it, and files there are read by their path.`,
  ]);
}

const nameSome = (paths: readonly string[]): string =>
  [
    ...paths.slice(0, MAX_NAMED_FILES),
    ...(paths.length > MAX_NAMED_FILES ? [`${paths.length - MAX_NAMED_FILES} more`] : []),
  ].join(", ");

async function listEntries(folder: string): Promise<TreeEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = found.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const sizeBytes = entry.isFile() ? (await stat(path)).size : undefined;
    return {
      path: path
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
      isFolder: entry.isDirectory(),
      sizeBytes,
    };
  });
  return (await Promise.all(entries)).filter(({ path }) => path !== ".spillway-clone.json");
}

async function readReadme(folder: string, entries: readonly TreeEntry[]): Promise<string> {
  const path = findReadme("", entries);
  const isShort = (entries.find((entry) => entry.path === path)?.sizeBytes ?? 0) <= MAX_README_BYTES;
  return path === undefined || !isShort ? "" : readFile(join(folder, path), "utf8");
}
