/** A repository as a source: it is cloned, and its tree and README are the text. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { parseTarget } from "../acquire/http/url.ts";
import type { OpenedSource, Source } from "../acquire/source.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { splitPath } from "../sites/address.ts";
import { findReadme, tidyReadme } from "../sites/readme.ts";
import { joinParts, toMarkdownSource, writeFacts } from "../sites/site-document.ts";
import { readToken } from "../sites/site-token.ts";
import { type FoundSite, findSite } from "../sites/sites.ts";
import { type TreeEntry, writeTree } from "../sites/tree.ts";
import { formatCount, formatSize } from "../system/quantities.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { FACTS_NAME, type LeftOut } from "./checkout.ts";
import { type Clone, cloneRepository, findAnyClone } from "./clone.ts";
import type { CloneContext, CloneTarget } from "./clone-target.ts";
import { readRepositoryPage } from "./repository-page.ts";

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

/** Where a branch may have slashes in its name, the shortest name is tried first. One that is here needs no network. */
async function cloneFirst(targets: readonly CloneTarget[], context: CloneContext): Promise<Clone> {
  const known = await findAnyClone(targets, context);
  if (known !== undefined) return cloneRepository(known, context);
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

async function listTargets(page: URL, { settings, env }: CloneSession): Promise<CloneTarget[]> {
  const site = findSite(page, settings["sites.addresses"]);
  if (site === undefined) return listAddresses(page).map((url) => ({ url, ref: undefined }));
  const { repository, refs } = readRepositoryPage(site.name, splitPath(page));
  if (repository.length < 2) throw makeAddressError();
  const url = new URL(`${page.origin}/${repository.map(encodeURIComponent).join("/")}.git`);
  const authorization = mayGetToken(url, site) ? await makeAuthorization(site, env) : undefined;
  return refs.map((ref) => ({ url, ref, authorization }));
}

/** Other hosts serve a repository at the address itself, or at the same with `.git`. */
function listAddresses({ origin, pathname }: URL): URL[] {
  const address = `${origin}${pathname.replace(/\/+$/, "")}`;
  return (address.endsWith(".git") ? [address] : [address, `${address}.git`]).map((each) => new URL(each));
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
      "left out because of their size": nameSome(clone.tooLarge),
      "left out because of their names": nameSome(clone.unwritable),
    }),
    "## Files",
    writeTree(entries, false),
    await readReadme(clone.path, entries),
  );
  return toMarkdownSource(name, text, [
    `Cloned into ${clone.path}: search_code with that repo_path (spillway search --dir) finds code in it, and files there are read by their path.`,
  ]);
}

const nameSome = ({ count, first }: LeftOut): string =>
  [...first.map((path) => clip(path)), ...(count > first.length ? [`${count - first.length} more`] : [])].join(", ");

async function listEntries(folder: string): Promise<TreeEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = found.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    // Another caller may have replaced the clone by a newer one.
    const facts = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
    return {
      path: path
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
      isFolder: entry.isDirectory(),
      sizeBytes: facts?.size,
    };
  });
  return (await Promise.all(entries)).filter(({ path }) => path !== FACTS_NAME);
}

async function readReadme(folder: string, entries: readonly TreeEntry[]): Promise<string> {
  const path = findReadme("", entries);
  const isShort = (entries.find((entry) => entry.path === path)?.sizeBytes ?? 0) <= MAX_README_BYTES;
  if (path === undefined || !isShort) return "";
  return tidyReadme(await readFile(join(folder, path), "utf8").catch(() => ""));
}
