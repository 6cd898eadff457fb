/** Benchmarks the gateway: what it adds to a call, and what it saves of real results. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { measureResults } from "./gateway-results.ts";
import { gateway, makeClient, overStdio, peer, root, type Way } from "./gateway-ways.ts";

export const about =
  "one call over stdio and over HTTP, beside a direct connection, mcp-proxy and supergateway; characters of real results";

const cli = join(root, "dist", "cli.js");
const server = [process.execPath, join(import.meta.dirname, "gateway-server.ts")];

export async function run(): Promise<void> {
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  try {
    await measureCalls(folder);
    await measureResults(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function overHttp(child: ChildProcess, url: string): Promise<Way> {
  const client = makeClient();
  for (let tries = 0; ; tries++) {
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      break;
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const close = async () => {
    await client.close();
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { client, pid: child.pid, close };
}

const firstPort = 30_000 + (process.pid % 20_000);

function listWays(folder: string): Record<string, () => Promise<Way>> {
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "store") };
  const start = (args: readonly string[]) =>
    spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  /** A peer that gets its port as an argument; its output is not needed. */
  const startPeer = (port: number, args: readonly string[]) => {
    const child = start(args);
    child.stdout.resume();
    return overHttp(child, `http://127.0.0.1:${port}/mcp`);
  };
  return {
    "stdio, direct": () => overStdio(folder, server),
    "stdio, gateway": () => overStdio(folder, [...gateway, ...server]),
    "HTTP, gateway": async () => {
      const child = start([cli, "gateway", "--port", "0", "--", ...server]);
      const [url] = await once(createInterface({ input: child.stdout }), "line");
      return overHttp(child, url);
    },
    "HTTP, mcp-proxy": () => {
      const options = ["--port", String(firstPort), "--host", "127.0.0.1"];
      return startPeer(firstPort, [peer("mcp-proxy/dist/bin/mcp-proxy.mjs"), ...options, "--", ...server]);
    },
    "HTTP, supergateway": () => {
      const port = firstPort + 1;
      const options = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"];
      const command = ["--port", String(port), "--stdio", server.join(" ")];
      return startPeer(port, [peer("supergateway/dist/index.js"), ...options, ...command]);
    },
  };
}

/** The ways take turns: a busy moment of the machine meets all of them, and each shows its best round. */
const ROUNDS = 8;
const SMALL_CALLS = 100;
const LARGE_CALLS = 8;
const HUGE_CALLS = 4;
/** About 10 MB on the wire, the most that the SDK's client takes. */
const HUGE_CHARS = 8_000_000;

async function measureCalls(folder: string): Promise<void> {
  const ways: { readonly name: string; readonly way: Way; readonly rounds: Round[] }[] = [];
  for (const [name, open] of Object.entries(listWays(folder))) ways.push({ name, way: await open(), rounds: [] });
  for (const { way } of ways) await time(way.client, 1_000_000, 3);
  for (let round = 0; round < ROUNDS; round++) for (const { way, rounds } of ways) rounds.push(await measureRound(way));
  console.log(`Best of ${ROUNDS} rounds.\n`);
  console.log("| | small result, p50 ms | p95 ms | 1 MB: CPU ms a call | p50 ms | 10 MB: p50 ms | peak MB |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const { name, way, rounds } of ways) {
    const huge = await time(way.client, HUGE_CHARS, HUGE_CALLS);
    const best = (field: keyof Round) => Math.min(...rounds.map((each) => each[field]));
    const figures = [best("smallP50"), best("smallP95"), best("largeCpu"), best("largeP50"), huge.p50];
    console.log(`| ${name} | ${figures.map((ms) => ms.toFixed(2)).join(" | ")} | ${readPeakMb(way.pid)} |`);
  }
  for (const { way } of ways) await way.close();
}

/** Milliseconds of one round. */
type Round = {
  readonly smallP50: number;
  readonly smallP95: number;
  readonly largeCpu: number;
  readonly largeP50: number;
};

async function measureRound({ client, pid }: Way): Promise<Round> {
  const small = await time(client, 200, SMALL_CALLS);
  const before = readCpuMs(pid);
  const large = await time(client, 1_000_000, LARGE_CALLS);
  const largeCpu = (readCpuMs(pid) - before) / LARGE_CALLS;
  return { smallP50: small.p50, smallP95: small.p95, largeCpu, largeP50: large.p50 };
}

async function time(client: Client, chars: number, calls: number): Promise<{ p50: number; p95: number }> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const startedAt = performance.now();
    await client.callTool({ name: "rivers", arguments: { chars } });
    times.push(performance.now() - startedAt);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

/** CPU time of all threads of a process in milliseconds; the server it has started does not count. */
function readCpuMs(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

function readPeakMb(pid: number | undefined): string {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return (Number(kb) / 1024).toFixed(0);
}
