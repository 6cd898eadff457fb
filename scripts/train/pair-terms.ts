/** Training pairs as Spillway's own terms: only words are kept, no text of a repository. */
import { isQuestionWord, splitWords, toTerms } from "../../src/retrieval/terms.ts";
import type { Pair } from "./comment-pairs.ts";

const MAX_QUESTION_TERMS = 24;
const MAX_PATH_TERMS = 10;
const MAX_CODE_TERMS = 110;
const MAX_WORD_CHARS = 60;
const termForm = /^[a-z][a-z0-9]{1,17}$/;

/** The line of a pair: the terms of the question, a tab, those of the path and the code. Each has a term once. */
export function writePair({ question, path, code }: Pair): string {
  const own = termsOf(question.replace(/['’]s\b/g, "")).filter((term) => !isQuestionWord(term));
  const inPath = termsOf(path.replace(/\.[^./]*$/, "")).slice(-MAX_PATH_TERMS);
  const inCode = termsOf(code).slice(0, MAX_CODE_TERMS);
  return `${own.slice(0, MAX_QUESTION_TERMS).join(" ")}\t${[...new Set([...inPath, ...inCode])].join(" ")}`;
}

const knownTerms = new Map<string, readonly string[]>();

function termsOf(text: string): string[] {
  return [...new Set(splitWords(text).flatMap(termsOfWord))];
}

function termsOfWord(word: string): readonly string[] {
  const known = knownTerms.get(word);
  if (known !== undefined) return known;
  const terms = word.length > MAX_WORD_CHARS ? [] : toTerms(word).parts.filter((part) => termForm.test(part));
  knownTerms.set(word, terms);
  return terms;
}
