/** The memory of the proxy while many large requests are under way, beside a plain reverse proxy. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const REQUESTS = 20;
const BODY_BYTES = 10_000_000;

export async function printProxyMemory(): Promise<void> {
  console.log(`${REQUESTS} requests of ${BODY_BYTES / 1e6} MB at once, each proxy in a process of its own:`);
  console.table(await measureProxyMemory());
}

type Memory = { readonly "idle MB": number; readonly "peak MB": number };

/** The memory of a plain proxy and of ours. */
export async function measureProxyMemory(): Promise<{ readonly plain: Memory; readonly spillway: Memory }> {
  // The provider waits until it has all bodies, as a slow one would.
  const server = createServer((request, response) => {
    request.resume().once("end", () => setTimeout(() => response.end('{"choices":[]}'), 200));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const rows = { plain: await measure("plain", port), spillway: await measure("spillway", port) };
  server.closeAllConnections();
  server.close();
  return rows;
}

async function measure(kind: string, port: number): Promise<Memory> {
  const child = fork(join(import.meta.dirname, "overflow-proxy-child.ts"), [kind, String(port)]);
  const [{ url }] = await once(child, "message");
  const before = await askPeak(child);
  const text = "the gate at weir seven opened\n".repeat(BODY_BYTES / 30);
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] });
  const post = async () => (await fetch(`${url}/v1/chat/completions`, { method: "POST", body })).text();
  await Promise.all(Array.from({ length: REQUESTS }, post));
  const peak = await askPeak(child);
  child.kill();
  return { "idle MB": Math.round(before), "peak MB": Math.round(peak) };
}

async function askPeak(child: ReturnType<typeof fork>): Promise<number> {
  child.send("peak");
  const [{ peakMb }] = await once(child, "message");
  return peakMb;
}
