/** Writes the files of a fetched commit into its folder, and says which ones it leaves out. */
import { isUtf8 } from "node:buffer";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTooLargeError } from "./clone-errors.ts";
import { MAX_FILE_BYTES } from "./fetch-commit.ts";
import type { GitOptions } from "./git.ts";

/** Holds what is known about a clone; a file of the repository with this name is left out. */
export const FACTS_NAME = ".spillway-clone.json";

export type Checkout = {
  readonly commit: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** Files that are larger than a clone keeps. */
  readonly tooLarge: LeftOut;
  /** Files whose names cannot be written here: too long, not UTF-8, or a part of git. */
  readonly unwritable: LeftOut;
};

/** How many files were left out, and the names of the first ones. */
export type LeftOut = { readonly count: number; readonly first: readonly string[] };

type RunGit = (args: readonly string[], options?: Partial<GitOptions>) => Promise<Buffer>;

/** What even the smallest file takes on a disk; one more is for its name. */
const BLOCK_BYTES = 4_096;

/** Writes what `FETCH_HEAD` names, and deletes what is left of git. */
export async function checkOut(folder: string, maxBytes: number, git: RunGit): Promise<Checkout> {
  const commit = (await git(["rev-parse", "FETCH_HEAD^{commit}"])).toString("utf8").trim();
  const tree = await git(["ls-tree", "-r", "-z", commit]);
  const { kept, tooLarge, unwritable } = splitFiles(tree, await listSizes(git), folder);
  const sizeBytes = kept.reduce((sum, file) => sum + file.sizeBytes, 0);
  const diskBytes = kept.reduce((sum, file) => sum + Math.ceil(file.sizeBytes / BLOCK_BYTES + 1) * BLOCK_BYTES, 0);
  if (diskBytes > maxBytes) throw makeTooLargeError(maxBytes);
  const index = kept.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join("");
  // The repository's own attributes could rewrite files while they are written.
  await writeFile(join(folder, ".git", "info", "attributes"), "* -text -ident -filter -working-tree-encoding\n");
  await git(["update-index", "-z", "--index-info"], { stdin: index });
  await git(["checkout-index", "--all", "--quiet"]);
  // What is left of git would only be something to execute.
  await rm(join(folder, ".git"), { recursive: true, force: true });
  return { commit, files: kept.length, sizeBytes, tooLarge: summarize(tooLarge), unwritable: summarize(unwritable) };
}

/** The sizes of the objects that are here; asking for others by name would fetch them. */
async function listSizes(git: RunGit): Promise<ReadonlyMap<string, number>> {
  const format = "--batch-check=%(objectname) %(objectsize)";
  const output = await git(["cat-file", format, "--batch-all-objects", "--unordered"]);
  const lines = output.toString("latin1").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))] as const),
  );
}

type TreeFile = { readonly mode: string; readonly oid: string; readonly path: string; readonly sizeBytes: number };

/** Files and links; submodules are other repositories. */
function splitFiles(tree: Buffer, sizes: ReadonlyMap<string, number>, folder: string) {
  const kept: TreeFile[] = [];
  const [tooLarge, unwritable]: [string[], string[]] = [[], []];
  for (const line of tree.toString("latin1").split("\0")) {
    const [, mode = "", oid = "", name = ""] = /^(\d+) blob ([\da-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    const bytes = Buffer.from(name, "latin1");
    const path = bytes.toString("utf8");
    if (path === "" || path.split("/")[0] === FACTS_NAME) continue;
    const sizeBytes = sizes.get(oid);
    if (!isWritable(bytes, folder)) unwritable.push(path);
    else if (sizeBytes === undefined || sizeBytes > MAX_FILE_BYTES) tooLarge.push(path);
    else kept.push({ mode, oid, path, sizeBytes });
  }
  return { kept, tooLarge, unwritable };
}

/** The limits of common file systems. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4_000;

function isWritable(path: Buffer, folder: string): boolean {
  if (!isUtf8(path) || Buffer.byteLength(folder) + 1 + path.length > MAX_PATH_BYTES) return false;
  const names = path.toString("latin1").split("/");
  return names.every((name) => name.length <= MAX_NAME_BYTES && !/^(\.{0,2}|\.git)$/i.test(name));
}

const MAX_NAMED_FILES = 5;

const summarize = (paths: readonly string[]): LeftOut => ({
  count: paths.length,
  first: paths.slice(0, MAX_NAMED_FILES),
});
