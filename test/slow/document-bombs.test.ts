import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";
import { type DocumentBomb, documentBombs } from "../document-bombs.ts";

type Cost = {
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly chars: number;
  readonly infos: number;
  readonly reason: string | null;
};

/** On a busy machine CPU time is counted up to twice. */
const MAX_CPU_MS = 2_000;
/** What a child of the published package has left below 150 MB: it starts with 50 MB, these processes with more. */
const MAX_GROWTH_MB = 100;

/** Reads the file in a process of its own. */
async function measure(folder: string, { mediaType, make, entry }: Omit<DocumentBomb, "name">): Promise<Cost> {
  const path = join(folder, "bomb");
  await writeFile(path, await make());
  const program = join(import.meta.dirname, "..", "document-bomb-child.ts");
  const args = [program, mediaType, path, ...(entry === undefined ? [] : [entry])];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.ok(stdout.startsWith("{"), stderr);
  return JSON.parse(stdout);
}

describe("a file made to exhaust a reader", { timeout: 600_000 }, () => {
  test("there are more than thirty, each different", () => {
    assert.ok(new Set(documentBombs.map(({ name }) => name)).size > 30);
  });

  test("ends in text, facts or a typed reason, with little CPU time and memory", async (t) => {
    await using folder = await makeTemporaryFolder();
    const harmless = await measure(folder.path, { mediaType: "text/plain", make: () => Buffer.from("x") });
    for (const bomb of documentBombs) {
      const { cpuMs, peakMb, chars, infos, reason } = await measure(folder.path, bomb);
      const outcome = reason ?? `${chars} characters`;
      t.diagnostic(`${bomb.name}: ${Math.round(cpuMs)} ms, ${Math.round(peakMb)} MB, ${outcome}`);
      assert.equal(reason, bomb.reason ?? null, bomb.name);
      assert.ok(chars > 0 || infos > 0 || reason !== null, bomb.name);
      assert.ok(cpuMs < MAX_CPU_MS, `${bomb.name}: ${cpuMs} ms`);
      assert.ok(peakMb - harmless.peakMb < MAX_GROWTH_MB, `${bomb.name}: ${peakMb} MB`);
    }
  });
});
