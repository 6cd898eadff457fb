/** What fetching over the network costs: beside plain undici, beside another reader's method, and under load. */
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const about = "a 200 KB page beside others, one gibibyte, and 100 agents with 10,000 fetches";

const root = join(import.meta.dirname, "..");

export async function run(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const server = fork(join(import.meta.dirname, "fetch-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "spillway-bench-"));
  try {
    await onePage(origin, join(folder, "page"));
    await oneGibibyte(origin, join(folder, "gibibyte"));
    await manyAgents(origin, join(folder, "agents"));
  } finally {
    server.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The ways in turn, several times: a busy machine is busy for each of them, and each clears away only its own garbage. */
const turns = 3;

const ways = [
  { way: "plain", name: "plain undici", rounds: 200 },
  { way: "extracted", name: "plain undici + our extraction", rounds: 200 },
  { way: "ours", name: "ours: guard, detection, store, extraction, answer", rounds: 200 },
  { way: "again", name: "ours, fetched before", rounds: 200 },
  { way: "peer", name: "plain undici + Readability + linkedom + turndown", rounds: 30 },
] as const;

async function onePage(origin: string, home: string): Promise<void> {
  const taken = ways.map(() => [] as { readonly cpuMs: number; readonly wallMs: number }[]);
  const filesUs: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    filesUs.push(costOfFile(home));
    for (const [at, { way, rounds }] of ways.entries()) {
      const args = [join(import.meta.dirname, "fetch-page.ts"), way, origin, join(home, way), `${rounds}`, `${turn}`];
      taken[at]?.push(JSON.parse((await watched(args, process.env)).out));
    }
  }
  console.log("| 200 KB page | CPU ms, median | least | wall ms, median |\n|---|---|---|---|");
  for (const [at, { name }] of ways.entries()) {
    const cpu = (taken[at] ?? []).map(({ cpuMs }) => cpuMs);
    const wall = median((taken[at] ?? []).map(({ wallMs }) => wallMs));
    console.log(`| ${name} | ${median(cpu).toFixed(2)} | ${Math.min(...cpu).toFixed(2)} | ${wall.toFixed(2)} |`);
  }
  const over = (taken[2] ?? []).map(({ cpuMs }, turn) => cpuMs - (taken[1]?.[turn]?.cpuMs ?? Number.NaN));
  const each = over.map((ms) => ms.toFixed(1)).join(", ");
  console.log(
    `\nAbove plain undici plus extraction: ${median(over).toFixed(2)} ms CPU (goal: at most 3); turns: ${each}.`,
  );
  console.log(
    `Of that a fetch makes five files; making one costs ${median(filesUs).toFixed(0)} us on this disk today.\n`,
  );
}

/** CPU of making an empty file, which some disks charge dearly for while many files have just been deleted. */
function costOfFile(home: string): number {
  const folder = join(home, "files");
  mkdirSync(folder, { recursive: true });
  const before = process.cpuUsage();
  const count = 200;
  for (let number = 0; number < count; number++) writeFileSync(join(folder, `${performance.now()}`), "");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function oneGibibyte(origin: string, home: string): Promise<void> {
  const cli = join(root, "dist", "cli.js");
  const settings = ["artifacts.source_bytes=2 GiB", "network.timeout=10m", `network.allow=${new URL(origin).host}`];
  const args = [cli, "fetch", `${origin}/bytes/1024`, "--json", ...settings.flatMap((each) => ["--set", each])];
  const env = { ...process.env, SPILLWAY_HOME: home };
  const { out, peakKb, seconds } = await watched(args, env);
  const { size_bytes, source_truncated } = JSON.parse(out);
  console.log("| one gibibyte | |\n|---|---|");
  console.log(`| kept | ${size_bytes} bytes, truncated: ${source_truncated} |`);
  console.log(`| peak RSS | ${Math.round(peakKb / 1024)} MB (goal: under 200) |\n| time | ${seconds.toFixed(1)} s |\n`);
}

/** As Node starts by itself, and with half of the room for new objects that it would grow to. */
const nodes = [[], ["--max-semi-space-size=16"]] as const;

async function manyAgents(origin: string, home: string): Promise<void> {
  console.log(
    "| 100 agents, 10,000 fetches | errors | wrong content | foreign refs | shared refs | peak RSS (goal: under 400) | wall s | CPU s |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const [at, flags] of nodes.entries()) {
    const args = [...flags, join(import.meta.dirname, "fetch-agents.ts"), origin, join(home, `${at}`)];
    const { out, peakKb } = await watched(args, process.env);
    const { done, errors, wrong, foreign, unlike, seconds, cpuSeconds } = JSON.parse(out);
    const cells = [errors, wrong, foreign, unlike, `${Math.round(peakKb / 1024)} MB`];
    const name = `${["node", ...flags].join(" ")}: ${done} done`;
    console.log(`| ${[name, ...cells, seconds.toFixed(0), cpuSeconds.toFixed(0)].join(" | ")} |`);
  }
}

/** Runs a child to its end and reads the most memory it ever had from /proc. */
async function watched(args: readonly string[], env: NodeJS.ProcessEnv) {
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
