/** The simulated provider behind the proxy, over real sockets. */
import type { Settings } from "../src/config/settings.ts";
import { openRecovery } from "../src/overflow/open-recovery.ts";
import { openProxy, type ProxyOptions } from "../src/surfaces/proxy/proxy-server.ts";
import { parseUpstreams } from "../src/surfaces/proxy/upstreams.ts";
import { type ServedProviderOptions, serveProvider } from "./provider.ts";
import { openWatchedSession } from "./recovery.ts";

export type Proxied = Awaited<ReturnType<typeof openProxiedProvider>>;

/** A proxy whose upstream `/sim` is a simulated provider. Disposing ends both. */
export async function openProxiedProvider(
  options: ServedProviderOptions,
  settings: Partial<Settings> = {},
  more: Partial<ProxyOptions> = {},
) {
  const session = await openWatchedSession(settings);
  const provider = await serveProvider(options);
  const open = () =>
    openProxy({
      recovery: openRecovery(session),
      upstreams: parseUpstreams([`sim=${provider.url}`, "gone=http://127.0.0.1:1"]),
      port: 0,
      allowOrigins: ["https://app.example"],
      bodyBytes: 2 ** 24,
      folders: session.spoolFolders,
      ...more,
    });
  let proxy = await open();
  return {
    session,
    provider,
    get url() {
      return proxy.url;
    },
    post: (body: string, headers: Record<string, string> = {}, path = "/v1/chat/completions") =>
      fetch(`${proxy.url}/sim${path}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      }),
    /** Replaces the proxy by a new one on the same store, which has no memory of earlier conversations. */
    async restart() {
      await proxy[Symbol.asyncDispose]();
      proxy = await open();
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
