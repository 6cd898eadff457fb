/**
 * Extracts training pairs from bare git repositories: a comment and the code below it, a commit's subject and what it
 * changed. One JSON line for each pair.
 *
 *   node scripts/train/extract-pairs.ts MIRRORS PAIRS [repository...]
 *
 * MIRRORS/<owner>+<name>/repo is a bare repository. PAIRS/<owner>+<name>.jsonl is written.
 */
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findCommentPairs, isQuestionLike, type Pair } from "./comment-pairs.ts";

type RepositoryRow = { readonly repository: string; readonly commit: string; readonly licence: string };

/** The most pairs of one repository and kind: no project may decide what words mean. */
const MAX_COMMENTS = 10_000;
const MAX_COMMITS = 5_000;
const MAX_FILES = 4_000;
const MAX_FILE_BYTES = 400_000;
const MAX_PAIRS_PER_FILE = 60;

const sourceName =
  /\.(?:py|pyi|rb|ex|exs|sh|bash|lua|hs|jsx?|tsx?|mjs|go|rs|java|kt|php|c|h|cc|cpp|hpp|cs|swift|scala|zig)$/;
const excludedPath =
  /(?:^|\/)(?:vendor|third[_-]?party|node_modules|deps|dist|build|generated|gen|testdata|fixtures?|locales?|i18n|examples?|samples?|tests?|specs?|__tests__|testing|bench\w*)(?:\/|$)|\.min\.|\.pb\.|_pb2|\.generated\.|[._](?:test|spec)\.|Tests?\.\w+$|(?:^|\/)test_/i;

async function extract(gitFolder: string, commit: string, output: string) {
  const stream = createWriteStream(output);
  const counts = { comments: 0, commits: 0 };
  const seen = new Set<string>();
  const write = (pair: Pair, kind: "comments" | "commits"): void => {
    const key = `${pair.question}\n${kind === "commits" ? pair.path : ""}`;
    if (seen.has(key)) return;
    seen.add(key);
    counts[kind] += 1;
    stream.write(`${JSON.stringify(pair)}\n`);
  };
  for await (const { path, text } of readFiles(gitFolder, commit)) {
    if (counts.comments >= MAX_COMMENTS) break;
    for (const pair of findCommentPairs(path, text).slice(0, MAX_PAIRS_PER_FILE)) write(pair, "comments");
  }
  for await (const pair of commitPairs(gitFolder, commit)) {
    if (counts.commits >= MAX_COMMITS) break;
    write(pair, "commits");
  }
  await new Promise((resolve) => stream.end(resolve));
  return counts;
}

/** Source files of a commit, in an order that depends on their content alone, so that a limit is a fair sample. */
async function* readFiles(gitFolder: string, commit: string): AsyncGenerator<{ path: string; text: string }> {
  const { stdout } = spawnSync("git", ["--git-dir", gitFolder, "ls-tree", "-r", "-l", "-z", commit], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const files = stdout.split("\0").flatMap((line) => {
    const [, hash, size, path] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    const isWanted = path !== undefined && sourceName.test(path) && !excludedPath.test(path);
    return isWanted && Number(size) <= MAX_FILE_BYTES ? [{ hash: hash ?? "", path }] : [];
  });
  const sample = files.sort((one, other) => (one.hash < other.hash ? -1 : 1)).slice(0, MAX_FILES);
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

const MAX_CHANGED_SOURCES = 3;
const MAX_CHANGED_FILES = 10;
const MAX_DIFF_LINES = 90;
const MAX_DIFF_CHARS = 2_400;
/** Subjects of commits that say nothing about what the code does. */
const housekeeping =
  /\b(?:bump|releas\w*|version|changelog|merge|revert|typos?|lint|format\w*|dependenc\w*|upgrade|deps|translat\w*|copyright|ci|prepare|nit|clean ?up|whitespace|rename|readme|wip|imports?)\b/i;
const subjectPrefix =
  /^(?:\[[^\]]*\]\s*|[A-Z]+-\d+[:;]?\s*|[\w./, ()-]{1,40}!?:\s+|(?:Fixe[sd]|Fix|Refs) #\d+(?: --|[:,])?\s*|gh-\d+:?\s*)+/;

async function* commitPairs(gitFolder: string, commit: string): AsyncGenerator<Pair> {
  const options = [
    "log",
    "-n",
    "8000",
    "--no-merges",
    "--no-renames",
    "--diff-filter=M",
    "-U2",
    "-p",
    "--format=%x01%s",
  ];
  const git = spawn("git", ["--git-dir", gitFolder, ...options, commit], { stdio: ["ignore", "pipe", "ignore"] });
  let subject = "";
  let files = new Map<string, string[]>();
  let current: string[] | undefined;
  for await (const line of createInterface({ input: git.stdout })) {
    if (line.startsWith("\x01")) {
      yield* pairsOfCommit(subject, files);
      [subject, files, current] = [line.slice(1), new Map(), undefined];
    } else if (line.startsWith("diff --git ")) {
      current = [];
      files.set(line.slice(line.lastIndexOf(" b/") + 3), current);
    } else if (current !== undefined && current.length < MAX_DIFF_LINES) addDiffLine(current, line.slice(0, 400));
  }
  yield* pairsOfCommit(subject, files);
  git.kill();
}

function addDiffLine(lines: string[], line: string): void {
  if (line.startsWith("@@")) lines.push(line.slice(line.indexOf("@@", 2) + 2));
  else if (/^[+\- ]/.test(line) && !/^(?:\+\+\+|---)/.test(line)) lines.push(line.slice(1));
}

function pairsOfCommit(subject: string, files: ReadonlyMap<string, readonly string[]>): Pair[] {
  const question = subject.replace(/\s*\(#\d+\)\s*$/, "").replace(subjectPrefix, "");
  if (housekeeping.test(question) || !isQuestionLike(question) || files.size > MAX_CHANGED_FILES) return [];
  const sources = [...files].filter(([path]) => sourceName.test(path) && !excludedPath.test(path));
  if (sources.length > MAX_CHANGED_SOURCES) return [];
  return sources.flatMap(([path, lines]) => {
    const code = lines.join("\n").slice(0, MAX_DIFF_CHARS);
    return code.length > 40 ? [{ question, path, code }] : [];
  });
}

const [mirrors = "", pairsFolder = "", ...chosen] = process.argv.slice(2);
const rows: RepositoryRow[] = JSON.parse(readFileSync(new URL("repositories.json", import.meta.url), "utf8"));
mkdirSync(pairsFolder, { recursive: true });
for (const { repository, commit } of rows) {
  const name = repository.replace("/", "+");
  const output = join(pairsFolder, `${name}.jsonl`);
  if ((chosen.length > 0 && !chosen.includes(repository)) || existsSync(output)) continue;
  const counts = await extract(join(mirrors, name, "repo"), commit, output);
  console.log(`${repository}: ${counts.comments} comments, ${counts.commits} commits`);
}
