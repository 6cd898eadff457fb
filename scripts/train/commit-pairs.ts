/** Pairs of the message of a commit and what it changed in a source file. */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { findSentences, isQuestionLike, type Pair } from "./comment-pairs.ts";
import { excludedPath, sourceName, testPath } from "./sources.ts";

const MAX_COMMITS = 6_000;
const MAX_CHANGED_SOURCES = 3;
const MAX_CHANGED_FILES = 10;
const MAX_DIFF_LINES = 90;
const MAX_DIFF_CHARS = 2_400;
/** Commits whose changes are read: a subject and a sentence or two make twice as many pairs. */
const MAX_READ_COMMITS = 2_500;

/** Subjects of commits that say nothing about what the code does. */
const housekeeping =
  /\b(?:bump|releas\w*|version|changelog|merge|revert|typos?|lint|format\w*|dependenc\w*|upgrade|deps|translat\w*|copyright|ci|prepare|nit|clean ?up|whitespace|rename|readme|wip|imports?)\b/i;
const subjectPrefix =
  /^(?:\[[^\]]*\]\s*|[A-Z]+-\d+[:;]?\s*|[\w./, ()-]{1,40}!?:\s+|(?:Fixe[sd]|Fix|Refs) #\d+(?: --|[:,])?\s*|gh-\d+:?\s*)+/;

/** The pairs of the newest commits. Those that change a few source files are chosen by their names, before any diff is made. */
export async function* commitPairs(gitFolder: string, commit: string): AsyncGenerator<Pair> {
  const chosen = chooseCommits(gitFolder, commit);
  const git = spawn(
    "git",
    ["--git-dir", gitFolder, "diff-tree", "--stdin", "-r", "--no-renames", "--diff-filter=M", "-U2", "-p"],
    { stdio: ["pipe", "pipe", "ignore"] },
  );
  git.stdin.on("error", () => undefined);
  git.stdin.end([...chosen.keys()].map((hash) => `${hash}\n`).join(""));
  let hash = "";
  let files = new Map<string, string[]>();
  let current: string[] | undefined;
  for await (const line of createInterface({ input: git.stdout })) {
    if (/^[0-9a-f]{40}$/.test(line)) {
      yield* pairsOfCommit(chosen.get(hash)?.sentences ?? [], files);
      [hash, files, current] = [line, new Map(), undefined];
    } else if (line.startsWith("diff --git ")) {
      current = [];
      files.set(line.slice(line.lastIndexOf(" b/") + 3), current);
    } else if (current !== undefined && current.length < MAX_DIFF_LINES) addDiffLine(current, line.slice(0, 400));
  }
  yield* pairsOfCommit(chosen.get(hash)?.sentences ?? [], files);
}

/** What somebody wrote about a commit, and the source files that it changed. */
export type DescribedCommit = { readonly sentences: readonly string[]; readonly sources: readonly string[] };

/** Commits with something to say about at most a few source files, the newest first. */
export function chooseCommits(gitFolder: string, commit: string): Map<string, DescribedCommit> {
  const format = "--format=%x01%H%x02%s%x02%b%x02";
  const options = [
    "log",
    "-n",
    `${MAX_COMMITS}`,
    "--no-merges",
    "--no-renames",
    "--diff-filter=M",
    "--name-only",
    format,
  ];
  const { stdout } = spawnSync("git", ["--git-dir", gitFolder, ...options, commit], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const chosen = new Map<string, DescribedCommit>();
  for (const record of stdout.split("\x01")) {
    const [hash = "", subject = "", body = "", names = ""] = record.split("\x02");
    const paths = names.split("\n").filter(Boolean);
    const sources = paths.filter(isSource);
    const isSmall = sources.length > 0 && sources.length <= MAX_CHANGED_SOURCES && paths.length <= MAX_CHANGED_FILES;
    const sentences = isSmall ? questionsOf(subject, body) : [];
    if (sentences.length > 0 && chosen.size < MAX_READ_COMMITS) chosen.set(hash, { sentences, sources });
  }
  return chosen;
}

const isSource = (path: string): boolean => sourceName.test(path) && !excludedPath.test(path) && !testPath.test(path);

/** The subject, and the first sentences of the text below it. */
function questionsOf(subject: string, body: string): string[] {
  const title = subject.replace(/\s*\(#\d+\)\s*$/, "").replace(subjectPrefix, "");
  if (housekeeping.test(title)) return [];
  const isTrailer = (line: string) => /^[A-Z][\w-]+(?: [a-z]+)?: ?\S|^#|^\(?cherry/.test(line.trim());
  const sentences = findSentences(body.split("\n").filter((line) => !isTrailer(line))).slice(0, 2);
  return [title, ...sentences].filter(isQuestionLike);
}

function addDiffLine(lines: string[], line: string): void {
  if (line.startsWith("@@")) lines.push(line.slice(line.indexOf("@@", 2) + 2));
  else if (/^[+\- ]/.test(line) && !/^(?:\+\+\+|---)/.test(line)) lines.push(line.slice(1));
}

function pairsOfCommit(questions: readonly string[], files: ReadonlyMap<string, readonly string[]>): Pair[] {
  return [...files].flatMap(([path, lines]) => {
    const code = lines.join("\n").slice(0, MAX_DIFF_CHARS);
    return isSource(path) && code.length > 40 ? questions.map((question) => ({ question, path, code })) : [];
  });
}
