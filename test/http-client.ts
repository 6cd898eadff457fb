/** An HTTP client for tests: it reaches only this machine's test servers and does not wait between tries. */
import type { HttpClient, HttpClientOptions, HttpOpenOptions } from "../src/acquire/http/http-client.ts";
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import type { OpenedSource } from "../src/acquire/source.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import type { TestServer } from "./server.ts";

export type TestClientOptions = Omit<HttpClientOptions, "settings" | "env"> & {
  readonly settings?: Partial<Settings>;
  readonly env?: HttpClientOptions["env"];
};

/** A client that may reach these servers; `waits` records the delays between tries. */
export function openTestClient(
  servers: readonly TestServer[],
  setup: TestClientOptions = {},
): HttpClient & { waits: number[] } {
  const waits: number[] = [];
  const settings = { ...defaultSettings, "network.allow": servers.map(({ allow }) => allow), ...setup.settings };
  const pause = async (ms: number) => void waits.push(ms);
  return { ...openHttpClient({ pause, ...setup, settings, env: setup.env ?? {} }), waits };
}

/** Fetches a URL and reads its body to the end. */
export async function fetchBytes(client: HttpClient, url: string, options: Partial<HttpOpenOptions> = {}) {
  const signal = new AbortController().signal;
  const source = await client.open(new URL(url), { prefers: "markdown", signal, ...options });
  if ("unchanged" in source) throw new Error("unchanged");
  const bytes = Buffer.concat(await Array.fromAsync(source.chunks));
  return { ...(source as Required<OpenedSource>), bytes, text: bytes.toString() };
}
