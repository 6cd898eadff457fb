/** What the sites that host repositories have in common: the kinds of their pages, and how each is written. */
import type { OpenedSource } from "../../acquire/source.ts";
import { SpillwayError } from "../../errors.ts";
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { formatCount, formatSize } from "../../system/quantities.ts";
import { findReadme, tidyReadme } from "../readme.ts";
import type { BoundedText, SiteApi, SitePage } from "../site.ts";
import { readText } from "../site-api.ts";
import { type Fields, joinParts, toMarkdownSource, toText, writeFacts, writeFence } from "../site-document.ts";
import { type Thread, writeThread } from "../threads/thread.ts";
import { type TreeEntry, writeTree } from "../tree.ts";

/** A page of a repository. `place` is a ref and a path, which only the site can tell apart. */
export type ForgePage =
  | { readonly kind: "repository" }
  | { readonly kind: "folder" | "file"; readonly place: Place; readonly lines?: LineRange | undefined }
  | { readonly kind: "issue" | "pull"; readonly number: string }
  | { readonly kind: "commit"; readonly ref: string }
  | { readonly kind: "compare"; readonly base: string; readonly head: string }
  | { readonly kind: "releases" }
  | { readonly kind: "release"; readonly tag: string };

/** The names after the page's kind: the ref is one or more of the first ones, unless the address says how long it is. */
export type Place = { readonly names: readonly string[]; readonly refKind?: "branch" | "tag" | "commit" };

export type LineRange = { readonly first: number; readonly last: number };

export type RepositoryFacts = {
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly description: string;
  readonly sizeBytes: number | undefined;
  /** More that is worth a line: language, licence, stars. */
  readonly more: Readonly<Record<string, string | number | undefined>>;
};

/** A commit or a comparison: what it says, and the changes of each file. */
export type Change = {
  readonly title: string;
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly message: string;
  readonly diff: string;
  readonly isCut: boolean;
};

export type Release = {
  readonly name: string;
  readonly tag: string;
  readonly day: string;
  readonly body: string;
  /** The names of its files; shown for a release on its own. */
  readonly files?: readonly string[];
};

/** What lies below a folder, and whether there is more. */
export type Tree = { readonly entries: readonly TreeEntry[]; readonly isCut: boolean };

/** The API of one repository. */
export type ForgeApi = {
  facts(): Promise<RepositoryFacts>;
  /** All entries below a folder, or those of the folder itself where there are too many. */
  entries(ref: string, path: string): Promise<Tree>;
  text(ref: string, path: string): Promise<BoundedText>;
  file(ref: string, path: string): Promise<OpenedSource>;
  /** Branches and tags whose name begins with this one. */
  refs(prefix: string): Promise<readonly string[]>;
  thread(kind: "issue" | "pull", number: string): Promise<Thread>;
  commit(ref: string): Promise<Change>;
  compare(base: string, head: string): Promise<Change>;
  releases(): Promise<readonly Release[]>;
  release(tag: string): Promise<Release>;
};

/** The page as a source. */
export function readForgePage(page: ForgePage, openApi: (api: SiteApi) => ForgeApi): SitePage {
  return async (siteApi) => {
    const api = openApi(siteApi);
    switch (page.kind) {
      case "repository":
        return readRepository(api);
      case "folder":
        return readFolder(api, page.place);
      case "file":
        return readFile(api, page.place, page.lines);
      case "issue":
      case "pull":
        return writeConversation(`${page.kind} ${page.number}`, await api.thread(page.kind, page.number));
      case "commit":
        return writeChange(`commit ${page.ref}`, await api.commit(page.ref));
      case "compare":
        return writeChange(`${page.base}...${page.head}`, await api.compare(page.base, page.head));
      case "releases":
        return toMarkdownSource("releases", joinParts("# Releases", ...(await api.releases()).map(writeRelease)));
      case "release":
        return toMarkdownSource(page.tag || "latest release", writeOneRelease(await api.release(page.tag)));
    }
  };
}

/** A diff longer than this fills most replies. */
const MAX_LEADING_DIFF_CHARS = 4_000;

/** An issue or a pull request; a long diff says how to reach the comments after it. */
function writeConversation(name: string, thread: Thread): OpenedSource {
  const isFar = (thread.extra?.length ?? 0) > MAX_LEADING_DIFF_CHARS && thread.replies.length > 0;
  const count = formatCount(thread.replies.length, "comment");
  const notes = isFar ? [`A long diff comes before ${count}: read_artifact with section=Comments reads them.`] : [];
  return toMarkdownSource(name, writeThread(thread), notes);
}

async function readRepository(api: ForgeApi): Promise<OpenedSource> {
  const { fullName, defaultBranch, description, sizeBytes, more } = await api.facts();
  const { entries, isCut } = await readRoot(api, defaultBranch);
  const size = sizeBytes === undefined ? undefined : formatSize(sizeBytes);
  const text = joinParts(
    `# ${fullName}`,
    description,
    writeFacts({ "default branch": defaultBranch, size, ...more }),
    "## Files",
    entries.length === 0 ? "There are none." : writeTree(entries, isCut),
    await readReadme(api, { ref: defaultBranch, path: "" }, entries),
  );
  return toMarkdownSource(fullName, text);
}

/** A repository without a commit has no tree, which is answered with an error. */
async function readRoot(api: ForgeApi, branch: string): Promise<Tree> {
  try {
    return await api.entries(branch, "");
  } catch (error) {
    const isEmpty =
      error instanceof SpillwayError && error.code === "http_status" && /\b(404|409)\b/.test(error.message);
    if (!isEmpty) throw error;
    return { entries: [], isCut: false };
  }
}

async function readFolder(api: ForgeApi, place: Place): Promise<OpenedSource> {
  const { ref, path } = await splitPlace(api, place);
  const { entries, isCut } = await api.entries(ref, path);
  // Some sites have one form of address for folders and files.
  if (path !== "" && entries.length === 0) return readFile(api, place, undefined);
  const name = `${path === "" ? "/" : path} at ${ref}`;
  return toMarkdownSource(
    name,
    joinParts(`# ${name}`, writeTree(entries, isCut), await readReadme(api, { ref, path }, entries)),
  );
}

/** A folder without its README still says what is in it. */
async function readReadme(
  api: ForgeApi,
  { ref, path }: { readonly ref: string; readonly path: string },
  entries: readonly TreeEntry[],
): Promise<string> {
  const readmePath = findReadme(path, entries);
  if (readmePath === undefined) return "";
  return tidyReadme((await readOptional(() => api.text(ref, readmePath))).text);
}

const MAX_RANGE_BYTES = 4 * 1024 * 1024;

async function readFile(api: ForgeApi, place: Place, lines: LineRange | undefined): Promise<OpenedSource> {
  const { ref, path } = await splitPlace(api, place);
  const file = await api.file(ref, path);
  const name = path.split("/").at(-1) ?? path;
  // A text is shown as it was written, a page too; what is not text is recognised by its bytes.
  const source = { ...file, name, headers: { "content-type": "text/plain" }, location: path };
  if (lines === undefined) return source;
  const { text, isCut } = await readText(file, MAX_RANGE_BYTES);
  const all = text.replace(/\n$/, "").split("\n");
  const shown = all.slice(lines.first - 1, lines.last);
  if (shown.length === 0 || isBinary(text)) throw makeRangeError(lines, all.length);
  const total = isCut ? "" : ` of ${all.length}`;
  const range = `lines ${lines.first}-${lines.first + shown.length - 1}${total}`;
  return toMarkdownSource(name, joinParts(`# ${path}, ${range}`, writeFence(shown.join("\n"), findLanguage(name))), [
    `Only ${range} are here; fetch the address without its # part for the whole file.`,
  ]);
}

/** What a fence calls the language of a file: its extension. */
export const findLanguage = (name: string): string => /\.(\w{1,12})$/.exec(name)?.[1] ?? "";

const isBinary = (text: string): boolean => text.includes("\0");

function makeRangeError({ first }: LineRange, count: number): SpillwayError {
  return new SpillwayError("place_not_found", `Line ${first} is past the end: the file has ${count} lines.`, {
    hint: "Fetch the address without its # part.",
  });
}

/** The ref and the path of a place: the longest branch or tag that its names begin with, else the first name. */
async function splitPlace(
  api: ForgeApi,
  { names, refKind }: Place,
): Promise<{ readonly ref: string; readonly path: string }> {
  const [first = ""] = names;
  const split = (count: number) => ({ ref: names.slice(0, count).join("/"), path: names.slice(count).join("/") });
  if (first === "") return { ref: (await api.facts()).defaultBranch, path: "" };
  if (refKind === "commit" || /^[\da-f]{40}$/.test(first) || names.length === 1) return split(1);
  const refs = new Set(await api.refs(first));
  for (let count = names.length; count > 1; count--) if (refs.has(split(count).ref)) return split(count);
  return split(1);
}

function writeChange(name: string, { title, facts, message, diff, isCut }: Change): OpenedSource {
  const cut = isCut ? ["The diff is longer than is read; its end is missing."] : [];
  const text = joinParts(`# ${title}`, writeFacts(facts), message, diff === "" ? "" : writeFence(diff, "diff"), ...cut);
  return toMarkdownSource(name, text, cut);
}

function writeRelease({ name, tag, day, body }: Release): string {
  const title = name === "" || name === tag ? tag : `${name} (${tag})`;
  return joinParts(`## ${title}`, day, body);
}

/** A listing of everything below a folder may be refused or cut; then the entries of the folder itself are read too. */
export async function readTree(readAll: () => Promise<Tree>, readLevel: () => Promise<Tree>): Promise<Tree> {
  const all = await readAll().catch((error: unknown) => {
    if (error instanceof SpillwayError) return undefined;
    throw error;
  });
  if (all?.isCut === false) return all;
  const { entries } = await readLevel();
  const paths = new Set(entries.map(({ path }) => path));
  const deeper = (all?.entries ?? []).filter(({ path }) => !paths.has(path));
  return { entries: [...entries, ...deeper], isCut: true };
}

function writeOneRelease(release: Release): string {
  const files = (release.files ?? []).map((name) => `- ${name}`).join("\n");
  return joinParts(writeRelease(release), files === "" ? "" : `Files:\n\n${files}`);
}

type Pages = { readonly perPage: number; readonly maxPages: number; address(page: number): string };

/** The rows of a list that comes in pages, and whether there may be more. */
export async function readPages(api: SiteApi, { perPage, maxPages, address }: Pages) {
  const rows: Fields[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const more = toList(await api.json(address(page))).map(toFields);
    rows.push(...more);
    if (more.length < perPage) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}

/** `main...feature` */
export function toComparison(range: string): ForgePage | undefined {
  const [base = "", head = ""] = range.split(/\.{2,3}/);
  return base === "" || head === "" ? undefined : { kind: "compare", base, head };
}

/** The diff of a pull request, between its text and its comments. */
export function writeDiff({ text, isCut }: BoundedText): string {
  const cut = isCut ? "The diff is longer than is read; its end is missing." : "";
  return text === "" && !isCut ? "" : joinParts("## Diff", text === "" ? "" : writeFence(text, "diff"), cut);
}

/** `3 files, +10 -2`, as far as an answer states it. */
export function formatChanges({ changed_files, additions, deletions }: Fields): string {
  const files = typeof changed_files === "number" ? [formatCount(changed_files, "file")] : [];
  const isCounted = typeof additions === "number" && typeof deletions === "number";
  return [...files, ...(isCounted ? [`+${additions} -${deletions}`] : [])].join(", ");
}

/** Commits of a comparison, a line each. */
export const writeSubjects = (commits: readonly { readonly hash: unknown; readonly message: unknown }[]): string =>
  commits.map(({ hash, message }) => `- ${toLine(hash).slice(0, 10)} ${toText(message).split("\n")[0]}`).join("\n");

/** A part that the rest can do without: an API may refuse it, for example because it is too large. */
export async function readOptional(read: () => Promise<BoundedText>): Promise<BoundedText> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SpillwayError) return { text: "", isCut: true };
    throw error;
  }
}

/** A file's patch with the header that `git diff` gives it. */
export function writePatch(before: string, after: string, patch: string): string {
  return `--- a/${before}\n+++ b/${after}\n${patch.replace(/\n$/, "")}`;
}

/** Lines such as `#L10` and `#L10-L20`. */
export function readLines(hash: string): LineRange | undefined {
  const [, from, to] = /^#L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?$/.exec(hash) ?? [];
  if (from === undefined) return undefined;
  const [first, last] = [Number(from), Number(to ?? from)];
  return first < 1 || last < first ? undefined : { first, last };
}

/** A path for a URL, its slashes kept. */
export const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
