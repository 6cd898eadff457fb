/** What fetching over the network costs: beside plain undici, beside another reader's method, and under load. */
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { memoryObjects } from "../src/artifacts/memory.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { extractText } from "../src/extract/extract.ts";
import { handlerFor } from "../src/extract/handlers.ts";
import { limitsOf } from "../src/extract/pool/pools.ts";
import { fetchSource } from "../src/ingest.ts";
import { openSession } from "../src/session.ts";

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

const rounds = 300;

type Way = { readonly name: string; run(number: number): Promise<number> };

/** All ways take turns, so that a busy machine is busy for each of them. */
async function onePage(origin: string, home: string): Promise<void> {
  const settings = { ...defaultSettings, home, "network.allow": [new URL(origin).host] };
  await using session = await openSession({ settings, env: {} });
  const markdown = await loadPeer();
  const handler = handlerFor("html", "text/html");
  const facts = { content_kind: "html", media_type: "text/html", charset: "utf-8" } as const;

  async function plain(number: number): Promise<Buffer> {
    const { body } = await request(`${origin}/page/${number}`);
    return Buffer.from(await body.arrayBuffer());
  }

  async function extracted(bytes: Buffer): Promise<number> {
    const { signal } = session;
    const all = {
      ...facts,
      size_bytes: bytes.length,
      sha256: "0".repeat(64),
      source_url: "",
      name: "",
      decided_by: "mime",
      source_truncated: false,
    } as const;
    const signals = { mime: null, magic: null, extension: null, content: "", notes: [] };
    const taken = { facts: { ...all, signals }, content: { bytes }, objects: memoryObjects(), signal };
    const extract = await extractText({
      ...taken,
      handler,
      mode: "markdown",
      enough: () => false,
      limits: limitsOf(settings),
    });
    return extract.extent.chars;
  }

  const ways: readonly Way[] = [
    { name: "plain undici", run: async (number) => (await plain(number)).length },
    { name: "plain undici + our extraction", run: async (number) => extracted(await plain(number)) },
    {
      name: "ours: guard, spool, detection, store, extraction, answer",
      run: async (number) =>
        (await fetchSource(`${origin}/page/${number}`, { noCache: true }, session)).fields.extracted_chars,
    },
    {
      name: "ours, fetched before",
      run: async () => (await fetchSource(`${origin}/page/0`, {}, session)).fields.extracted_chars,
    },
    {
      name: "plain undici + Readability + linkedom + turndown",
      run: async (number) => markdown((await plain(number)).toString()).length,
    },
  ];
  const times = ways.map(() => [] as { cpu: number; wall: number }[]);
  const measure = async (at: number, round: number) => {
    const time = await timed(async () => ways[at]?.run(1_000 * at + round + 20));
    if (round >= 0) times[at]?.push(time);
  };
  const peer = ways.length - 1;
  for (let round = -20; round < rounds; round++) for (let at = 0; at < peer; at++) await measure(at, round);
  // Apart from the others, who would have to clear its garbage away; slow, and steady enough after a few rounds.
  for (let round = -5; round < 30; round++) await measure(peer, round);
  console.log("| 200 KB page | CPU ms, mean | CPU ms, median | wall ms, median |\n|---|---|---|---|");
  for (const [at, { name }] of ways.entries()) {
    const all = times[at] ?? [];
    const cpu = all.map((time) => time.cpu);
    console.log(
      `| ${name} | ${mean(cpu).toFixed(2)} | ${median(cpu).toFixed(2)} | ${median(all.map(({ wall }) => wall)).toFixed(2)} |`,
    );
  }
  const over = mean((times[2] ?? []).map(({ cpu }) => cpu)) - mean((times[1] ?? []).map(({ cpu }) => cpu));
  console.log(`\nAbove plain undici plus extraction: ${over.toFixed(2)} ms CPU (goal: at most 3).\n`);
}

async function timed(work: () => Promise<unknown>): Promise<{ cpu: number; wall: number }> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1_000, wall: performance.now() - wall };
}

type Linkedom = { parseHTML(html: string): { document: unknown } };
type ReadabilityModule = { Readability: new (document: unknown) => { parse(): { content: string } | null } };
type TurndownModule = { default: new () => { turndown(html: string): string } };

async function loadPeer(): Promise<(html: string) => string> {
  const { parseHTML } = await load<Linkedom>("linkedom");
  const { Readability } = await load<ReadabilityModule>("@mozilla/readability");
  const { default: Turndown } = await load<TurndownModule>("turndown");
  const writer = new Turndown();
  return (html) => writer.turndown(new Readability(parseHTML(html).document).parse()?.content ?? "");
}

/** Peers are installed in this folder only, so the compiler does not know them. */
async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
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

async function manyAgents(origin: string, home: string): Promise<void> {
  const { out, peakKb } = await watched([join(import.meta.dirname, "fetch-agents.ts"), origin, home], process.env);
  const { done, errors, wrong, foreign, unlike, seconds, cpuSeconds } = JSON.parse(out);
  console.log("| 100 agents, 10,000 fetches | |\n|---|---|");
  console.log(`| fetched / errors / wrong content | ${done} / ${errors} / ${wrong} |`);
  console.log(`| foreign refs readable / refs shared | ${foreign} / ${unlike} |`);
  console.log(`| peak RSS | ${Math.round(peakKb / 1024)} MB (goal: under 400) |`);
  console.log(`| wall / CPU | ${seconds.toFixed(0)} s / ${cpuSeconds.toFixed(0)} s |`);
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

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
