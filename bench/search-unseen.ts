/**
 * Queries on repositories that no rule was tuned on: sentences of comments, whose code is to be found after the comment is
 * removed, and subjects of commits, whose changed files are to be found. Both are taken from clones by a fixed recipe, so
 * that the same commit of a repository always gives the same queries and none has to be stored.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type CodeComment, findComments } from "../scripts/train/comment-pairs.ts";
import { chooseCommits } from "../scripts/train/commit-pairs.ts";
import { excludedPath, sourceName, testPath } from "../scripts/train/sources.ts";
import type { Query, QuerySet } from "./search-data.ts";

const LINE_QUERIES = 40;
const LINE_QUERIES_PER_FILE = 3;
const COMMIT_QUERIES = 40;
/** The files of older commits may be different ones today. */
const NEWEST_COMMITS = 200;
/** Shorter code is a field or a constant. */
const MIN_CODE_LINES = 3;

/** Clones of whole repositories, with their history. */
export function unseenClones(folder = process.env.SPILLWAY_CHECKOUTS_UNSEEN): string[] {
  if (folder === undefined) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((clone) => existsSync(join(clone, ".git")));
}

/** A copy of the clone without some of its comments, and queries for the code that they described. */
export function lineQueries(clone: string): QuerySet & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  const isCopied = (path: string) => basename(path) !== ".git";
  cpSync(clone, folder, { recursive: true, filter: isCopied });
  const chosen = chooseComments(clone);
  const queries = [...Map.groupBy(chosen, ({ path }) => path)].flatMap(([path, places]) =>
    removeComments(join(folder, path), path, places),
  );
  return {
    ...describe(clone, folder, queries),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Queries for the files that commits changed. */
export function commitQueries(clone: string): QuerySet {
  const commits = [...chooseCommits(join(clone, ".git"), "HEAD")].flatMap(([hash, { sentences, sources }]) => {
    const targets = sources.filter((path) => existsSync(join(clone, path))).map((path) => ({ path }));
    const query = sentences[0];
    return query === undefined || targets.length === 0 ? [] : [{ key: hash, query, targets, category: "commit" }];
  });
  return describe(clone, clone, sample(commits.slice(0, NEWEST_COMMITS)).slice(0, COMMIT_QUERIES));
}

const describe = (clone: string, folder: string, queries: readonly Query[]): QuerySet => ({
  repository: basename(clone),
  folder,
  isReportedApart: true,
  queries,
});

type CommentPlace = { readonly key: string; readonly path: string; readonly comment: CodeComment };

function chooseComments(clone: string): CommentPlace[] {
  const { stdout } = spawnSync("git", ["-C", clone, "ls-files", "-z"], { encoding: "utf8", maxBuffer: 2 ** 28 });
  const paths = stdout
    .split("\0")
    .filter((path) => sourceName.test(path) && !excludedPath.test(path) && !testPath.test(path));
  const places = paths
    .filter((path) => existsSync(join(clone, path)))
    .flatMap((path) => {
      const comments = findComments(path, readFileSync(join(clone, path), "utf8")).filter(isOnDefinition);
      return sample(comments.map((comment) => ({ key: `${path}:${comment.start}`, path, comment }))).slice(
        0,
        LINE_QUERIES_PER_FILE,
      );
    });
  return sample(places).slice(0, LINE_QUERIES);
}

function isOnDefinition({ sentences, head, code }: CodeComment): boolean {
  const lines = [...head, ...code].filter((line) => line.trim() !== "" && !annotation.test(line));
  return sentences.length > 0 && lines.length >= MIN_CODE_LINES && definition.test(lines[0] ?? "");
}

const annotation = /^\s*(?:@\w|#\[|\[\w+)/;
/** A keyword, or a name with parameters that begins no statement. */
const definition =
  /\b(?:def|class|func|function|fn|fun|struct|enum|interface|trait|type|object|module|protocol|extension|record|val)\b|^\s*(?!(?:if|for|while|switch|return|await|throw|assert|else|try|case|using)\b)[\w<>[\],:*&~ .?]+\([^;]*$/;

/** Removes the comments from the file and returns the queries, with lines of the shorter file. */
function removeComments(file: string, path: string, places: readonly CommentPlace[]): Query[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const isRemoved = (line: number) => places.some(({ comment }) => comment.start <= line && line < comment.end);
  const kept = [...lines.keys()].filter((line) => !isRemoved(line));
  writeFileSync(file, kept.map((line) => lines[line]).join("\n"));
  const newLine = (line: number) => kept.filter((each) => each < line).length + 1;
  return places.map(({ comment: { sentences, start, end, head, code } }) => ({
    query: sentences[0] ?? "",
    category: "span",
    targets: [
      {
        path,
        start: newLine(start - head.length),
        end: newLine(end + code.findLastIndex((line) => line.trim() !== "")),
      },
    ],
  }));
}

/** In an order that depends on nothing but the keys. */
function sample<T extends { readonly key: string }>(rows: readonly T[]): T[] {
  const hash = ({ key }: T) => createHash("sha256").update(key).digest("hex");
  return rows
    .map((row) => ({ row, order: hash(row) }))
    .sort((one, other) => (one.order < other.order ? -1 : 1))
    .map(({ row }) => row);
}
