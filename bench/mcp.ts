/** Benchmarks the start of the built MCP server against a bare server on the same SDK. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

export const about = "cold start to the first answers (handshake, list, one call), median of 25 runs taken in turn";

const root = join(import.meta.dirname, "..");
const ROUNDS = 25;
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
  await bundleServer(source, bundled);
  const servers: Record<string, ServerCommand> = {
    "bare server, as installed": { args: [source], tool: { ...call, name: "fetch" } },
    "bare server, bundled": { args: [bundled], tool: { ...call, name: "fetch" } },
    "spillway mcp": { args: [join(root, "dist", "cli.js"), "mcp"], tool: call },
  };
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "home") };
  const times = Object.fromEntries(Object.keys(servers).map((name) => [name, [] as Times[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, server] of Object.entries(servers)) {
      times[name]?.push({ ...(await measureWall(server, env)), cpuMs: measureCpuMs(server, env) });
    }
  }
  rmSync(folder, { recursive: true });
  print(times);
}

type ServerCommand = { readonly args: readonly string[]; readonly tool: object };
type Times = { readonly firstMs: number; readonly allMs: number; readonly cpuMs: number };

async function bundleServer(input: string, file: string): Promise<void> {
  const bundle = await rolldown({ cwd: root, input, platform: "node" });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
}

/** Wall time to the first answer and to the third. */
async function measureWall(
  { args, tool }: ServerCommand,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Times, "firstMs" | "allMs">> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(toLines(tool));
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
function measureCpuMs({ args, tool }: ServerCommand, env: NodeJS.ProcessEnv): number {
  // The input stays open until the answers have arrived: a server may exit when its input ends.
  const script = '(cat; sleep 0.4) | "$0" "$@" >/dev/null 2>&1; times';
  const { stdout } = spawnSync("bash", ["-c", script, process.execPath, ...args], {
    env,
    input: toLines(tool),
    encoding: "utf8",
  });
  const children = stdout.trim().split("\n").at(-1) ?? "";
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0);
}

function toLines(tool: object): string {
  return messages(tool)
    .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    .join("");
}

function print(times: Readonly<Record<string, readonly Times[]>>): void {
  const medianOf = (name: string, key: keyof Times) => median((times[name] ?? []).map((each) => each[key]));
  console.log(
    "| server | first answer, ms | all three, ms | CPU, ms | CPU vs bare, installed | CPU vs bare, bundled |",
  );
  console.log("|---|---|---|---|---|---|");
  for (const name of Object.keys(times)) {
    const cpu = medianOf(name, "cpuMs");
    const ratios = ["bare server, as installed", "bare server, bundled"].map((bare) =>
      (cpu / medianOf(bare, "cpuMs")).toFixed(2),
    );
    const cells = [medianOf(name, "firstMs"), medianOf(name, "allMs"), cpu].map((ms) => ms.toFixed(0));
    console.log(`| ${[name, ...cells, ...ratios].join(" | ")} |`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
