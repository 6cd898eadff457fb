/** The queries of the code search bench and the folders they search. Checkouts are made by hand. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a query looks for: a file, or lines of one. */
export type QueryTarget = { readonly path: string; readonly start?: number; readonly end?: number };

/** One query and everything that answers it. */
export type Query = { readonly query: string; readonly targets: readonly QueryTarget[]; readonly category: string };

/** A folder to index and its queries. */
export type QuerySet = {
  readonly repository: string;
  readonly folder: string;
  /** Whether the weights were not fitted to it. It belongs to the same open list, so it is not an independent check. */
  readonly isReportedApart: boolean;
  readonly queries: readonly Query[];
};

type RepositoryRow = { readonly name: string; readonly benchmark_root?: string };
type FileRow = {
  query: string;
  category: string;
  relevant: (string | QueryTarget)[];
  secondary: (string | QueryTarget)[];
};
type SpanRow = {
  repo: string;
  file: string;
  query: string;
  start: number;
  end: number;
  removed_lines: [number, number][];
};

const reportedApart = new Set("pydantic redux guzzle rails trpc cats click phoenix curl aeson".split(" "));

const siblingFolder = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const corpus = join(process.env.SPILLWAY_CORPUS ?? siblingFolder("shared/corpus"), "codesearch");
/** Where the repositories are checked out. */
export const checkouts = process.env.SPILLWAY_CHECKOUTS ?? siblingFolder("searchdata");

/** Why the bench cannot run here, or null. */
export function missingData(): string | null {
  if (!existsSync(join(corpus, "repos.json"))) return "there is no corpus (set SPILLWAY_CORPUS)";
  const absent = repositories().filter((row) => !existsSync(rootOf(row)));
  if (absent.length === 0) return null;
  return `${absent.length} repositories are not checked out (set SPILLWAY_CHECKOUTS), ${absent[0]?.name} for one`;
}

/** Identifies the set of queries. */
export function queriesDigest(): string {
  const digest = createHash("sha256").update(readFileSync(join(corpus, "spans.jsonl")));
  for (const { name } of repositories()) digest.update(readFileSync(join(corpus, "files", `${name}.json`)));
  return digest.digest("hex");
}

/** Queries whose answer is a file. */
export function fileQueries(): QuerySet[] {
  return repositories().map((row) => {
    const rows: FileRow[] = JSON.parse(readFileSync(join(corpus, "files", `${row.name}.json`), "utf8"));
    const queries = rows.map(({ query, category, relevant, secondary }) => {
      const targets = [...relevant, ...secondary].map((target) =>
        typeof target === "string" ? { path: target } : target,
      );
      return { query, category, targets: targets.map(({ path }) => ({ path })) };
    });
    return { repository: row.name, folder: rootOf(row), isReportedApart: reportedApart.has(row.name), queries };
  });
}

type QuestionRow = {
  readonly name: string;
  /** `open` and `later` questions were in view while weights were chosen; `unread` ones were scored once, afterwards. */
  readonly half: "open" | "later" | "unread";
  readonly questions: readonly QuestionEntry[];
};
type QuestionEntry = { readonly query: string; readonly category?: string; readonly targets: readonly string[] };

/** Our own questions on repositories outside the list, as people ask them: those that are checked out, whole. */
export function ownQuestions(half: QuestionRow["half"]): QuerySet[] {
  const rows: QuestionRow[] = JSON.parse(readFileSync(new URL("search-questions.json", import.meta.url), "utf8"));
  return rows
    .filter((row) => row.half === half && existsSync(join(checkouts, row.name)))
    .map(({ name, questions }) => ({
      repository: name,
      folder: join(checkouts, name),
      isReportedApart: half === "unread",
      queries: questions.map(toQuery),
    }));
}

function toQuery({ query, category = "question", targets }: QuestionEntry): Query {
  return { query, category, targets: targets.map((path) => ({ path })) };
}

type FilesRow = QuestionRow & { readonly folder: string; readonly queries: readonly QuestionEntry[] };

/**
 * Our own queries for files in the manner of the open list, and easier questions, on other repositories: those that are checked
 * out. The answers of `open` ones were looked at; `unread` ones are only scored.
 */
export function ownFileQueries(half: FilesRow["half"], part: "queries" | "questions"): QuerySet[] {
  const rows: FilesRow[] = JSON.parse(readFileSync(new URL("search-files.json", import.meta.url), "utf8"));
  return rows
    .filter((row) => row.half === half && existsSync(join(checkouts, row.name)))
    .map((row) => ({
      repository: row.name,
      folder: join(checkouts, row.name, row.folder),
      isReportedApart: half === "unread",
      queries: row[part].map(toQuery),
    }));
}

/** Queries whose answer is some lines. Each was a comment on those lines, which is removed from a copy of the folder. */
export function spanQueries(): (QuerySet & Disposable)[] {
  const rows = readFileSync(join(corpus, "spans.jsonl"), "utf8").trim().split("\n");
  const spans: SpanRow[] = rows.map((line) => JSON.parse(line));
  return repositories().map((row) => {
    const own = spans.filter(({ repo }) => repo === row.name);
    const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
    cpSync(rootOf(row), folder, { recursive: true });
    removeLines(folder, own);
    const queries = own.map(({ query, file, start, end }) => ({
      query,
      category: "span",
      targets: [{ path: file, start, end }],
    }));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    return {
      repository: row.name,
      folder,
      isReportedApart: reportedApart.has(row.name),
      queries,
      [Symbol.dispose]: remove,
    };
  });
}

function removeLines(folder: string, spans: readonly SpanRow[]): void {
  for (const file of new Set(spans.map((span) => span.file))) {
    const ranges = spans.filter((span) => span.file === file).flatMap((span) => span.removed_lines);
    const removed = (line: number) => ranges.some(([first, last]) => first <= line && line <= last);
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    writeFileSync(join(folder, file), lines.filter((_, index) => !removed(index + 1)).join("\n"));
  }
}

function repositories(): RepositoryRow[] {
  return JSON.parse(readFileSync(join(corpus, "repos.json"), "utf8"));
}

function rootOf({ name, benchmark_root = "" }: RepositoryRow): string {
  return join(checkouts, name, benchmark_root);
}
