/** Parses a query: the terms to look for, the names and paths it mentions, and the roles of files it is about. */
import { isQuestionWord, splitWords } from "../../retrieval/terms.ts";
import { type FileRole, fileRoles } from "../index/file-roles.ts";
import { findTerms, toPlainName } from "../index/lexicon.ts";

/** A query as the ranking uses it. */
export type ParsedQuery = {
  /** What the query looks like as a whole, for the reply alone: the ranking uses the fields below. */
  readonly kind: "symbol" | "path" | "words";
  readonly terms: readonly string[];
  /** The path or file name that the query is or mentions. */
  readonly path: string | null;
  /** The line of that file, where the query names one: `app.py:12`, `"app.py", line 12`, `app.cs(12,4)`. */
  readonly line: number | null;
  readonly names: readonly QueryName[];
  /** Roles of files that the query mentions, as bits: a query about tests looks for tests. */
  readonly roles: number;
};

/** Why a word of the query may be the name of something in the code. */
type Certainty = "spelled" | "capitalised" | "joined" | "plain";

/** A name in the form in which whole names are compared. */
type QueryName = { readonly text: string; readonly certainty: Certainty };

/** A longer query is read up to here, to bound the work: words after that hardly change the answer. */
const MAX_QUERY_CHARS = 2_000;
export const MAX_QUERY_WORDS = 64;

/** Parses a query. Question words count only if there are no others; a query without words finds nothing. */
export function parseQuery(query: string): ParsedQuery {
  const text = query.slice(0, MAX_QUERY_CHARS).replace(/['’]s\b/g, "");
  const words = splitWords(text).slice(0, MAX_QUERY_WORDS);
  const terms = new Set(words.flatMap(findTerms));
  const subject = [...terms].filter((term) => !isQuestionWord(term));
  return {
    kind: kindOf(query, words),
    path: findPath(text),
    line: findLine(text),
    terms: subject.length > 0 ? subject : [...terms],
    names: findNames(text, words),
    roles: findRoles(terms),
  };
}

/** A file name with an extension, alone or after folders and before a line number; or a single word with a slash. */
function findPath(text: string): string | null {
  const plain = text.trim().replaceAll("\\", "/");
  const fileName = /(?<![\w/.@+-])[\w/.@+-]{0,300}[\w@+-]\.[a-z]\w{0,9}(?![\w/@+-])/i.exec(plain)?.[0];
  const path = fileName ?? (/^\S*\/\S*$/.test(plain) ? plain.replace(/:\d+$/, "") : undefined);
  return path?.replace(/^(?:\.?\/)+/, "") ?? null;
}

function findLine(text: string): number | null {
  const line = /[\w@+-]\.[a-z]\w{0,9}(?::|\(|["']?, line )(\d{1,7})(?!\d)/i.exec(text)?.[1];
  return line === undefined ? null : Number(line);
}

function kindOf(query: string, words: readonly string[]): ParsedQuery["kind"] {
  const isSingle = !/\s/.test(query.trim());
  if (isSingle && /[/\\]|\w\.[a-z]{1,4}$/i.test(query)) return "path";
  return isSingle || words.length === 1 ? "symbol" : "words";
}

/** From the most certain to the least: the most certain of several counts. */
const certainties: readonly Certainty[] = ["spelled", "capitalised", "joined", "plain"];

/** Neighbouring words of a query that may be one name in the code. */
const MAX_JOINED_WORDS = 3;

function findNames(text: string, words: readonly string[]): QueryName[] {
  const names = new Map<string, Certainty>();
  const add = (word: string, certainty: Certainty) => {
    const name = toPlainName(word);
    const current = names.get(name);
    const isBetter = current === undefined || certainties.indexOf(certainty) < certainties.indexOf(current);
    if (name !== "" && isBetter) names.set(name, certainty);
  };
  const subject = words.filter((word) => !isQuestionWord(word.toLowerCase()));
  for (const [index, word] of words.entries()) {
    const certainty = words.length === 1 ? "spelled" : certaintyOf(word, index === 0);
    if (certainty !== null) add(word, certainty);
  }
  for (const [call] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?=\()/gu)) add(call, "spelled");
  for (let count = 2; count <= MAX_JOINED_WORDS; count++) {
    for (let first = 0; first + count <= subject.length; first++)
      add(subject.slice(first, first + count).join(""), "joined");
  }
  return [...names].map(([name, certainty]) => ({ text: name, certainty }));
}

function certaintyOf(word: string, isFirst: boolean): Certainty | null {
  if (/\p{Ll}\p{N}*\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|^\p{Lu}{2,}\p{Ll}/u.test(word)) return "spelled";
  if (!isFirst && /^\p{Lu}\p{Ll}+$/u.test(word)) return "capitalised";
  return isQuestionWord(word.toLowerCase()) ? null : "plain";
}

const roleWords: Readonly<Record<FileRole, RegExp>> = {
  test: /^(?:test|spec|mock|fixtur)/,
  example: /^(?:exampl|sampl|demo|doc|bench)/,
  gateway: /^(?:index|init|re-?export)/,
  declaration: /^declar/,
  prose: /^(?:readm|changelog|licens|markdown|docs?$|json$|yaml$|toml$|xml$|html$|css$|config)/,
  compatibility: /^(?:compat|legac|deprecat|polyfil|shim)/,
  vendored: /^(?:vendor|third)/,
  generated: /^generated?$/,
};

function findRoles(terms: ReadonlySet<string>): number {
  let roles = 0;
  for (const [role, pattern] of Object.entries(roleWords) as [FileRole, RegExp][]) {
    if ([...terms].some((term) => pattern.test(term))) roles |= fileRoles[role];
  }
  return roles;
}
