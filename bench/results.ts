/** Stored results of benches, as docs/benchmarks.md shows them. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** One run of one bench: when, where and on what it ran, and what it printed, as Markdown. */
export type BenchResult = {
  readonly name: string;
  readonly about: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly text: string;
};

const folder = join(import.meta.dirname, "results");

export async function saveResult({ name, about, text }: Pick<BenchResult, "name" | "about" | "text">): Promise<void> {
  const result: BenchResult = {
    name,
    about,
    date: new Date().toISOString().slice(0, 10),
    commit: await describeCommit(),
    machine: describeMachine(),
    text,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** All stored results, by name. */
export async function readResults(): Promise<readonly BenchResult[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8"))));
}

/** The short hash, with a plus sign if files were changed since. */
async function describeCommit(): Promise<string> {
  const git = async (...args: string[]) => (await promisify(execFile)("git", args, { cwd: folder })).stdout.trim();
  await mkdir(folder, { recursive: true });
  const hash = await git("rev-parse", "--short=12", "HEAD");
  return (await git("status", "--porcelain", "--", "../../src")) === "" ? hash : `${hash}+`;
}

function describeMachine(): string {
  const [cpu, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpu?.model.trim() ?? "unknown processor"}, ${others.length + 1} cores, ${memory} GiB, Node ${process.version.slice(1)}`;
}
