/** Reads training pairs as numbers: the terms of questions and of code that occur in enough repositories. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isQuestionWord, splitWords, toTerms } from "../../src/retrieval/terms.ts";
import type { Pair } from "./comment-pairs.ts";

/** Pairs of one repository: the terms of each question and of each code, without repetition. */
export type PairBlock = { readonly questions: readonly Int32Array[]; readonly codes: readonly Int32Array[] };

export type TrainingData = {
  readonly terms: readonly string[];
  /** How much a term says about code: the logarithm of its rarity. */
  readonly rarity: Float32Array;
  readonly blocks: readonly PairBlock[];
  readonly pairCount: number;
  /** Identifies the pairs: the same digest and seed give the same table. */
  readonly digest: string;
};

/** Pairs of one repository: no project may decide what words mean. */
const MAX_REPOSITORY_PAIRS = 8_000;
/** A term of fewer repositories means something in one project only. */
const MIN_REPOSITORIES = 6;
const MIN_PAIRS = 15;
const MAX_TERMS = 14_000;
const MAX_QUESTION_TERMS = 24;
const MAX_PATH_TERMS = 10;
const MAX_CODE_TERMS = 110;
const termForm = /^[a-z][a-z0-9]{1,17}$/;

/** Reads the pairs of these repositories. */
export function readPairs(folder: string, repositories: readonly string[]): TrainingData {
  const digest = createHash("sha256");
  const words = createNumbering();
  const raw = repositories.map((repository) => {
    const text = readFileSync(join(folder, `${repository.replace("/", "+")}.jsonl`), "utf8");
    digest.update(text);
    const pairs = sampleEvenly(text.trimEnd().split("\n").filter(Boolean), MAX_REPOSITORY_PAIRS);
    return pairs.map((line) => numberPair(JSON.parse(line), words)).filter(({ question }) => question.length >= 2);
  });
  const chosen = chooseTerms(raw, words.terms.length);
  const blocks = raw.map((pairs) => keepChosen(pairs, chosen.newNumber));
  return {
    terms: chosen.numbers.map((number) => words.terms[number] ?? ""),
    rarity: chosen.rarity,
    blocks,
    pairCount: blocks.reduce((sum, { questions }) => sum + questions.length, 0),
    digest: digest.digest("hex"),
  };
}

/** At most so many items, in their order and from all of them. */
function sampleEvenly<T>(items: readonly T[], max: number): readonly T[] {
  const step = Math.max(1, items.length / max);
  return items.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
}

type NumberedPair = { readonly question: Int32Array; readonly code: Int32Array };

function createNumbering() {
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  const cache = new Map<string, readonly number[]>();
  const numberOf = (term: string): number => {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, terms.length);
    return terms.push(term) - 1;
  };
  /** The numbers of a word's parts. */
  const ofWord = (word: string): readonly number[] => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const parts = word.length > 60 ? [] : toTerms(word).parts.filter((part) => termForm.test(part));
    const found = parts.map(numberOf);
    cache.set(word, found);
    return found;
  };
  return { terms, ofText: (text: string): number[] => [...new Set(splitWords(text).flatMap(ofWord))] };
}

type Numbering = ReturnType<typeof createNumbering>;

function numberPair({ question, path, code }: Pair, { terms, ofText }: Numbering): NumberedPair {
  const own = ofText(question.replace(/['’]s\b/g, "")).filter((number) => !isQuestionWord(terms[number] ?? ""));
  const inPath = ofText(path.replace(/\.[^./]*$/, "")).slice(-MAX_PATH_TERMS);
  const inCode = ofText(code).slice(0, MAX_CODE_TERMS);
  return {
    question: Int32Array.from(own.slice(0, MAX_QUESTION_TERMS)),
    code: Int32Array.from(new Set([...inPath, ...inCode])),
  };
}

/** The terms of enough repositories and pairs, the most frequent first. */
function chooseTerms(raw: readonly (readonly NumberedPair[])[], count: number) {
  const [repositories, pairs, codes] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const lastRepository = new Int32Array(count).fill(-1);
  const add = (numbers: Int32Array, number: number) => {
    numbers[number] = (numbers[number] ?? 0) + 1;
  };
  for (const [repository, block] of raw.entries()) {
    for (const { question, code } of block) {
      for (const term of new Set([...question, ...code])) {
        add(pairs, term);
        if (lastRepository[term] !== repository) add(repositories, term);
        lastRepository[term] = repository;
      }
      for (const term of code) add(codes, term);
    }
  }
  const isCommon = (term: number) => (repositories[term] ?? 0) >= MIN_REPOSITORIES && (pairs[term] ?? 0) >= MIN_PAIRS;
  const numbers = Array.from({ length: count }, (_, term) => term)
    .filter(isCommon)
    .sort((one, other) => (pairs[other] ?? 0) - (pairs[one] ?? 0) || one - other)
    .slice(0, MAX_TERMS);
  const newNumber = new Int32Array(count).fill(-1);
  for (const [place, term] of numbers.entries()) newNumber[term] = place;
  const total = raw.reduce((sum, block) => sum + block.length, 0);
  return {
    numbers,
    newNumber,
    rarity: Float32Array.from(numbers, (term) => Math.log(1 + total / ((codes[term] ?? 0) + 5))),
  };
}

const MIN_KEPT_CODE_TERMS = 4;

function keepChosen(pairs: readonly NumberedPair[], newNumber: Int32Array): PairBlock {
  const keep = (terms: Int32Array) => terms.map((term) => newNumber[term] ?? -1).filter((term) => term >= 0);
  const kept = pairs
    .map(({ question, code }) => ({ question: keep(question), code: keep(code) }))
    .filter(({ question, code }) => question.length >= 2 && code.length >= MIN_KEPT_CODE_TERMS);
  return { questions: kept.map(({ question }) => question), codes: kept.map(({ code }) => code) };
}
