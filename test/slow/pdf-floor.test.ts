import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findScoreable, listPdfs, pdfCorpusFolder, readReferences, scoreFile } from "../../bench/pdf.ts";
import type { Reading } from "../../bench/pdf-readings.ts";
import { pdf } from "../../src/extract/pdf/pdf-handler.ts";

/** The agreement reached on the corpus with this list of files, rounded down. A change may raise it. */
const MIN_AGREEMENT = 0.99;
const corpusDigest = "0de07f655c9a1c2552b2abcf1a523b9498f10e1cac7098929e5d723c055d33e0";

async function readText(path: string): Promise<string> {
  const file = { content: { path }, sizeBytes: 0, kind: "pdf", mediaType: "application/pdf", charset: null } as const;
  const items = pdf.extract(file, { mode: "text", from: 0 }, new AbortController().signal);
  return (await Array.fromAsync(items, (item) => ("segment" in item ? item.segment.text : ""))).join("\n\n");
}

test("PDF text agrees with pdftotext and mutool at least as well as before", async (t) => {
  const list = join(dirname(pdfCorpusFolder()), "pdf.csv");
  if (!existsSync(list)) return t.skip("no corpus folder (set SPILLWAY_CORPUS)");
  const digest = createHash("sha256")
    .update(await readFile(list))
    .digest("hex");
  if (digest !== corpusDigest) return t.skip(`the floor is pinned on another list of files, this one has ${digest}`);
  const paths = listPdfs(pdfCorpusFolder());
  const references = readReferences(paths);
  if (references.length < 2) return t.skip("pdftotext and mutool are not both installed");
  const readings: Pick<Reading, "text">[] = [];
  for (const path of paths) readings.push({ text: await readText(path) });
  const scores = findScoreable(paths, references).map((file) => scoreFile(readings, file).tokens);
  const agreement = scores.reduce((sum, each) => sum + each, 0) / scores.length;
  t.diagnostic(`${scores.length} of ${paths.length} files, agreement ${agreement.toFixed(4)}`);
  assert.ok(scores.length > 150);
  assert.ok(agreement >= MIN_AGREEMENT, `${agreement}`);
});
