/** Benchmarks the store at many artifacts, beside version 0.1.0. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkOutOldVersion } from "./old-version.ts";
import { generateOldStore, generateStore, NEW_BLOBS } from "./store-data.ts";
import { measureFetchOverhead } from "./store-fetch.ts";

/** BENCH_STORE changes them: sizes of the new store, then `old=` and the size of the old one. */
const [sizesGiven = "100000,1000000", oldGiven = "100000"] = (process.env.BENCH_STORE ?? "").split("old=");
const sizes = (sizesGiven === "" ? "100000,1000000" : sizesGiven).split(",").filter(Boolean).map(Number);
const oldSize = Number(oldGiven);

/** A checkout of version 0.1.0 with its dependencies. Default: its commit, from the history of this repository. */
const oldRoot = process.env.BENCH_STORE_OLD;

const EXPIRED = 10_000;
const ROUNDS = 7;

export const about = `CPU ms of the built program, median of ${ROUNDS} taken in turn; sweep of ${EXPIRED.toLocaleString("en")} expired`;

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
    buildProgram(current);
    console.log(
      `Above the same command on an empty store (rm: above ls there), and after the slash above --version. Rows and blobs are generated. All expired artifacts and the ${NEW_BLOBS} newest have a blob of a few bytes; the others have none. Folders of extracts exist, as in a store of that size.\n`,
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
  if (oldRoot !== undefined) {
    if (!existsSync(join(oldRoot, "dist"))) buildProgram(oldRoot);
    return { name, root: oldRoot, rounds: 1 };
  }
  checkOutOldVersion(folder);
  buildProgram(folder);
  return { name, root: folder, rounds: 1 };
}

function buildProgram(root: string): void {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { cwd: root, stdio: "ignore" });
}

async function report(
  program: Program,
  size: number,
  home: string,
  refs: readonly string[],
  empty: string,
): Promise<void> {
  const command = (...args: string[]) => [join(program.root, "dist/cli.js"), ...args];
  const resources = [join(import.meta.dirname, "store-resources.ts"), program.root];
  const compare = (args: readonly string[], rounds = program.rounds, onEmpty = args) =>
    compareRuns(rounds, {
      onStore: (round) => measure(args.includes("rm") ? [...args, refs[round] ?? ""] : args, home),
      onEmpty: () => measure(onEmpty, empty),
      version: () => measure(command("--version"), empty),
    });
  const ls = compare(command("artifacts", "ls"));
  const listed = compare(resources);
  const rm = compare(command("artifacts", "rm"), program.rounds, command("artifacts", "ls"));
  const doctor = compare(command("doctor"), 1);
  // Before the sweep: for minutes after thousands of files were deleted, ext4 takes longer to create one.
  const overheadMs = await measureFetchOverhead(program.root, home);
  const sweep = compare(command("artifacts", "sweep"), 1);
  const commands = [ls, listed, rm, doctor, sweep].map(formatComparison);
  const peaks = `${ls.peakMb.toFixed(0)}, ${sweep.peakMb.toFixed(0)}`;
  const cells = [program.name, size.toLocaleString("en"), ...commands, overheadMs.toFixed(2), peaks];
  console.log(`| ${cells.join(" | ")} |`);
}

type Usage = { readonly cpuMs: number; readonly peakMb: number };

/** The runs of one command, by round. */
type Runs = Readonly<Record<"onStore" | "onEmpty" | "version", (round: number) => Usage>>;

/** What a command uses above the same one on an empty store, and its CPU time above --version. */
type Comparison = Usage & { readonly aboveVersionMs: number };

function compareRuns(rounds: number, runs: Runs): Comparison {
  const usages = Array.from({ length: rounds }, (_, round) => ({
    onStore: runs.onStore(round),
    onEmpty: runs.onEmpty(round),
    version: runs.version(round),
  }));
  const typical = (name: keyof Runs, unit: keyof Usage) => median(usages.map((usage) => usage[name][unit]));
  return {
    cpuMs: typical("onStore", "cpuMs") - typical("onEmpty", "cpuMs"),
    peakMb: typical("onStore", "peakMb") - typical("onEmpty", "peakMb"),
    aboveVersionMs: typical("onStore", "cpuMs") - typical("version", "cpuMs"),
  };
}

const formatComparison = ({ cpuMs, aboveVersionMs }: Comparison): string =>
  `${cpuMs.toFixed(0)} / ${aboveVersionMs.toFixed(0)}`;

function measure(args: readonly string[], home: string): Usage {
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
