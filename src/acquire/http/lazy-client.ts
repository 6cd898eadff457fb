/** Opens the way to other hosts when it is first used: a start that fetches nothing does not pay for it. */
import type { Network, NetworkOptions } from "./http-client.ts";

/** Connections are shared by all who share it; closing it ends them. */
export function openNetwork(options: NetworkOptions): Network {
  let loading: Promise<Network> | undefined;
  const loaded = (): Promise<Network> => {
    loading ??= import("./http-client.ts").then(({ makeNetwork }) => makeNetwork(options));
    return loading;
  };
  return {
    open: async (url, ask) => (await loaded()).open(url, ask),
    post: async (service, ask) => (await loaded()).post(service, ask),
    fingerprint: async (url, prefers) => (await loaded()).fingerprint(url, prefers),
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}
