/** Benchmarks the store at many artifacts, beside version 0.1.0. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateOldStore, generateStore, NEW_BLOBS } from "./store-data.ts";
import { measureFetchOverhead } from "./store-fetch.ts";

/** The last commit of version 0.1.0. */
const OLD_COMMIT = "740fe0c";

/** BENCH_STORE changes them: sizes of the new store, then `old=` and the size of the old one. */
const [sizesGiven = "100000,1000000", oldGiven = "100000"] = (process.env.BENCH_STORE ?? "").split("old=");
const sizes = (sizesGiven === "" ? "100000,1000000" : sizesGiven).split(",").filter(Boolean).map(Number);
const oldSize = Number(oldGiven);

/** A checkout of version 0.1.0 with its dependencies. Default: its commit, from the history of this repository. */
const oldRoot = process.env.BENCH_STORE_OLD;

const EXPIRED = 10_000;
const ROUNDS = 3;

export const about = `CPU ms above the same command on an empty store, median of ${ROUNDS}; sweep of ${EXPIRED.toLocaleString("en")} expired`;

type Program = {
  readonly name: string;
  readonly root: string;
  /** How often a command runs; the old one takes long. */
  readonly rounds: number;
};

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-store-"));
  try {
    const current = join(import.meta.dirname, "..");
    console.log(
      `Rows and blobs are generated. All expired artifacts and the ${NEW_BLOBS} newest have a blob of a few bytes; the others have none.\n`,
    );
    console.log(
      "| program | artifacts | ls | resources/list | rm | doctor | sweep | fetch overhead | peak MB above empty: ls, sweep |",
    );
    console.log("|---|---|---|---|---|---|---|---|---|");
    if (oldSize > 0) {
      const old = checkOutOld(join(folder, "0.1.0"));
      const home = join(folder, "old-home");
      const refs = generateOldStore(home, oldSize, EXPIRED / 10);
      await report(old, oldSize, home, refs, join(folder, "old-empty"));
    }
    for (const size of sizes) {
      const home = join(folder, `home-${size}`);
      const refs = await generateStore(home, size, EXPIRED);
      await report({ name: "this", root: current, rounds: ROUNDS }, size, home, refs, join(folder, "empty"));
      rmSync(home, { recursive: true });
    }
    await reportWriters(join(folder, "writers"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkOutOld(folder: string): Program {
  const name = "0.1.0 (sweep of a tenth)";
  if (oldRoot !== undefined) return { name, root: oldRoot, rounds: 1 };
  mkdirSync(folder);
  const root = join(import.meta.dirname, "..");
  execFileSync("bash", ["-c", `git archive ${OLD_COMMIT} | tar x -C "$0"`, folder], { cwd: root });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return { name, root: folder, rounds: 1 };
}

async function report(
  program: Program,
  size: number,
  home: string,
  refs: readonly string[],
  empty: string,
): Promise<void> {
  const command = (...args: string[]) => [join(program.root, "src/surfaces/cli/entry.ts"), ...args];
  const resources = [join(import.meta.dirname, "store-resources.ts"), program.root];
  const above = (args: readonly string[], rounds = program.rounds) => {
    const onStore = Array.from({ length: rounds }, () => measure(args, home));
    const onEmpty = Array.from({ length: rounds }, () => measure(args, empty));
    return {
      cpuMs: median(onStore.map(({ cpuMs }) => cpuMs)) - median(onEmpty.map(({ cpuMs }) => cpuMs)),
      peakMb: median(onStore.map(({ peakMb }) => peakMb)) - median(onEmpty.map(({ peakMb }) => peakMb)),
    };
  };
  const ls = above(command("artifacts", "ls"));
  const listed = above(resources);
  const removals = refs.slice(0, program.rounds).map((ref) => measure(command("artifacts", "rm", ref), home).cpuMs);
  const rmStart = median(Array.from({ length: ROUNDS }, () => measure(command("artifacts", "ls"), empty).cpuMs));
  const doctor = above(command("doctor"), 1);
  const sweep = above(command("artifacts", "sweep"), 1);
  const overheadMs = await measureFetchOverhead(program.root, home);
  const commands = [ls.cpuMs, listed.cpuMs, median(removals) - rmStart, doctor.cpuMs, sweep.cpuMs];
  const cells = [...commands.map((cpuMs) => cpuMs.toFixed(0)), overheadMs.toFixed(2)];
  const peaks = `${ls.peakMb.toFixed(0)}, ${sweep.peakMb.toFixed(0)}`;
  console.log(`| ${program.name} | ${size.toLocaleString("en")} | ${cells.join(" | ")} | ${peaks} |`);
}

function measure(args: readonly string[], home: string): { readonly cpuMs: number; readonly peakMb: number } {
  const env = { ...process.env, SPILLWAY_HOME: home };
  const meter = join(import.meta.dirname, "store-meter.ts");
  const { status, stderr } = spawnSync(process.execPath, ["--import", meter, ...args], { env, encoding: "utf8" });
  if (status !== 0 && !args.includes("doctor")) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  const [, cpuMs = "NaN", peakMb = "NaN"] = /meter (\S+) (\S+)\n/.exec(stderr) ?? [];
  return { cpuMs: Number(cpuMs), peakMb: Number(peakMb) };
}

const WRITERS = 20;

async function reportWriters(home: string): Promise<void> {
  const writer = join(import.meta.dirname, "store-writer.ts");
  const children = Array.from({ length: WRITERS }, (_, index) =>
    spawn(process.execPath, [writer, home, String(index)], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const said = await Promise.all(
    children.map(async (child) => {
      let text = "";
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      await once(child, "close");
      return text;
    }),
  );
  const results = said.map((text) => JSON.parse(text) as { kept: number; errors: number; cpuMs: number });
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  const [kept, errors] = [sum((result) => result.kept), sum((result) => result.errors)];
  const perKeep = sum((result) => result.cpuMs) / kept;
  console.log(
    `\n${WRITERS} processes at once: ${kept} artifacts kept, ${errors} errors, ${perKeep.toFixed(2)} CPU ms each.`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
