/** Measures what one file costs in a process like the children of the published package: bundled, with their heap. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { makeHeapOptions } from "../src/extract/pool/worker.ts";
import { makeTemporaryFolder } from "./bodies.ts";

export type Cost = {
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly chars: number;
  readonly infos: number;
  readonly reason: string | null;
};

/** On a busy machine CPU time is counted up to twice; alone, every file takes less than a second. */
export const MAX_CPU_MS = 2_000;
export const MAX_PEAK_MB = 150;

const MEMORY_BYTES = 512 * 1024 * 1024;

/** A program of the folder `test`, which reads the file that it is given and prints the cost. */
export async function makeBombMeter(program: "document-bomb-child" | "office-bomb-child") {
  const folder = await makeTemporaryFolder();
  const root = join(import.meta.dirname, "..");
  const isPackage = (id: string): boolean => /^[\w@]/.test(id);
  const bundle = await rolldown({
    input: join(import.meta.dirname, `${program}.ts`),
    platform: "node",
    external: isPackage,
  });
  await bundle.write({ dir: folder.path, format: "esm" });
  await bundle.close();
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"), "junction");

  async function measure(bytes: Buffer, mediaType: string, entry?: string): Promise<Cost> {
    const path = join(folder.path, "bomb");
    await writeFile(path, bytes);
    const script = join(folder.path, `${program}.js`);
    const args = [...makeHeapOptions(MEMORY_BYTES), script, mediaType, path, ...(entry === undefined ? [] : [entry])];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.ok(stdout.startsWith("{"), stderr);
    return { infos: 0, ...JSON.parse(stdout) };
  }

  return { measure, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
