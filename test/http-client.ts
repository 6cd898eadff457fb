/** An HTTP client for tests: it reaches only this machine's test servers and does not wait between tries. */
import type { HttpOpenOptions, Network, NetworkOptions } from "../src/acquire/http/http-client.ts";
import { openNetwork } from "../src/acquire/http/lazy-client.ts";
import type { Opened } from "../src/acquire/source.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import type { TestServer } from "./server.ts";

export type TestClientOptions = Omit<NetworkOptions, "settings" | "env"> & {
  readonly settings?: Partial<Settings>;
  readonly env?: NetworkOptions["env"];
};

/** A client that may reach these servers; `waits` records the delays between tries. */
export function openTestClient(
  servers: readonly TestServer[],
  setup: TestClientOptions = {},
): Network & { waits: number[] } {
  const waits: number[] = [];
  const settings = { ...defaultSettings, "network.allow": servers.map(({ allow }) => allow), ...setup.settings };
  const pause = async (ms: number) => void waits.push(ms);
  return { ...openNetwork({ pause, ...setup, settings, env: setup.env ?? {} }), waits };
}

/** Fetches a URL and reads its body to the end. */
export async function fetchBytes(client: Network, url: string, options: Partial<HttpOpenOptions> = {}) {
  const signal = new AbortController().signal;
  const source = await client.open(new URL(url), { prefers: "markdown", signal, ...options });
  if ("unchanged" in source) throw new Error("unchanged");
  const bytes = Buffer.concat(await Array.fromAsync(source.chunks));
  return { ...(source as Required<Opened>), bytes, text: bytes.toString() };
}
