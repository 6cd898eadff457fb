/** Methods of code search to compare, on the same folders and queries: ours, plain BM25, FTS5, and grep. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defaultSettings } from "../src/config/settings.ts";
import { isQuestionWord } from "../src/retrieval/terms.ts";
import { chunkText } from "../src/search/index/chunk.ts";
import { decodeSource, readSource } from "../src/search/index/folder/source-file.ts";
import { walkFolder } from "../src/search/index/folder/walk-folder.ts";
import { findTerms } from "../src/search/index/lexicon.ts";
import { searchCode } from "../src/search/search.ts";
import { openSession } from "../src/session/session.ts";
import type { PeerResult } from "./search-score.ts";

/** Answers queries on one folder. */
export type Searcher = AsyncDisposable & { search(query: string): Promise<readonly PeerResult[]> };
export type Peer = { readonly name: string; open(folder: string): Promise<Searcher> };

const MAX_RESULTS = 50;

/** Spillway as users run it: a session, an index on disk, whole replies. */
export const ours: Peer = {
  name: "spillway",
  async open(folder) {
    const home = mkdtempSync(join(tmpdir(), "spillway-bench-"));
    const settings = { ...defaultSettings, home, "search.wait": 600_000, "search.refresh_every": 600_000 };
    const session = await openSession({ settings, cwd: folder });
    return {
      async search(query) {
        const { results } = await searchCode({ query, limit: MAX_RESULTS }, session);
        return results.map((result) => {
          const further = result.spans ?? [];
          const texts = [
            result.content,
            result.context_before,
            result.context_after,
            ...further.map(({ content }) => content),
          ];
          const spans = [result, ...further].map(({ start_line, end_line }) => ({ start: start_line, end: end_line }));
          return { path: result.file_path, spans, chars: texts.join("").length };
        });
      },
      async [Symbol.asyncDispose]() {
        await session[Symbol.asyncDispose]();
        rmSync(home, { recursive: true, force: true });
      },
    };
  },
};

type Source = { readonly path: string; readonly text: string };

async function sourcesIn(folder: string): Promise<Source[]> {
  const sources: Source[] = [];
  for (const step of walkFolder(folder)) {
    if (!("file" in step)) continue;
    const source = readSource(folder, step.file.path, 1 << 20);
    const decoded = "bytes" in source ? await decodeSource(source.bytes, step.file.path) : { reason: "" };
    if ("text" in decoded && !decoded.isMinified) sources.push({ path: step.file.path, text: decoded.text });
  }
  return sources;
}

/** A chunk as a result. */
type ResultChunk = PeerResult & { readonly text: string };

function chunksOf({ path, text }: Source): ResultChunk[] {
  return chunkText(text).map(({ start, end, startLine, endLine }) => {
    return { path, text: text.slice(start, end), spans: [{ start: startLine, end: endLine }], chars: end - start };
  });
}

const closed = { [Symbol.asyncDispose]: async () => undefined };

/** BM25 over chunks, with the words of the path counted as text. */
export const bm25: Peer = {
  name: "BM25 over chunks and paths",
  async open(folder) {
    const chunks = (await sourcesIn(folder)).flatMap(chunksOf);
    const counts = chunks.map(({ path, text }) => countTerms(`${path} ${path} ${text}`));
    const frequency = new Map<string, number>();
    for (const count of counts) for (const term of count.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    const lengths = counts.map((count) => count.values().reduce((sum, each) => sum + each, 0));
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const search = async (query: string) => {
      const terms = subjectTerms(query);
      const score = (count: Map<string, number>, length: number) =>
        terms.reduce((sum, term) => {
          const [occurrences, df] = [count.get(term) ?? 0, frequency.get(term) ?? 0];
          const rarity = Math.log(1 + (chunks.length - df + 0.5) / (df + 0.5));
          return sum + (rarity * occurrences * 2.2) / (occurrences + 1.2 * (0.25 + (0.75 * length) / mean));
        }, 0);
      const scored = counts.map((count, index) => ({ index, score: score(count, lengths[index] ?? 0) }));
      const best = scored
        .filter((each) => each.score > 0)
        .sort((one, other) => other.score - one.score || one.index - other.index);
      return best.slice(0, MAX_RESULTS).flatMap(({ index }) => chunks[index] ?? []);
    };
    return { search, ...closed };
  },
};

function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/[\p{L}\p{N}_]+/gu) ?? []) {
    for (const term of findTerms(word)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}

function subjectTerms(query: string): string[] {
  const terms = [...new Set((query.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap(findTerms))];
  const subject = terms.filter((term) => !isQuestionWord(term));
  return subject.length > 0 ? subject : terms;
}

/** SQLite's full-text search over the same chunks, any word of the query. */
export const fts5: Peer = {
  name: "SQLite FTS5",
  async open(folder) {
    const chunks = (await sourcesIn(folder)).flatMap(chunksOf);
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE chunks USING fts5(path, text, tokenize = 'porter unicode61')");
    const insert = database.prepare("INSERT INTO chunks (rowid, path, text) VALUES (?, ?, ?)");
    database.exec("BEGIN");
    for (const [index, { path, text }] of chunks.entries()) insert.run(index, path, text);
    database.exec("COMMIT");
    const select = database.prepare(
      "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2, 1) LIMIT ?",
    );
    const search = async (query: string) => {
      const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
      const match = words.map((word) => `"${word}"`).join(" OR ");
      return match === "" ? [] : select.all(match, MAX_RESULTS).flatMap(({ rowid }) => chunks[Number(rowid)] ?? []);
    };
    return { search, [Symbol.asyncDispose]: async () => database.close() };
  },
};

/** What an agent does with grep: search for the words of the query, and read the files that have most of them. */
export const grepAndRead: Peer = {
  name: "grep and read",
  async open(folder) {
    const sources = (await sourcesIn(folder)).map((source) => ({ ...source, lower: source.text.toLowerCase() }));
    const search = async (query: string) => {
      const words = (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !isQuestionWord(word));
      const files = sources.map(({ path, text, lower }) => {
        const matchingWords = words.filter((word) => lower.includes(word)).length;
        return { path, matchingWords, spans: [{ start: 1, end: Infinity }], chars: text.length };
      });
      return files
        .filter(({ matchingWords }) => matchingWords > 0)
        .sort((one, other) => other.matchingWords - one.matchingWords)
        .slice(0, MAX_RESULTS);
    };
    return { search, ...closed };
  },
};

/** ripgrep itself, files by the number of matching lines; only where it is installed. */
export const ripgrep: Peer = {
  name: "ripgrep, files by matches",
  async open(folder) {
    const search = async (query: string) => {
      const words = (query.match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !isQuestionWord(word.toLowerCase()));
      const lines = countLines(folder, words.join("|") || query);
      return lines
        .map((line) => ({
          path: line.slice(0, line.lastIndexOf(":")),
          count: Number(line.slice(line.lastIndexOf(":") + 1)),
        }))
        .sort((one, other) => other.count - one.count)
        .slice(0, MAX_RESULTS)
        .map(({ path }) => ({ path, spans: [], chars: readFileSync(join(folder, path)).length }));
    };
    return { search, ...closed };
  },
};

const MAX_OUTPUT_BYTES = 2 ** 30;

/** The lines of `rg --count`. Anything but "nothing matches" (status 1) is an error of the bench, not an empty result. */
function countLines(folder: string, pattern: string): string[] {
  const { status, stdout, stderr, error } = spawnSync("rg", ["-i", "--count", "--", pattern, "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (status === 1) return [];
  if (status !== 0) throw error ?? new Error(`rg ended with ${status} in ${folder}: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^\.\//, ""));
}

/** Whether a command is on the path. */
export function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
