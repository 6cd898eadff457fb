/** The learnt table: what words mean in questions and in code. It is read once, when it is first needed. */
import { readFileSync } from "node:fs";
import { systemCode } from "../../errors.ts";
import { decodeTable, type WordVectors } from "./word-table-file.ts";

/** Numbers of a vector. */
export const VECTOR_DIMENSIONS = 64;
/** A stored vector has length 1 times this, so that its numbers fit in a byte. */
export const VECTOR_SCALE = 254;

/** The table with the row of each term. */
export type LearntTable = WordVectors & { readonly rows: ReadonlyMap<string, number> };

let loaded: LearntTable | undefined;

/** The table of this package: `table.bin` is next to this file, also in the bundle. */
export function loadLearntTable(): LearntTable {
  loaded ??= readTable();
  return loaded;
}

function readTable(): LearntTable {
  const bytes = readTableFile();
  if (bytes !== undefined) return openTable(bytes);
  const none = new Float32Array();
  return { terms: [], dimensions: VECTOR_DIMENSIONS, kept: none, questions: none, codes: none, rows: new Map() };
}

/** Bundlers of others leave the file behind, or the address of the module: then words alone have to do. */
function readTableFile(): Uint8Array | undefined {
  try {
    return readFileSync(new URL("table.bin", import.meta.url));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ERR_INVALID_URL" || code === "ERR_INVALID_URL_SCHEME") return undefined;
    throw error;
  }
}

function openTable(bytes: Uint8Array): LearntTable {
  const table = decodeTable(bytes);
  return { ...table, rows: new Map(table.terms.map((term, row) => [term, row])) };
}

/** Adds the vectors of terms in code, and gives the sum as bytes. */
export type VectorSum = {
  add(row: number): void;
  /** Writes the sum with length 1 to the array from `offset` on; nothing for a sum of no terms. */
  writeTo(bytes: Int8Array, offset: number): void;
  copyFrom(other: VectorSum): void;
  /** Adds another sum, both with length 1. */
  addEqually(other: VectorSum): void;
  readonly numbers: Float64Array;
};

/** An empty sum of vectors. */
export function createVectorSum({ codes }: LearntTable): VectorSum {
  const numbers = new Float64Array(VECTOR_DIMENSIONS);
  return {
    numbers,
    add(row) {
      const start = row * VECTOR_DIMENSIONS;
      for (let index = 0; index < VECTOR_DIMENSIONS; index++) {
        numbers[index] = (numbers[index] as number) + (codes[start + index] as number);
      }
    },
    writeTo(bytes, offset) {
      const scale = VECTOR_SCALE / lengthOf(numbers);
      for (let index = 0; index < VECTOR_DIMENSIONS; index++) {
        const value = Math.round((numbers[index] as number) * scale);
        bytes[offset + index] = Math.max(-127, Math.min(127, value));
      }
    },
    copyFrom: (other) => numbers.set(other.numbers),
    addEqually(other) {
      const [length, otherLength] = [lengthOf(numbers), lengthOf(other.numbers)];
      for (let index = 0; index < VECTOR_DIMENSIONS; index++) {
        numbers[index] = (numbers[index] as number) / length + (other.numbers[index] as number) / otherLength;
      }
    },
  };
}

/** A term and what it counts for beside the words of the question. */
type WeightedWord = { readonly text: string; readonly weight: number };

/** The vector of a question, of length 1; null if the table has fewer than two of its terms. */
export function findQuestionVector(
  terms: readonly string[],
  related: readonly WeightedWord[] = [],
): Float32Array | null {
  const { rows, questions } = loadLearntTable();
  if (terms.filter((term) => rows.has(term)).length < MIN_KNOWN_TERMS) return null;
  const vector = new Float32Array(VECTOR_DIMENSIONS);
  for (const { text, weight } of [...terms.map((term) => ({ text: term, weight: 1 })), ...related]) {
    const row = rows.get(text);
    if (row === undefined) continue;
    for (let index = 0; index < VECTOR_DIMENSIONS; index++) {
      vector[index] = (vector[index] as number) + weight * (questions[row * VECTOR_DIMENSIONS + index] as number);
    }
  }
  const length = lengthOf(vector);
  return vector.map((number) => number / length);
}

/** The share of a term that the table does not have: it is a rare one, most often a name. */
const UNKNOWN_KEPT_SHARE = 0.45;

/** How often code has this term, of questions about the code that have it: `token` mostly, `again` hardly ever. */
export function findKeptShare(term: string): number {
  const { rows, kept } = loadLearntTable();
  return kept[rows.get(term) ?? -1] ?? UNKNOWN_KEPT_SHARE;
}

/** One word says too little: what it means depends on the others. */
const MIN_KNOWN_TERMS = 2;

function lengthOf(numbers: Float64Array | Float32Array): number {
  let square = 0;
  for (let index = 0; index < numbers.length; index++) square += (numbers[index] as number) ** 2;
  return Math.sqrt(square) || 1;
}

/** The cosine between a question's vector and what a term means in code; 0 for a term that the table does not have. */
export function cosineToTerm(vector: Float32Array, term: string): number {
  const { rows, codes } = loadLearntTable();
  const row = rows.get(term);
  if (row === undefined) return 0;
  let [sum, square] = [0, 0];
  for (let index = 0; index < VECTOR_DIMENSIONS; index++) {
    const number = codes[row * VECTOR_DIMENSIONS + index] as number;
    sum += number * (vector[index] as number);
    square += number * number;
  }
  return sum / (Math.sqrt(square) || 1);
}

/** The cosine between a question's vector and the stored vector that begins at `offset`. */
export function cosineAt(vector: Float32Array, bytes: Int8Array, offset: number): number {
  // Four sums, because each addition would wait for the one before.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let index = 0; index < VECTOR_DIMENSIONS; index += 4) {
    const place = offset + index;
    first += (vector[index] as number) * (bytes[place] as number);
    second += (vector[index + 1] as number) * (bytes[place + 1] as number);
    third += (vector[index + 2] as number) * (bytes[place + 2] as number);
    fourth += (vector[index + 3] as number) * (bytes[place + 3] as number);
  }
  return (first + second + third + fourth) / VECTOR_SCALE;
}
