/** How fast the built MCP server gives its first answer, beside a bare server on the same SDK. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

export const about = "cold start to the first answers (handshake, list, one call), median of 25 runs taken in turn";

const root = join(import.meta.dirname, "..");
const rounds = 25;
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
const call = { name: "web_fetch", arguments: { url: "data:,hello" } };

const messages = (tool: object) => [
  { id: 1, method: "initialize", params },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
  { id: 3, method: "tools/call", params: tool },
];

export async function run(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  const source = join(import.meta.dirname, "mcp-bare.js");
  const bundled = join(folder, "bare.js");
  await bundle(source, bundled);
  const ways: Record<string, Way> = {
    "bare server, as installed": { args: [source], tool: { ...call, name: "fetch" } },
    "bare server, bundled": { args: [bundled], tool: { ...call, name: "fetch" } },
    "spillway mcp": { args: [join(root, "dist", "cli.js"), "mcp"], tool: call },
  };
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "home") };
  const taken = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as Taken[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      taken[name]?.push({ ...(await wallOf(way, env)), cpuMs: cpuMsOf(way, env) });
    }
  }
  rmSync(folder, { recursive: true });
  print(taken);
}

type Way = { readonly args: readonly string[]; readonly tool: object };
type Taken = { readonly firstMs: number; readonly allMs: number; readonly cpuMs: number };

async function bundle(input: string, file: string): Promise<void> {
  const made = await rolldown({ cwd: root, input, platform: "node" });
  await made.write({ file, format: "esm", codeSplitting: false });
  await made.close();
}

/** Wall time to the first answer and to the third. */
async function wallOf({ args, tool }: Way, env: NodeJS.ProcessEnv): Promise<Pick<Taken, "firstMs" | "allMs">> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(linesOf(tool));
  let [firstMs, allMs, answers] = [0, 0, 0];
  child.stdout.on("data", (chunk: Buffer) => {
    firstMs ||= performance.now() - startedAt;
    answers += chunk.filter((byte) => byte === 0x0a).length;
    if (answers < 3 || allMs > 0) return;
    allMs = performance.now() - startedAt;
    child.stdin.end();
  });
  await once(child, "exit");
  return { firstMs, allMs };
}

/** User and system time of the whole session, as the shell's `times` reports it. */
function cpuMsOf({ args, tool }: Way, env: NodeJS.ProcessEnv): number {
  // The input stays open until the answers are there, or a server that leaves with it would give none.
  const script = '(cat; sleep 0.4) | "$0" "$@" >/dev/null 2>&1; times';
  const { stdout } = spawnSync("bash", ["-c", script, process.execPath, ...args], {
    env,
    input: linesOf(tool),
    encoding: "utf8",
  });
  const children = stdout.trim().split("\n").at(-1) ?? "";
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0);
}

function linesOf(tool: object): string {
  return messages(tool)
    .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    .join("");
}

function print(taken: Readonly<Record<string, readonly Taken[]>>): void {
  const of = (name: string, key: keyof Taken) => median((taken[name] ?? []).map((each) => each[key]));
  console.log(
    "| server | first answer, ms | all three, ms | CPU, ms | CPU beside bare as installed | beside bare bundled |",
  );
  console.log("|---|---|---|---|---|---|");
  for (const name of Object.keys(taken)) {
    const cpu = of(name, "cpuMs");
    const ratios = ["bare server, as installed", "bare server, bundled"].map((bare) =>
      (cpu / of(bare, "cpuMs")).toFixed(2),
    );
    const times = [of(name, "firstMs"), of(name, "allMs"), cpu].map((ms) => ms.toFixed(0));
    console.log(`| ${[name, ...times, ...ratios].join(" | ")} |`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
