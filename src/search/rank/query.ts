/** What a query asks for: the terms it is found by, the names it mentions, and the kinds of files it is about. */
import { isQuestionWord, wordsOf } from "../../retrieval/terms.ts";
import { plainName, termsOfWord } from "../index/lexicon.ts";
import { type FileRole, fileRoles } from "../index/role.ts";

export type Question = {
  /** What it looks like as a whole; the ranking goes by its parts below. */
  readonly kind: "symbol" | "path" | "words";
  readonly terms: readonly string[];
  /** The path or file's name that the query is or mentions. */
  readonly path: string | null;
  /** The line of that file, where the query names one: `app.py:12`, `"app.py", line 12`, `app.cs(12,4)`. */
  readonly line: number | null;
  readonly names: readonly QuestionName[];
  /** Roles of files that the query speaks of, as bits: who asks for tests wants them. */
  readonly roles: number;
};

/** Why a word of the query may be the name of something in the code. */
export type Certainty = "spelled" | "capitalised" | "joined" | "plain";

/** A name as it is compared whole. */
export type QuestionName = { readonly text: string; readonly certainty: Certainty };

/** A longer query is read up to here: past it no word changes the answer, and work stays bounded. */
const longestQuery = 2_000;
const mostWords = 64;

/** Reads a query. One that is all small words is taken by them; one without any word asks for nothing. */
export function parseQuestion(query: string): Question {
  const text = query.slice(0, longestQuery).replace(/['’]s\b/g, "");
  const words = wordsOf(text).slice(0, mostWords);
  const terms = new Set(words.flatMap(termsOfWord));
  const subject = [...terms].filter((term) => !isQuestionWord(term));
  return {
    kind: kindOf(query, words),
    path: pathIn(text),
    line: lineIn(text),
    terms: subject.length > 0 ? subject : [...terms],
    names: namesIn(text, words),
    roles: rolesIn(terms),
  };
}

/** A name with an ending, with or without folders, a line and what stands around it; or a single word with a slash. */
function pathIn(text: string): string | null {
  const plain = text.trim().replaceAll("\\", "/");
  const named = /(?<![\w/.@+-])[\w/.@+-]{0,300}[\w@+-]\.[a-z]\w{0,9}(?![\w/@+-])/i.exec(plain)?.[0];
  const found = named ?? (/^\S*\/\S*$/.test(plain) ? plain.replace(/:\d+$/, "") : undefined);
  return found?.replace(/^(?:\.?\/)+/, "") ?? null;
}

function lineIn(text: string): number | null {
  const line = /[\w@+-]\.[a-z]\w{0,9}(?::|\(|["']?, line )(\d{1,7})(?!\d)/i.exec(text)?.[1];
  return line === undefined ? null : Number(line);
}

function kindOf(query: string, words: readonly string[]): Question["kind"] {
  const single = !/\s/.test(query.trim());
  if (single && /[/\\]|\w\.[a-z]{1,4}$/i.test(query)) return "path";
  return single || words.length === 1 ? "symbol" : "words";
}

/** The best reason counts, from the last of these to the first. */
const certainties: readonly Certainty[] = ["spelled", "capitalised", "joined", "plain"];

/** Words that stand side by side in a question may be one name in the code. */
const mostJoined = 3;

function namesIn(text: string, words: readonly string[]): QuestionName[] {
  const names = new Map<string, Certainty>();
  const add = (word: string, certainty: Certainty) => {
    const name = plainName(word);
    const known = names.get(name);
    const better = known === undefined || certainties.indexOf(certainty) < certainties.indexOf(known);
    if (name !== "" && better) names.set(name, certainty);
  };
  const subject = words.filter((word) => !isQuestionWord(word.toLowerCase()));
  for (const [index, word] of words.entries()) {
    const certainty = words.length === 1 ? "spelled" : certaintyOf(word, index === 0);
    if (certainty !== null) add(word, certainty);
  }
  for (const [call] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*(?=\()/gu)) add(call, "spelled");
  for (let words = 2; words <= mostJoined; words++) {
    for (let first = 0; first + words <= subject.length; first++)
      add(subject.slice(first, first + words).join(""), "joined");
  }
  return [...names].map(([name, certainty]) => ({ text: name, certainty }));
}

function certaintyOf(word: string, first: boolean): Certainty | null {
  if (/\p{Ll}\p{N}*\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|^\p{Lu}{2,}\p{Ll}/u.test(word)) return "spelled";
  if (!first && /^\p{Lu}\p{Ll}+$/u.test(word)) return "capitalised";
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

function rolesIn(terms: ReadonlySet<string>): number {
  let roles = 0;
  for (const [role, pattern] of Object.entries(roleWords) as [FileRole, RegExp][]) {
    if ([...terms].some((term) => pattern.test(term))) roles |= fileRoles[role];
  }
  return roles;
}
