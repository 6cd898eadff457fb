/** The cost of fetching over the network: compared with plain undici and with another library, and under load. */
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const about = "a 200 KB page compared with others, one gibibyte, and 100 agents with 10,000 fetches";

const root = join(import.meta.dirname, "..");

export async function run(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const server = fork(join(import.meta.dirname, "fetch-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "spillway-bench-"));
  try {
    await measurePage(origin, join(folder, "page"));
    await measureGibibyte(origin, join(folder, "gibibyte"));
    await measureAgents(origin, join(folder, "agents"));
  } finally {
    server.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The methods run in turn, several times, so that a busy machine affects all of them; each has its own process. */
const TURNS = 3;

const methods = [
  { method: "plain", name: "plain undici", rounds: 200 },
  { method: "extracted", name: "plain undici + our extraction", rounds: 200 },
  { method: "ours", name: "ours: guard, detection, store, extraction, answer", rounds: 200 },
  { method: "again", name: "ours, fetched before", rounds: 200 },
  { method: "peer", name: "plain undici + Readability + linkedom + turndown", rounds: 30 },
] as const;

async function measurePage(origin: string, home: string): Promise<void> {
  const measurements = methods.map(() => [] as { readonly cpuMs: number; readonly wallMs: number }[]);
  const filesUs: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    filesUs.push(measureFileCost(home));
    for (const [index, { method, rounds }] of methods.entries()) {
      const args = [
        join(import.meta.dirname, "fetch-page.ts"),
        method,
        origin,
        join(home, method),
        `${rounds}`,
        `${turn}`,
      ];
      measurements[index]?.push(JSON.parse((await runMeasured(args, process.env)).out));
    }
  }
  console.log("| 200 KB page | CPU ms, median | least | wall ms, median |\n|---|---|---|---|");
  for (const [index, { name }] of methods.entries()) {
    const cpu = (measurements[index] ?? []).map(({ cpuMs }) => cpuMs);
    const wall = median((measurements[index] ?? []).map(({ wallMs }) => wallMs));
    console.log(`| ${name} | ${median(cpu).toFixed(2)} | ${Math.min(...cpu).toFixed(2)} | ${wall.toFixed(2)} |`);
  }
  const over = (measurements[2] ?? []).map(({ cpuMs }, turn) => cpuMs - (measurements[1]?.[turn]?.cpuMs ?? Number.NaN));
  const turnTexts = over.map((ms) => ms.toFixed(1)).join(", ");
  console.log(
    `\nAbove plain undici plus extraction: ${median(over).toFixed(2)} ms CPU (goal: at most 3); turns: ${turnTexts}.`,
  );
  console.log(
    `Of that a fetch makes five files; making one costs ${median(filesUs).toFixed(0)} us on this disk today.\n`,
  );
}

/** CPU per empty file, in microseconds; it is high on some disks shortly after many files were deleted. */
function measureFileCost(home: string): number {
  const folder = join(home, "files");
  mkdirSync(folder, { recursive: true });
  const before = process.cpuUsage();
  const count = 200;
  for (let number = 0; number < count; number++) writeFileSync(join(folder, `${performance.now()}`), "");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function measureGibibyte(origin: string, home: string): Promise<void> {
  const cli = join(root, "dist", "cli.js");
  const settings = ["artifacts.source_bytes=2 GiB", "network.timeout=10m", `network.allow=${new URL(origin).host}`];
  const args = [cli, "fetch", `${origin}/bytes/1024`, "--json", ...settings.flatMap((setting) => ["--set", setting])];
  const env = { ...process.env, SPILLWAY_HOME: home };
  const { out, peakKb, seconds } = await runMeasured(args, env);
  const { size_bytes, source_truncated } = JSON.parse(out);
  console.log("| one gibibyte | |\n|---|---|");
  console.log(`| kept | ${size_bytes} bytes, truncated: ${source_truncated} |`);
  console.log(`| peak RSS | ${Math.round(peakKb / 1024)} MB (goal: under 200) |\n| time | ${seconds.toFixed(1)} s |\n`);
}

/** Node's defaults, and half of the default maximum semi-space. */
const nodeFlags = [[], ["--max-semi-space-size=16"]] as const;

async function measureAgents(origin: string, home: string): Promise<void> {
  console.log(
    "| 100 agents, 10,000 fetches | errors | wrong content | foreign refs | shared refs | peak RSS (goal: under 400) | wall s | CPU s |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const [index, flags] of nodeFlags.entries()) {
    const args = [...flags, join(import.meta.dirname, "fetch-agents.ts"), origin, join(home, `${index}`)];
    const { out, peakKb } = await runMeasured(args, process.env);
    const { done, errors, wrong, foreign, unlike, seconds, cpuSeconds } = JSON.parse(out);
    const cells = [errors, wrong, foreign, unlike, `${Math.round(peakKb / 1024)} MB`];
    const name = `${["node", ...flags].join(" ")}: ${done} done`;
    console.log(`| ${[name, ...cells, seconds.toFixed(0), cpuSeconds.toFixed(0)].join(" | ")} |`);
  }
}

/** Runs a child to its end and reads its peak memory from /proc. */
async function runMeasured(args: readonly string[], env: NodeJS.ProcessEnv) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let [out, peakKb] = ["", 0];
  child.stdout.on("data", (text) => {
    out += text;
  });
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 50);
  const [code] = await once(child, "close");
  clearInterval(watch);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return { out, peakKb, seconds: (performance.now() - started) / 1_000 };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
