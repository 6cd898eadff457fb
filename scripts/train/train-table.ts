/**
 * Trains the table of word vectors that ships with code search (src/search/learnt/table.bin), in plain TypeScript.
 *
 *   node scripts/train/train-table.ts PAIRS TABLE [seed] [repository...]
 *
 * Two vectors for each term: one for questions, one for code. A question and a code are the sums of their terms'
 * vectors. In each batch, every question has to find its own code among those of the batch, half of which are of the
 * same repository. How many words the two share is a feature of the loss, so the vectors learn only what words do not
 * tell; and half of the codes lose the words that they share with their question.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { encodeTable } from "../../src/search/learnt/word-table-file.ts";
import { type PairBlock, readPairs } from "./read-pairs.ts";

const DIMENSIONS = 64;
const BATCH = 256;
/** Consecutive pairs of one repository in a batch. */
const BLOCK = 128;
const EPOCHS = 3;
const LEARNING_RATE = 0.1;
const SCALE = 16;
const INITIAL_SIZE = 0.03;
const MASKED_SHARE = 0.5;
/** Smaller gradients are left out: nearly all are, and they change nothing. */
const MIN_GRADIENT = 2e-4;

const [pairsFolder = "", output = "", seedText = "1", ...chosen] = process.argv.slice(2);
const listed: { repository: string }[] = JSON.parse(
  readFileSync(new URL("repositories.json", import.meta.url), "utf8"),
);
const repositories = chosen.length > 0 ? chosen : listed.map(({ repository }) => repository);
const random = createRandom(Number(seedText));
const { terms, rarity, blocks, pairCount, digest } = readPairs(pairsFolder, repositories);
console.log(`${pairCount} pairs of ${repositories.length} repositories, ${terms.length} terms, digest ${digest}`);

const vectors = [initialVectors(), initialVectors()] as const;
const squares = [
  new Float32Array(vectors[0].length).fill(1e-8),
  new Float32Array(vectors[1].length).fill(1e-8),
] as const;
let lexicalWeight = 1;
let lexicalSquares = 1e-8;

const sums = [new Float32Array(BATCH * DIMENSIONS), new Float32Array(BATCH * DIMENSIONS)] as const;
const lengths = [new Float32Array(BATCH), new Float32Array(BATCH)] as const;
const gradients = [new Float32Array(BATCH * DIMENSIONS), new Float32Array(BATCH * DIMENSIONS)] as const;
const lexical = new Float32Array(BATCH * BATCH);
const shares = new Float32Array(BATCH * BATCH);

for (let epoch = 0; epoch < EPOCHS; epoch++) {
  const places = shuffle(listBlocks(blocks));
  const totals = { loss: 0, hits: 0, pairs: 0 };
  for (let first = 0; first + 1 < places.length; first += BATCH / BLOCK) {
    const rate = LEARNING_RATE * (1 - (epoch * places.length + first) / (EPOCHS * places.length)) + 0.005;
    trainBatch(places.slice(first, first + BATCH / BLOCK), rate, totals);
  }
  const { loss, hits, pairs } = totals;
  console.log(
    `epoch ${epoch + 1}: loss ${(loss / pairs).toFixed(4)}, right ${(hits / pairs).toFixed(4)}, words ${lexicalWeight.toFixed(2)}`,
  );
}
writeFileSync(output, encodeTable({ terms, dimensions: DIMENSIONS, questions: vectors[0], codes: vectors[1] }));

function initialVectors(): Float32Array {
  return Float32Array.from({ length: terms.length * DIMENSIONS }, () => (random() * 2 - 1) * INITIAL_SIZE);
}

type Place = { readonly block: PairBlock; readonly first: number };

/** Where runs of consecutive pairs begin. */
function listBlocks(all: readonly PairBlock[]): Place[] {
  return all.flatMap((block) => {
    const count = Math.floor(block.questions.length / BLOCK);
    const offset = Math.floor(random() * Math.max(1, block.questions.length - count * BLOCK));
    return Array.from({ length: count }, (_, index) => ({ block, first: offset + index * BLOCK }));
  });
}

function shuffle<T>(items: T[]): T[] {
  for (let index = items.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [items[index], items[other]] = [items[other] as T, items[index] as T];
  }
  return items;
}

type Totals = { loss: number; hits: number; pairs: number };

function trainBatch(places: readonly Place[], rate: number, totals: Totals): void {
  const questions: Int32Array[] = [];
  const codes: Int32Array[] = [];
  for (const { block, first } of places) {
    for (let pair = first; pair < first + BLOCK; pair++) {
      const question = block.questions[pair];
      const code = block.codes[pair];
      if (question === undefined || code === undefined) return;
      questions.push(question);
      codes.push(random() < MASKED_SHARE ? withoutTerms(code, question) : code);
    }
  }
  if (questions.length < BATCH) return;
  measureLexical(questions, codes);
  for (const [side, rows] of [questions, codes].entries()) sumVectors(side, rows);
  scoreBatch(totals);
  collectGradients();
  for (const [side, rows] of [questions, codes].entries()) update(side, rows, rate);
}

function withoutTerms(code: Int32Array, question: Int32Array): Int32Array {
  const rest = code.filter((term) => !question.includes(term));
  return rest.length > 0 ? rest : code;
}

/** The share of a question's rarity that a code has, for all pairs of the batch. */
function measureLexical(questions: readonly Int32Array[], codes: readonly Int32Array[]): void {
  lexical.fill(0);
  const withTerm = new Map<number, number[]>();
  for (const [row, code] of codes.entries()) {
    for (const term of code) {
      const rows = withTerm.get(term);
      if (rows === undefined) withTerm.set(term, [row]);
      else rows.push(row);
    }
  }
  for (const [row, question] of questions.entries()) {
    const total = question.reduce((sum, term) => sum + (rarity[term] as number), 0);
    for (const term of question) {
      const gain = (rarity[term] as number) / total;
      for (const code of withTerm.get(term) ?? []) {
        lexical[row * BATCH + code] = (lexical[row * BATCH + code] as number) + gain;
      }
    }
  }
}

/** Sums of the terms' vectors, made one long. */
function sumVectors(side: number, rows: readonly Int32Array[]): void {
  const [table, out] = [vectors[side] as Float32Array, sums[side] as Float32Array];
  out.fill(0);
  for (const [row, numbers] of rows.entries()) {
    const start = row * DIMENSIONS;
    for (const term of numbers) {
      const from = term * DIMENSIONS;
      for (let index = 0; index < DIMENSIONS; index++) {
        out[start + index] = (out[start + index] as number) + (table[from + index] as number);
      }
    }
    let square = 0;
    for (let index = 0; index < DIMENSIONS; index++) square += (out[start + index] as number) ** 2;
    const length = Math.sqrt(square) || 1;
    (lengths[side] as Float32Array)[row] = length;
    for (let index = 0; index < DIMENSIONS; index++) out[start + index] = (out[start + index] as number) / length;
  }
}

/** The probability that the model gives each code for each question; less one for the right code, it is the gradient. */
function scoreBatch(totals: Totals): void {
  const [questions, codes] = sums;
  let lexicalGradient = 0;
  for (let row = 0; row < BATCH; row++) {
    const base = row * BATCH;
    let max = -Infinity;
    let best = 0;
    for (let code = 0; code < BATCH; code++) {
      let cosine = 0;
      for (let index = 0; index < DIMENSIONS; index++) {
        cosine += (questions[row * DIMENSIONS + index] as number) * (codes[code * DIMENSIONS + index] as number);
      }
      const score = SCALE * cosine + lexicalWeight * (lexical[base + code] as number);
      shares[base + code] = score;
      if (score > max) [max, best] = [score, code];
    }
    let sum = 0;
    for (let code = 0; code < BATCH; code++) {
      const share = Math.exp((shares[base + code] as number) - max);
      shares[base + code] = share;
      sum += share;
    }
    for (let code = 0; code < BATCH; code++) shares[base + code] = (shares[base + code] as number) / sum;
    totals.loss -= Math.log((shares[base + row] as number) + 1e-12);
    totals.hits += best === row ? 1 : 0;
    totals.pairs += 1;
    shares[base + row] = (shares[base + row] as number) - 1;
    for (let code = 0; code < BATCH; code++) {
      lexicalGradient += (shares[base + code] as number) * (lexical[base + code] as number);
    }
  }
  const mean = lexicalGradient / BATCH;
  lexicalSquares += mean * mean;
  lexicalWeight -= (0.3 * mean) / Math.sqrt(lexicalSquares);
}

function collectGradients(): void {
  const [questions, codes] = sums;
  const [ofQuestions, ofCodes] = gradients;
  ofQuestions.fill(0);
  ofCodes.fill(0);
  for (let row = 0; row < BATCH; row++) {
    for (let code = 0; code < BATCH; code++) {
      const gradient = shares[row * BATCH + code] as number;
      if (Math.abs(gradient) < MIN_GRADIENT) continue;
      const [to, from] = [row * DIMENSIONS, code * DIMENSIONS];
      for (let index = 0; index < DIMENSIONS; index++) {
        ofQuestions[to + index] = (ofQuestions[to + index] as number) + gradient * (codes[from + index] as number);
        ofCodes[from + index] = (ofCodes[from + index] as number) + gradient * (questions[to + index] as number);
      }
    }
  }
}

/** Adagrad: a term that was changed much is changed less. */
function update(side: number, rows: readonly Int32Array[], rate: number): void {
  const [table, past] = [vectors[side] as Float32Array, squares[side] as Float32Array];
  const [unit, slope] = [sums[side] as Float32Array, gradients[side] as Float32Array];
  for (const [row, numbers] of rows.entries()) {
    const start = row * DIMENSIONS;
    const length = (lengths[side] as Float32Array)[row] as number;
    let along = 0;
    for (let index = 0; index < DIMENSIONS; index++)
      along += (unit[start + index] as number) * (slope[start + index] as number);
    for (let index = 0; index < DIMENSIONS; index++) {
      slope[start + index] = ((slope[start + index] as number) - along * (unit[start + index] as number)) / length;
    }
    for (const term of numbers) {
      const to = term * DIMENSIONS;
      for (let index = 0; index < DIMENSIONS; index++) {
        const gradient = slope[start + index] as number;
        const square = (past[to + index] as number) + gradient * gradient;
        past[to + index] = square;
        table[to + index] = (table[to + index] as number) - (rate * gradient) / Math.sqrt(square);
      }
    }
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
