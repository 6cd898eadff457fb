/** Proxies side by side, each in a process of its own: what they cost, and what a client gets when a request is too large. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { openLitellm, type PeerProxy } from "./overflow-litellm.ts";

const LARGE_REQUESTS = 20;
const LARGE_BODY_BYTES = 10_000_000;
const ROUNDS = 8;
const CALLS_PER_ROUND = 60;
/** What the simulated provider accepts. */
const MAX_ACCEPTED_CHARS = 400_000;
const MS_PER_TICK = 10;

type Memory = { readonly "idle MB": number; readonly "peak MB": number };

export async function printProxies(): Promise<void> {
  await using upstream = await openUpstream();
  const proxies = await openProxies(upstream.port);
  const costs = await measureCosts(proxies);
  const rows: Record<string, object> = {};
  for (const [name, proxy] of proxies) {
    const memory = await measureMemory(proxy);
    rows[name] = { ...costs.get(name), ...memory, "a result of 900,000 characters": await describeAnswer(proxy) };
    await proxy[Symbol.asyncDispose]();
  }
  console.log(`Proxies in processes of their own; the provider is simulated and accepts ${MAX_ACCEPTED_CHARS} characters.
CPU of a request of 90,000 characters; memory with ${LARGE_REQUESTS} requests of ${LARGE_BODY_BYTES / 1e6} MB at once:`);
  console.table(rows);
}

/** The memory of a plain proxy and of ours. */
export async function measureProxyMemory(): Promise<{ readonly plain: Memory; readonly spillway: Memory }> {
  await using upstream = await openUpstream();
  await using plain = await openOwn("plain", upstream.port);
  await using spillway = await openOwn("spillway", upstream.port);
  return { plain: await measureMemory(plain), spillway: await measureMemory(spillway) };
}

async function openProxies(port: number): Promise<ReadonlyMap<string, PeerProxy>> {
  const litellm = await openLitellm(port);
  if (litellm === null) console.log("LiteLLM's proxy is not measured: SPILLWAY_PYTHON names no Python that has it.");
  return new Map([
    ["plain reverse proxy", await openOwn("plain", port)],
    ["spillway proxy", await openOwn("spillway", port)],
    ...(litellm === null ? [] : [["LiteLLM's proxy", litellm] as const]),
  ]);
}

async function openOwn(kind: "plain" | "spillway", port: number): Promise<PeerProxy> {
  const child = fork(join(import.meta.dirname, "overflow-proxy-child.ts"), [kind, String(port)]);
  const [{ url }] = await once(child, "message");
  const close = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { pid: child.pid ?? 0, url, [Symbol.asyncDispose]: close };
}

/** The proxies take turns, so that a busy moment of the machine affects each of them. The first round warms them. */
async function measureCosts(proxies: ReadonlyMap<string, PeerProxy>) {
  const body = writeRequest("the gate at weir seven opened\n".repeat(3_000));
  const times = new Map<string, number[]>();
  const cpuMs = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, proxy] of proxies) {
      const before = readCpuMs(proxy.pid);
      const each = await Array.fromAsync({ length: CALLS_PER_ROUND }, () => timePost(proxy, body));
      if (round === 0) continue;
      times.set(name, [...(times.get(name) ?? []), ...each]);
      cpuMs.set(name, (cpuMs.get(name) ?? 0) + readCpuMs(proxy.pid) - before);
    }
  }
  return new Map(
    [...times].map(([name, list]) => {
      const sorted = list.toSorted((one, other) => one - other);
      const cpu = (cpuMs.get(name) ?? 0) / list.length;
      return [name, { "p50 ms": toText(sorted[list.length >> 1]), "CPU ms": toText(cpu) }] as const;
    }),
  );
}

async function timePost(proxy: PeerProxy, body: string): Promise<number> {
  const start = performance.now();
  await post(proxy, body);
  return performance.now() - start;
}

/** What a client gets for a request that the provider refuses: an agent's newest result is too large. */
async function describeAnswer(proxy: PeerProxy): Promise<string> {
  const { status, text } = await post(proxy, writeRequest("level 41.2 cm at gate seven\n".repeat(33_000)));
  return status === 200 && text.includes("accepted") ? "answered" : `refused with ${status}`;
}

async function measureMemory(proxy: PeerProxy): Promise<Memory> {
  const idle = readPeakMb(proxy.pid);
  const body = writeRequest("the gate at weir seven opened\n".repeat(LARGE_BODY_BYTES / 30));
  await Promise.all(Array.from({ length: LARGE_REQUESTS }, () => post(proxy, body)));
  return { "idle MB": Math.round(idle), "peak MB": Math.round(readPeakMb(proxy.pid)) };
}

async function post(
  { url, key = "none" }: PeerProxy,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}

function writeRequest(result: string): string {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "shell", arguments: '{"command":"cat levels.log"}' },
  };
  const messages = [
    { role: "user", content: "Which gate opened?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: result },
  ];
  return JSON.stringify({ model: "m", messages });
}

/** A provider of chat completions that refuses what is too large, except the requests for memory, which it answers late. */
async function openUpstream(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(answerRequest).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const answerRequest: RequestListener = async (request, response) => {
  const length = await readLength(request);
  const isRefused = length > MAX_ACCEPTED_CHARS && length < LARGE_BODY_BYTES;
  response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
  const answer = () => response.end(JSON.stringify(isRefused ? refusal : completion));
  if (length < LARGE_BODY_BYTES) answer();
  else setTimeout(answer, 200);
};

async function readLength(request: IncomingMessage): Promise<number> {
  return (await readText(request)).length;
}

const refusal = {
  error: {
    message: "This model's maximum context length is 100000 tokens. Please reduce the length of the messages.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
};

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "accepted" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** User and system time of a process so far. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** The peak of a process. What getrusage reports begins with the peak of the parent. */
function readPeakMb(pid: number): number {
  const [, kib = "0"] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}

const toText = (ms: number | undefined): string => (ms ?? Number.NaN).toFixed(2);
