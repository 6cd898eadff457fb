/** Benchmarks the gateway: what it adds to a call, and what it saves of real results. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const about =
  "one call over stdio and over HTTP, beside a direct connection and mcp-proxy; characters of real results";

const root = join(import.meta.dirname, "..");
const cli = join(root, "dist", "cli.js");
const server = [process.execPath, join(import.meta.dirname, "gateway-server.ts")];
const peer = (path: string): string => join(import.meta.dirname, "node_modules", path);

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

/** A way to the server: the client, and the process that is measured. */
type Way = { readonly client: Client; readonly pid: number | undefined; close(): Promise<void> };

const makeClient = () => new Client({ name: "opencode", version: "1" });

async function overStdio(folder: string, command: readonly string[]): Promise<Way> {
  const [program = "", ...args] = command;
  const env = { PATH: process.env.PATH ?? "", HOME: folder, SPILLWAY_HOME: join(folder, "store") };
  const transport = new StdioClientTransport({ command: program, args, env, stderr: "ignore" });
  const client = makeClient();
  await client.connect(transport);
  return { client, pid: transport.pid ?? undefined, close: () => client.close() };
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

const gateway = [process.execPath, cli, "gateway", "--"];

async function openWays(folder: string): Promise<Record<string, () => Promise<Way>>> {
  const env = { ...process.env, SPILLWAY_HOME: join(folder, "store") };
  const start = (args: readonly string[]) =>
    spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  return {
    "stdio, direct": () => overStdio(folder, server),
    "stdio, gateway": () => overStdio(folder, [...gateway, ...server]),
    "HTTP, gateway": async () => {
      const child = start([cli, "gateway", "--port", "0", "--", ...server]);
      const [url] = await once(createInterface({ input: child.stdout }), "line");
      return overHttp(child, url);
    },
    "HTTP, mcp-proxy": async () => {
      const port = 30_000 + (process.pid % 20_000);
      const script = peer("mcp-proxy/dist/bin/mcp-proxy.mjs");
      const child = start([script, "--port", String(port), "--host", "127.0.0.1", "--", ...server]);
      child.stdout.resume();
      return overHttp(child, `http://127.0.0.1:${port}/mcp`);
    },
  };
}

const SMALL_CALLS = 400;
const LARGE_CALLS = 20;
const HUGE_CALLS = 4;
/** About 10 MB on the wire, the most that the SDK's client takes. */
const HUGE_CHARS = 8_000_000;

async function measureCalls(folder: string): Promise<void> {
  console.log(`| | small result, p50 ms | p95 ms | 1 MB: CPU ms a call | p50 ms | 10 MB: p50 ms | peak MB |`);
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const [name, open] of Object.entries(await openWays(folder))) {
    const way = await open();
    const small = await time(way.client, 200, SMALL_CALLS);
    await time(way.client, 1_000_000, 3);
    const before = readCpuMs(way.pid);
    const large = await time(way.client, 1_000_000, LARGE_CALLS);
    const cpuMs = (readCpuMs(way.pid) - before) / LARGE_CALLS;
    const huge = await time(way.client, HUGE_CHARS, HUGE_CALLS);
    const cells = [small.p50, small.p95, cpuMs, large.p50, huge.p50].map((ms) => ms.toFixed(2));
    console.log(`| ${name} | ${cells.join(" | ")} | ${readPeakMb(way.pid)} |`);
    await way.close();
  }
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

/** CPU time of a process in milliseconds; the server it has started does not count. */
function readCpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function readPeakMb(pid: number | undefined): string {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return (Number(kb) / 1024).toFixed(0);
}

type Sample = {
  readonly tool: string;
  readonly name: string;
  readonly args: object;
  readonly from: "files" | "memory";
};

/** Real results: files of this repository and its corpus through two servers of the registry. */
async function measureResults(folder: string): Promise<void> {
  const corpus = process.env.SPILLWAY_CORPUS ?? join(root, "..", "shared", "corpus");
  const allowed = [root, folder, ...(existsSync(corpus) ? [corpus] : [])];
  const files = await overStdio(folder, [
    ...gateway,
    process.execPath,
    peer("@modelcontextprotocol/server-filesystem/dist/index.js"),
    ...allowed,
  ]);
  const direct = await overStdio(folder, [
    process.execPath,
    peer("@modelcontextprotocol/server-filesystem/dist/index.js"),
    ...allowed,
  ]);
  const memory = await overStdio(folder, [
    ...gateway,
    process.execPath,
    peer("@modelcontextprotocol/server-memory/dist/index.js"),
  ]);
  const plainMemory = await overStdio(folder, [
    process.execPath,
    peer("@modelcontextprotocol/server-memory/dist/index.js"),
  ]);
  const entities = Array.from({ length: 1_500 }, (_, n) => ({
    name: `module ${n}`,
    entityType: "module",
    observations: [`It has ${n} lines.`],
  }));
  await memory.client.callTool({ name: "create_entities", arguments: { entities } });
  console.log("\n| result | characters sent | characters shown | share | reads to the end | reads to one fact |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const { tool, name, args, from } of listSamples(folder, corpus)) {
    const [wrapped, plain] = from === "files" ? [files.client, direct.client] : [memory.client, plainMemory.client];
    const sent = countChars(await plain.callTool({ name: tool, arguments: { ...args } }));
    const result = await wrapped.callTool({ name: tool, arguments: { ...args } });
    const shown = countChars(result);
    const reads = await countReads(wrapped, JSON.stringify(result.content));
    const cells = [name, sent, shown, `${((100 * shown) / sent).toFixed(0)} %`, reads, reads === 0 ? 0 : 1];
    console.log(`| ${cells.join(" | ")} |`);
  }
  for (const way of [files, direct, memory, plainMemory]) await way.close();
}

function listSamples(folder: string, corpus: string): readonly Sample[] {
  const file = (name: string, path: string): Sample => ({
    tool: "read_text_file",
    name,
    args: { path },
    from: "files",
  });
  const pages = join(corpus, "html", "wcxb-dev", "html");
  const page = existsSync(pages) ? readdirSync(pages).find((name) => name.endsWith(".html")) : undefined;
  const log = join(folder, "bench.log");
  writeFileSync(
    log,
    Array.from({ length: 5_000 }, (_, n) => `2026-01-01 00:00:00 INFO request ${n} took ${n % 90} ms`).join("\n"),
  );
  const table = join(folder, "bench.csv");
  writeFileSync(
    table,
    ["id,name,km", ...Array.from({ length: 6_000 }, (_, n) => `${n},river ${n},${n % 700}`)].join("\n"),
  );
  return [
    file("Markdown: CHANGELOG.md", join(root, "CHANGELOG.md")),
    file("JSON: package-lock.json", join(root, "package-lock.json")),
    file("code: settings.ts", join(root, "src", "config", "settings.ts")),
    file("a log of 5,000 lines", log),
    file("a table of 6,000 rows", table),
    ...(page === undefined ? [] : [file("a web page of the corpus", join(pages, page))]),
    { tool: "directory_tree", name: "directory_tree of src", args: { path: join(root, "src") }, from: "files" },
    {
      tool: "search_files",
      name: "search_files for *.ts",
      args: { path: root, pattern: "src/**/*.ts" },
      from: "files",
    },
    {
      tool: "list_directory_with_sizes",
      name: "list_directory of node_modules",
      args: { path: join(root, "node_modules") },
      from: "files",
    },
    { tool: "read_graph", name: "read_graph of 1,500 entities", args: {}, from: "memory" },
  ];
}

type Result = { readonly content?: unknown; readonly structuredContent?: unknown };

/** The longer of the two forms: clients show one of them. */
const countChars = ({ content, structuredContent }: Result): number =>
  Math.max(
    (content as { text?: string; data?: string }[]).reduce(
      (sum, { text = "", data = "" }) => sum + text.length + data.length,
      0,
    ),
    JSON.stringify(structuredContent ?? "").length,
  );

/** Calls that read all of a bounded result; none for one that was shown whole. */
async function countReads(client: Client, page: string): Promise<number> {
  const artifact_ref = /artifact_ref=(af_[0-9a-f]{32})/.exec(page)?.[1];
  let next = Number(/offset=(\d+)/.exec(page)?.[1]);
  if (artifact_ref === undefined) return 0;
  for (let reads = 1; ; reads++) {
    const reply = await client.callTool({ name: "read_artifact", arguments: { artifact_ref, offset: next } });
    const [, offset] = /Read on: read_artifact artifact_ref=\w+ offset=(\d+)/.exec(JSON.stringify(reply.content)) ?? [];
    if (offset === undefined || reads === 1_000) return reads;
    next = Number(offset);
  }
}
