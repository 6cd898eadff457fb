import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { listDocuments, officeCorpusFolder } from "../../bench/office.ts";
import { engines, extensionOf } from "../../bench/office-engines.ts";
import { computeRecall, readWords } from "../../bench/office-score.ts";

/** Mean string recall by format on the corpus with this digest, rounded down; a change may raise them. */
const floors: Readonly<Record<string, number>> = {
  docx: 0.996,
  pptx: 1,
  xlsx: 0.9999,
  xlsm: 1,
  odt: 1,
  ods: 1,
  odp: 1,
};
const corpusDigest = "d95288e6f55a12bb46480b994859ab3f3461de4c267283c7a27c7fdaf3d100b8";
const MIN_WORDS = 5;

test("the text of office documents contains their words at least as well as before", async (t) => {
  const paths = listDocuments(officeCorpusFolder());
  if (paths.length === 0) return t.skip("there is no corpus folder (set SPILLWAY_CORPUS)");
  const digest = digestFiles(paths);
  if (digest !== corpusDigest) return t.skip(`the floors belong to another corpus, this one has ${digest}`);
  for (const [format, floor] of Object.entries(floors)) {
    const recall = await measureRecall(paths.filter((path) => extensionOf(path) === format));
    t.diagnostic(`${format} ${recall.toFixed(4)}`);
    assert.ok(recall >= floor, `${format}: ${recall}`);
  }
});

function digestFiles(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(basename(path)).update(readFileSync(path));
  return hash.digest("hex");
}

async function measureRecall(paths: readonly string[]): Promise<number> {
  const read = await engines[0]?.load();
  assert.ok(read);
  const recalls: number[] = [];
  for (const path of paths) {
    const bytes = readFileSync(path);
    const words = await readWords(bytes, extensionOf(path));
    if (words.length < MIN_WORDS) continue;
    recalls.push(computeRecall(words, await read(bytes, path).catch(() => "")));
  }
  return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
}
