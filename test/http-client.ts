/** A network for tests: on this machine's servers only, without waiting between tries. */
import type { HttpOpenOptions, Network, NetworkOptions } from "../src/acquire/http/http-client.ts";
import { openNetwork } from "../src/acquire/http/lazy-client.ts";
import type { Opened } from "../src/acquire/source.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import type { TestServer } from "./server.ts";

export type TestClientOptions = Omit<NetworkOptions, "settings" | "env"> & {
  readonly settings?: Partial<Settings>;
  readonly env?: NetworkOptions["env"];
};

export function openTestClient(
  servers: readonly TestServer[],
  setup: TestClientOptions = {},
): Network & { waits: number[] } {
  const waits: number[] = [];
  const settings = { ...defaultSettings, "network.allow": servers.map(({ allow }) => allow), ...setup.settings };
  const pause = async (ms: number) => void waits.push(ms);
  return { ...openNetwork({ pause, ...setup, settings, env: setup.env ?? {} }), waits };
}

/** Fetches and reads to the end. */
export async function fetchBytes(network: Network, url: string, ask: Partial<HttpOpenOptions> = {}) {
  const signal = new AbortController().signal;
  const opened = await network.open(new URL(url), { prefers: "markdown", signal, ...ask });
  if ("unchanged" in opened) throw new Error("unchanged");
  const bytes = Buffer.concat(await Array.fromAsync(opened.chunks));
  return { ...(opened as Required<Opened>), bytes, text: bytes.toString() };
}
