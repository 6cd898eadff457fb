import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";
import { makeDocx, makeParagraph } from "../office.ts";
import { type Bomb, bombs } from "../office-bombs.ts";
import { officeTypes } from "../office-text.ts";

type Cost = { readonly cpuMs: number; readonly peakMb: number; readonly chars: number; readonly reason: string | null };

/** On a busy machine CPU time is counted up to twice. */
const MAX_CPU_MS = 2_000;
/** What a child of the published package has left below 150 MB: it starts with 50 MB, these processes with more. */
const MAX_GROWTH_MB = 100;

/** Reads the document in a process of its own. */
async function measure(folder: string, { format, make }: Omit<Bomb, "name">): Promise<Cost> {
  const path = join(folder, "bomb");
  await writeFile(path, make());
  const program = join(import.meta.dirname, "..", "office-bomb-child.ts");
  const { stdout, stderr } = spawnSync(process.execPath, [program, officeTypes[format], path], { encoding: "utf8" });
  assert.ok(stdout.startsWith("{"), stderr);
  return JSON.parse(stdout);
}

describe("a document made to exhaust a reader", { timeout: 600_000 }, () => {
  test("there are more than thirty, each different", () => {
    assert.ok(new Set(bombs.map(({ name }) => name)).size > 30);
  });

  test("ends in text or a typed reason, with little CPU time and memory", async (t) => {
    await using folder = await makeTemporaryFolder();
    const harmless = await measure(folder.path, { format: "docx", make: () => makeDocx(makeParagraph("x")) });
    for (const bomb of bombs) {
      const { cpuMs, peakMb, chars, reason } = await measure(folder.path, bomb);
      t.diagnostic(
        `${bomb.name}: ${Math.round(cpuMs)} ms, ${Math.round(peakMb)} MB, ${reason ?? `${chars} characters`}`,
      );
      assert.ok(chars > 0 || reason !== null, bomb.name);
      assert.ok(cpuMs < MAX_CPU_MS, `${bomb.name}: ${cpuMs} ms`);
      assert.ok(peakMb - harmless.peakMb < MAX_GROWTH_MB, `${bomb.name}: ${peakMb} MB`);
    }
  });
});
