/** Overflow recovery: how well refusals are classified and recovered, and what it costs when nothing is refused. */
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultSettings } from "../src/config/settings.ts";
import { openaiChatSimulator as openaiChat } from "../src/overflow/dialects/openai-chat.simulator.ts";
import { openRecovery } from "../src/overflow/open-recovery.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { prepareUnchanged } from "../src/overflow/prepared-request.ts";
import { parseOutgoing } from "../src/overflow/wire/outgoing-request.ts";
import { openSession } from "../src/session/session.ts";
import { openProxy } from "../src/surfaces/proxy/proxy-server.ts";
import { parseUpstreams } from "../src/surfaces/proxy/upstreams.ts";
import { readRecordedResponses, scoreResponses, wasTunedLater } from "../test/overflow-corpus.ts";
import { longTranscript } from "../test/transcripts.ts";
import { printFigures } from "./overflow-figures.ts";
import { plainProxy } from "./overflow-plain-proxy.ts";
import { printProxies } from "./overflow-proxies.ts";

export const about = "refusals classified and recovered, and the cost of the wrapper and the proxy.";

export async function run(): Promise<void> {
  measureClassification();
  await printFigures();
  await measureWrapper();
  await measureRewriting();
  await measureProxy();
  await printProxies();
}

function measureClassification(): void {
  const corpus = readRecordedResponses();
  if (corpus === null) console.log("No recorded answers on this machine; set SPILLWAY_CORPUS.");
  const answers = corpus?.answers ?? [];
  console.log("Recorded provider answers. A third of the providers was used only in the later tuning; none is unseen:");
  console.table({
    all: scoreCells(answers),
    "tuned first": scoreCells(answers.filter((answer) => !wasTunedLater(answer))),
    "tuned later": scoreCells(answers.filter(wasTunedLater)),
  });
}

function scoreCells(answers: Parameters<typeof scoreResponses>[0]) {
  const { answers: count, byteLimits, ...scores } = scoreResponses(answers);
  const cells = Object.entries({ ...scores, "byte limits": byteLimits });
  return { answers: count, ...Object.fromEntries(cells.map(([name, score]) => [name, score.toFixed(3)])) };
}

const memorySession = () => openSession({ inMemory: true, settings: defaultSettings });

async function measureWrapper(): Promise<void> {
  const json = JSON.stringify(openaiChat.writeRequest(longTranscript(1)));
  const answer = JSON.stringify({ choices: [{ message: { content: "done ".repeat(200) }, finish_reason: "stop" }] });
  let sent: unknown;
  const plain: typeof fetch = async (_, init) => {
    sent = init?.body;
    return new Response(answer, { headers: { "content-type": "application/json" } });
  };
  const wrapped = withOverflowRecovery(plain, { session: await memorySession() });
  const rows: Record<string, object> = {};
  for (const [kind, body] of [
    ["string", json],
    ["buffer", Buffer.from(json)],
  ] as const) {
    const cost = async (call: typeof fetch) =>
      percentiles(
        await timeRounds(
          3_000,
          async () => void (await (await call(openaiChat.address, { method: "POST", body })).text()),
        ),
      );
    await cost(wrapped);
    const [plainCost, wrappedCost] = [await cost(plain), await cost(wrapped)];
    rows[kind] = {
      "plain p50 µs": round(plainCost.p50 * 1e3),
      "wrapped p50 µs": round(wrappedCost.p50 * 1e3),
      "added p50 µs": round((wrappedCost.p50 - plainCost.p50) * 1e3),
      "by reference": sent === body,
    };
  }
  console.log(`The wrapper when nothing is refused (${json.length} characters of request):`);
  console.table(rows);
}

async function measureRewriting(): Promise<void> {
  const texts = Array.from({ length: 40 }, (_, index) =>
    `${index}: gate seven opened, level 41.2 cm, "fine"\n`.repeat(2_400),
  );
  const turns = texts.map((text) => ({
    user: "And now?",
    rounds: [[{ tool: "shell", result: { text, form: "text" as const } }]],
    answer: "Rain.",
  }));
  const json = JSON.stringify(openaiChat.writeRequest({ system: "You watch dams.", turns, outputTokens: 1_000 }));
  const rows: Record<string, object> = {};
  for (const [name, verdict] of Object.entries({
    "bytes, half too many": {
      class: "request_bytes",
      confidence: 1,
      unit: "bytes",
      limit: Math.floor(json.length / 2),
    },
    "tokens, half too many": {
      class: "context_tokens",
      confidence: 1,
      unit: "tokens",
      limit: 600_000,
      input: 1_200_000,
      actual: 1_200_000,
    },
    "tokens, a tenth too many": {
      class: "context_tokens",
      confidence: 1,
      unit: "tokens",
      limit: 1_080_000,
      input: 1_200_000,
      actual: 1_200_000,
    },
  } as const)) {
    const session = await memorySession();
    const recovery = openRecovery({ ...session, store: { ...session.store, keep: keepNothing } });
    const work = async () => {
      const url = new URL(openaiChat.address);
      const outgoing = parseOutgoing({ dialect: openaiChat.dialect, url, header: () => null }, json);
      if (outgoing) await recovery.chooseRemedy(prepareUnchanged(outgoing), { verdict, status: 400, body: "" });
    };
    for (let warm = 0; warm < 5; warm++) await work();
    const before = process.cpuUsage();
    const rounds = 10;
    for (let round = 0; round < rounds; round++) await work();
    const { user, system } = process.cpuUsage(before);
    rows[name] = { "request MB": round(json.length / 1e6), "CPU ms": round((user + system) / 1e3 / rounds) };
  }
  console.log("Rewriting a large request, parsing included, storing excluded:");
  console.table(rows);
}

/** Replaces the store by one that costs nothing, so that only the rewriting is measured. */
async function keepNothing(spool: { sizeBytes: number }): Promise<never> {
  return {
    artifact_ref: `af_${"0".repeat(32)}`,
    path: null,
    size_bytes: spool.sizeBytes,
    sha256: "",
    content_kind: "text",
    media_type: "text/plain",
  } as never;
}

async function measureProxy(): Promise<void> {
  const upstream = await listen(answerStream);
  const plain = await listen(plainProxy(upstream.port));
  const recovery = openRecovery(await memorySession());
  const proxy = await openProxy({
    recovery,
    upstreams: parseUpstreams([`sim=http://127.0.0.1:${upstream.port}`]),
    port: 0,
    allowOrigins: [],
    bodyBytes: 2 ** 26,
  });
  const ports = {
    direct: upstream.port,
    "plain reverse proxy": plain.port,
    "spillway proxy": Number(new URL(proxy.url).port),
  };
  const body = JSON.stringify({ ...openaiChat.writeRequest(longTranscript(2)), stream: true });
  const rows: Record<string, object> = {};
  const alone: Record<string, number[]> = {};
  const crowd: Record<string, number[]> = {};
  const cpuMs: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true });
  // The three take turns, so that a busy moment of the machine affects each of them.
  for (let turn = 0; turn < 8; turn++) {
    for (const [name, port] of Object.entries(ports)) {
      const path = name === "spillway proxy" ? "/sim/v1/chat/completions" : "/v1/chat/completions";
      const call = () => timeStream(port, path, body, agent);
      const one = await Array.fromAsync({ length: 60 }, async () => (await call()).firstMs);
      const before = process.cpuUsage();
      const many = (await Promise.all(Array.from({ length: 200 }, call))).map(({ firstMs }) => firstMs);
      const { user, system } = process.cpuUsage(before);
      if (turn === 0) continue;
      cpuMs[name] = (cpuMs[name] ?? 0) + (user + system) / 1e3;
      alone[name] = [...(alone[name] ?? []), ...one];
      crowd[name] = [...(crowd[name] ?? []), ...many];
    }
  }
  for (const name of Object.keys(ports)) {
    const [one, many] = [percentiles(alone[name] ?? []), percentiles(crowd[name] ?? [])];
    rows[name] = {
      "alone p50 ms": round(one.p50),
      "alone p99 ms": round(one.p99),
      "200 streams p50 ms": round(many.p50),
      "200 streams p99 ms": round(many.p99),
      "CPU ms a stream": round((cpuMs[name] ?? 0) / Math.max(1, crowd[name]?.length ?? 0)),
    };
  }
  console.log(`Time to the first event through the proxy (${body.length} bytes of request, all in one process):`);
  console.table(rows);
  agent.destroy();
  await proxy[Symbol.asyncDispose]();
  plain.close();
  upstream.close();
}

function answerStream(request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of ["one", "two", "three"])
      response.write(`data: {"choices":[{"delta":{"content":"${word}"}}]}\n\n`);
    response.end("data: [DONE]\n\n");
  });
}

async function listen(handler: RequestListener) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function timeStream(port: number, path: string, body: string, agent: Agent): Promise<{ firstMs: number }> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const request = httpRequest({ port, host: "127.0.0.1", path, method: "POST", headers, agent }, (response) => {
      let firstMs = 0;
      response.on("data", () => (firstMs ||= performance.now() - start));
      response.on("end", () => resolve({ firstMs }));
    });
    request.on("error", reject).end(body);
  });
}

async function timeRounds(rounds: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

function percentiles(times: readonly number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((one, other) => one - other);
  const percentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: percentile(0.5), p99: percentile(0.99) };
}

const round = (value: number): number => Number(value.toFixed(2));
