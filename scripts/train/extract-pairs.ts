/**
 * Extracts training pairs from bare git repositories: what somebody wrote (a comment, the message of a commit, the title
 * of a test, a sentence inside a string) and the code that it is about. One line for each pair, as terms.
 *
 *   node scripts/train/extract-pairs.ts MIRRORS PAIRS [repository...]
 *
 * MIRRORS/<owner>+<name>/repo is a bare repository. PAIRS/<owner>+<name>.txt.gz is written.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { findCommentPairs, type Pair } from "./comment-pairs.ts";
import { commitPairs } from "./commit-pairs.ts";
import { findDocumentPairs } from "./document-pairs.ts";
import { writePair } from "./pair-terms.ts";
import { documentName, excludedDocument, excludedPath, sourceName, testPath } from "./sources.ts";
import { findStringPairs } from "./string-pairs.ts";
import { findTestPairs } from "./test-pairs.ts";

type RepositoryRow = { readonly repository: string; readonly commit: string; readonly licence: string };

/** The most pairs of one repository by kind: no project may decide what words mean. */
const maxPairs = { document: 6_000, comment: 12_000, string: 4_000, test: 4_000, commit: 6_000 } as const;
type PairKind = keyof typeof maxPairs;
const MAX_FILES = 4_000;
const MAX_DOCUMENTS = 1_500;
const MAX_FILE_BYTES = 400_000;
const MAX_PAIRS_PER_FILE = 60;
const MAX_STRINGS_PER_FILE = 12;

async function extract(gitFolder: string, commit: string, output: string) {
  const lines: string[] = [];
  const counts = { document: 0, comment: 0, string: 0, test: 0, commit: 0 };
  const seen = new Set<string>();
  const write = (pairs: readonly Pair[], kind: PairKind): void => {
    for (const pair of pairs) {
      const key = `${pair.question}\n${kind === "commit" ? pair.path : ""}`;
      if (counts[kind] >= maxPairs[kind] || seen.has(key)) continue;
      seen.add(key);
      counts[kind] += 1;
      lines.push(`${kind}\t${writePair(pair)}\n`);
    }
  };
  for await (const { path, text } of readFiles(gitFolder, commit, isSource, MAX_FILES)) {
    if (testPath.test(path)) {
      write(findTestPairs(path, text).slice(0, MAX_PAIRS_PER_FILE), "test");
      continue;
    }
    write(findCommentPairs(path, text).slice(0, MAX_PAIRS_PER_FILE), "comment");
    write(findStringPairs(path, text).slice(0, MAX_STRINGS_PER_FILE), "string");
  }
  for await (const pair of commitPairs(gitFolder, commit)) write([pair], "commit");
  for await (const { path, text } of readFiles(gitFolder, commit, isDocument, MAX_DOCUMENTS)) {
    write(findDocumentPairs(path, text).slice(0, MAX_PAIRS_PER_FILE), "document");
  }
  writeFileSync(output, gzipSync(lines.join(""), { level: 4 }));
  return counts;
}

/** Files of a commit, in an order that depends on their content alone, so that a limit is a fair sample. */
async function* readFiles(
  gitFolder: string,
  commit: string,
  isWanted: (path: string) => boolean,
  maxFiles: number,
): AsyncGenerator<{ path: string; text: string }> {
  const { stdout } = spawnSync("git", ["--git-dir", gitFolder, "ls-tree", "-r", "-l", "-z", commit], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const files = stdout.split("\0").flatMap((line) => {
    const [, hash, size, path] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    return path !== undefined && isWanted(path) && Number(size) <= MAX_FILE_BYTES ? [{ hash: hash ?? "", path }] : [];
  });
  const sample = files.sort((one, other) => (one.hash < other.hash ? -1 : 1)).slice(0, maxFiles);
  const git = spawn("git", ["--git-dir", gitFolder, "cat-file", "--batch"], { stdio: ["pipe", "pipe", "ignore"] });
  git.stdin.on("error", () => undefined); // It is ended before it has answered everything.
  git.stdin.end(sample.map(({ hash }) => `${hash}\n`).join(""));
  let index = 0;
  for await (const bytes of objects(git.stdout)) {
    const path = sample[index++]?.path ?? "";
    if (bytes !== null) yield { path, text: bytes.toString("utf8").replaceAll("\r", "") };
  }
  git.kill();
}

const isSource = (path: string): boolean => sourceName.test(path) && !excludedPath.test(path);
const isDocument = (path: string): boolean => documentName.test(path) && !excludedDocument.test(path);

/** The objects that `git cat-file --batch` prints; null for one that is missing. */
async function* objects(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let rest: Buffer = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let needed = 1;
  for await (const bytes of stream) {
    pending.push(bytes);
    if (pending.reduce((sum, { length }) => sum + length, rest.length) < needed) continue;
    rest = Buffer.concat([rest, ...pending]);
    pending = [];
    for (;;) {
      const lineEnd = rest.indexOf(10);
      if (lineEnd === -1) break;
      const size = / blob (\d+)$/.exec(rest.toString("latin1", 0, lineEnd))?.[1];
      const end = size === undefined ? lineEnd + 1 : lineEnd + 1 + Number(size) + 1;
      needed = end;
      if (rest.length < end) break;
      yield size === undefined ? null : rest.subarray(lineEnd + 1, end - 1);
      rest = rest.subarray(end);
      needed = 1;
    }
  }
}

const [mirrors = "", pairsFolder = "", ...chosen] = process.argv.slice(2);
const rows: RepositoryRow[] = JSON.parse(readFileSync(new URL("repositories.json", import.meta.url), "utf8"));
mkdirSync(pairsFolder, { recursive: true });
for (const { repository, commit } of rows) {
  const name = repository.replace("/", "+");
  const output = join(pairsFolder, `${name}.txt.gz`);
  if ((chosen.length > 0 && !chosen.includes(repository)) || existsSync(output)) continue;
  const counts = await extract(join(mirrors, name, "repo"), commit, output);
  const list = Object.entries(counts).map(([kind, count]) => `${count} of a ${kind}`);
  console.log(`${repository}: ${list.join(", ")}`);
}
