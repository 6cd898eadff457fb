/** Benchmarks `spillway serve` beside a bare server on the same SDK: how long a request takes, alone and among others. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const about =
  "milliseconds of a request over HTTP and of the server's CPU for it, beside a bare SDK server; rounds of both taken in turn";

const root = join(import.meta.dirname, "..");
const ROUNDS = 6;
const REQUESTS = 200;
const concurrencies = [1, 16];
const revisions = ["2026-07-28", "2025-11-25"] as const;
type Revision = (typeof revisions)[number];

const clientInfo = { name: "bench", version: "1" };

export async function run(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "home") };
  const rate = ["--set", "serve.owner_rate=1000000"];
  const servers = [
    await start("bare SDK server", [join(import.meta.dirname, "serve-bare.ts")], env),
    await start(
      "spillway serve",
      [join(root, "dist", "cli.js"), "serve", "--json", "--set", "serve.port=0", ...rate],
      env,
    ),
  ];
  console.log("| revision | request | at once | server | p50 | p99 | CPU |\n|---|---|---|---|---|---|---|");
  for (const revision of revisions)
    for (const concurrency of concurrencies) await compare(servers, revision, concurrency);
  for (const { child } of servers) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
}

type BenchServer = {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
};

async function start(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<BenchServer> {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { name, token: "none", child, ...JSON.parse(line) };
}

async function compare(servers: readonly BenchServer[], revision: Revision, concurrency: number): Promise<void> {
  const clients = await Promise.all(servers.map((server) => connect(server, revision)));
  const ref = await keep(clients[1]);
  const requests: Readonly<Record<string, object>> = {
    "tools/list": {},
    "tools/call": { name: "read_artifact", arguments: { artifact_ref: ref } },
  };
  for (const [method, params] of Object.entries(requests)) {
    const times = servers.map((): number[] => []);
    const cpuMs = servers.map(() => 0);
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, ask] of clients.entries()) {
        const before = readCpuMs(servers[index]);
        const measured = await measure(() => ask(method, params), concurrency);
        if (round === 0) continue; // It warms up.
        times[index]?.push(...measured);
        cpuMs[index] = (cpuMs[index] ?? 0) + readCpuMs(servers[index]) - before;
      }
    for (const [index, { name }] of servers.entries()) {
      const [p50, p99] = [0.5, 0.99].map((share) => percentile(times[index] ?? [], share).toFixed(2));
      const cpu = ((cpuMs[index] ?? 0) / (times[index]?.length ?? 1)).toFixed(2);
      console.log(`| ${revision} | ${method} | ${concurrency} | ${name} | ${p50} | ${p99} | ${cpu} |`);
    }
  }
}

/** The CPU time of a server so far, where the system tells it (Linux, in hundredths of a second). */
function readCpuMs(server: BenchServer | undefined): number {
  const path = `/proc/${server?.child.pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

type Ask = (method: string, params: object) => Promise<string>;

/** A client of one revision that sends nothing but what the protocol needs. */
async function connect({ url, token }: BenchServer, revision: Revision): Promise<Ask> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": revision,
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  let lastId = 0;
  const send = async (method: string, params: object, more: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
    const response = await fetch(url, { method: "POST", headers: { ...headers, ...more }, body });
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
    return response;
  };
  if (revision === "2025-11-25") {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    headers["mcp-session-id"] = (await send("initialize", params)).headers.get("mcp-session-id") ?? "";
    return async (method, params) => (await send(method, params)).text();
  }
  return async (method, params) => {
    const name = "name" in params ? { "mcp-name": String(params.name) } : {};
    return (await send(method, { ...params, _meta }, { "mcp-method": method, ...name })).text();
  };
}

/** Keeps a document of 100 KB and returns its ref. */
async function keep(ask: Ask | undefined): Promise<string> {
  const url = `data:text/plain,${"A weir is a barrier. ".repeat(5_000)}`;
  const reply = await ask?.("tools/call", { name: "fetch_content", arguments: { url } });
  return /af_[0-9a-f]{32}/.exec(reply ?? "")?.[0] ?? "";
}

/** The time of each request, with this many at once. */
async function measure(ask: () => Promise<string>, concurrency: number): Promise<number[]> {
  const times: number[] = [];
  let left = REQUESTS;
  const work = async () => {
    while (left-- > 0) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return times;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
