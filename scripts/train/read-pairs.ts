/** Reads training pairs as numbers: the terms of questions and of code that occur in enough repositories. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Pairs of one repository: the terms of each question and of each code, without repetition. */
export type PairBlock = { readonly questions: readonly Int32Array[]; readonly codes: readonly Int32Array[] };

export type TrainingData = {
  readonly terms: readonly string[];
  /** How much a term says about code: the logarithm of its rarity. */
  readonly rarity: Float32Array;
  /** How often the code has a term that its question has, from 0 to 1. */
  readonly kept: Float32Array;
  readonly blocks: readonly PairBlock[];
  readonly pairCount: number;
  /** Identifies the pairs: the same digest and seed give the same table. */
  readonly digest: string;
};

/** Pairs of one repository: no project may decide what words mean. */
const MAX_REPOSITORY_PAIRS = 16_000;
/** A term of fewer repositories means something in one project only. */
const MIN_REPOSITORIES = 8;
const MIN_PAIRS = 20;
const MAX_TERMS = 14_000;

/** Reads the pairs of these repositories. */
export function readPairs(folder: string, repositories: readonly string[]): TrainingData {
  const digest = createHash("sha256");
  const numbering = createNumbering();
  const raw = repositories.map((repository) => {
    const bytes = gunzipSync(readFileSync(join(folder, `${repository.replace("/", "+")}.txt.gz`)));
    digest.update(bytes);
    const lines = bytes.toString("utf8").trimEnd().split("\n").filter(Boolean);
    return sampleEvenly(lines, MAX_REPOSITORY_PAIRS).map((line) => numberPair(line, numbering.numberOf));
  });
  const chosen = chooseTerms(raw, numbering.terms.length);
  const blocks = raw.map((pairs) => keepChosen(pairs, chosen.newNumber));
  return {
    terms: chosen.numbers.map((number) => numbering.terms[number] ?? ""),
    rarity: chosen.rarity,
    kept: chosen.kept,
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
  const numberOf = (term: string): number => {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, terms.length);
    return terms.push(term) - 1;
  };
  return { terms, numberOf };
}

/** The numbers of a line's terms. See `writePair`. */
function numberPair(line: string, numberOf: (term: string) => number): NumberedPair {
  const [, question = "", code = ""] = line.split("\t");
  const numbersOf = (text: string) => Int32Array.from(text.split(" ").filter(Boolean), numberOf);
  return { question: numbersOf(question), code: numbersOf(code) };
}

/** The terms of enough repositories and pairs, the most frequent first. */
function chooseTerms(raw: readonly (readonly NumberedPair[])[], count: number) {
  const [repositories, pairs, codes] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const [asked, common] = [new Int32Array(count), new Int32Array(count)];
  const [lastRepository, lastPair] = [new Int32Array(count).fill(-1), new Int32Array(count).fill(-1)];
  const add = (numbers: Int32Array, number: number) => {
    numbers[number] = (numbers[number] ?? 0) + 1;
  };
  let pair = 0;
  for (const [repository, block] of raw.entries()) {
    for (const { question, code } of block) {
      for (const term of code) {
        add(codes, term);
        add(pairs, term);
        lastPair[term] = pair;
        if (lastRepository[term] !== repository) add(repositories, term);
        lastRepository[term] = repository;
      }
      for (const term of question) {
        add(asked, term);
        if (lastPair[term] === pair) add(common, term);
        else add(pairs, term);
        if (lastRepository[term] !== repository) add(repositories, term);
        lastRepository[term] = repository;
      }
      pair++;
    }
  }
  const isCommon = (term: number) => (repositories[term] ?? 0) >= MIN_REPOSITORIES && (pairs[term] ?? 0) >= MIN_PAIRS;
  const numbers = Array.from({ length: count }, (_, term) => term)
    .filter(isCommon)
    .sort((one, other) => (pairs[other] ?? 0) - (pairs[one] ?? 0) || one - other)
    .slice(0, MAX_TERMS);
  const newNumber = new Int32Array(count).fill(-1);
  for (const [place, term] of numbers.entries()) newNumber[term] = place;
  return {
    numbers,
    newNumber,
    rarity: Float32Array.from(numbers, (term) => Math.log(1 + pair / ((codes[term] ?? 0) + 5))),
    kept: Float32Array.from(numbers, (term) => keptShare(common[term] ?? 0, asked[term] ?? 0)),
  };
}

/** Of a term that was asked for rarely, the mean of all terms is assumed. */
const MEAN_KEPT_SHARE = 0.45;
const MEAN_KEPT_PAIRS = 6;

function keptShare(common: number, asked: number): number {
  return (common + MEAN_KEPT_SHARE * MEAN_KEPT_PAIRS) / (asked + MEAN_KEPT_PAIRS);
}

const MIN_KEPT_CODE_TERMS = 4;

function keepChosen(pairs: readonly NumberedPair[], newNumber: Int32Array): PairBlock {
  const keep = (terms: Int32Array) => terms.map((term) => newNumber[term] ?? -1).filter((term) => term >= 0);
  const kept = pairs
    .map(({ question, code }) => ({ question: keep(question), code: keep(code) }))
    .filter(({ question, code }) => question.length >= 2 && code.length >= MIN_KEPT_CODE_TERMS);
  return { questions: kept.map(({ question }) => question), codes: kept.map(({ code }) => code) };
}
