/**
 * Trains the table of words that ships with code search (src/search/learnt/table.bin). It needs a C compiler (`cc`).
 *
 *   node scripts/train/train-table.ts PAIRS TABLE [seed] [repository...]
 *
 * The vectors are trained by train-vectors.c; the share of each word that code keeps is counted.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeTable } from "../../src/search/learnt/word-table-file.ts";
import { readPairs, type TrainingData } from "./read-pairs.ts";

const DIMENSIONS = 64;
const program = fileURLToPath(new URL("train-vectors.c", import.meta.url));

const [pairsFolder = "", output = "", seed = "1", ...chosen] = process.argv.slice(2);
const listed: { repository: string }[] = JSON.parse(
  readFileSync(new URL("repositories.json", import.meta.url), "utf8"),
);
const repositories = chosen.length > 0 ? chosen : listed.map(({ repository }) => repository);
const data = readPairs(pairsFolder, repositories);
console.log(
  `${data.pairCount} pairs of ${repositories.length} repositories, ${data.terms.length} terms, digest ${data.digest}`,
);
const { questions, codes } = trainVectors(data);
writeFileSync(output, encodeTable({ terms: data.terms, dimensions: DIMENSIONS, kept: data.kept, questions, codes }));

function trainVectors(training: TrainingData): { questions: Float32Array; codes: Float32Array } {
  const folder = mkdtempSync(join(tmpdir(), "spillway-train-"));
  try {
    const [trainer, pairs, vectors] = ["trainer", "pairs.bin", "vectors.bin"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    execFileSync("cc", ["-O3", "-march=native", "-ffast-math", "-o", trainer, program, "-lm"]);
    writeFileSync(pairs, encodePairs(training));
    execFileSync(trainer, [pairs, vectors, seed], { stdio: "inherit" });
    const numbers = new Float32Array(Uint8Array.from(readFileSync(vectors)).buffer);
    const half = numbers.length / 2;
    return { questions: numbers.subarray(0, half), codes: numbers.subarray(half) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The pairs as the trainer reads them. */
function encodePairs({ blocks, rarity, pairCount, terms }: TrainingData): Uint8Array {
  const parts: (Int32Array | Float32Array)[] = [Int32Array.of(pairCount, terms.length), rarity];
  for (const [repository, block] of blocks.entries()) {
    for (const [pair, question] of block.questions.entries()) {
      const code = block.codes[pair] ?? new Int32Array();
      parts.push(Int32Array.of(repository, question.length, code.length), question, code);
    }
  }
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
    offset += part.byteLength;
  }
  return bytes;
}
