/** Benchmarks the start of the built command against an empty Node program. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = 40;

export const about = `CPU time from start to exit, median of ${ROUNDS} runs taken in turn`;

export async function run(): Promise<void> {
  const root = join(import.meta.dirname, "..");
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  const empty = join(folder, "empty.js");
  writeFileSync(empty, "");
  const page = join(folder, "page.html");
  const cli = join(root, "dist", "cli.js");
  const commands: Record<string, string[]> = {
    "empty Node": [empty],
    "spillway --version": [cli, "--version"],
    "spillway help": [cli, "help"],
    "spillway fetch (small text)": [cli, "fetch", join(root, "package.json")],
    "spillway fetch (small web page)": [cli, "fetch", page],
  };
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "home") };
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    // An unchanged page would not be parsed again.
    writeFileSync(
      page,
      `<!doctype html><h1>Round ${round}</h1>${"<p>A page with a little text on it.</p>".repeat(50)}`,
    );
    for (const [name, args] of Object.entries(commands)) times[name]?.push(measureCpuMs(args, env));
  }
  rmSync(folder, { recursive: true });
  const base = median(times["empty Node"] ?? []);
  console.log("| what | CPU ms | ratio |\n|---|---|---|");
  for (const [name, list] of Object.entries(times)) {
    console.log(`| ${name} | ${median(list).toFixed(1)} | ${(median(list) / base).toFixed(2)} |`);
  }
}

/** User and system time of one child, as the shell's `times` reports it. */
function measureCpuMs(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const script = '"$0" "$@" >/dev/null; times';
  const { stdout } = spawnSync("bash", ["-c", script, process.execPath, ...args], { env, encoding: "utf8" });
  const children = stdout.trim().split("\n").at(-1) ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + Number(m) * 60_000 + Number(s) * 1_000,
    0,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
