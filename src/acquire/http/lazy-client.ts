/** Loads the HTTP client when it is first used: a command that fetches nothing does not pay for it. */
import type { HttpClient, HttpClientOptions } from "./http-client.ts";

/** All users of one client share its connections; disposing it closes them. */
export function openHttpClient(clientOptions: HttpClientOptions): HttpClient {
  let loading: Promise<HttpClient> | undefined;
  const load = (): Promise<HttpClient> => {
    loading ??= import("./http-client.ts").then(({ makeHttpClient }) => makeHttpClient(clientOptions));
    return loading;
  };
  return {
    open: async (url, options) => (await load()).open(url, options),
    requestService: async (service, options) => (await load()).requestService(service, options),
    requestForPage: async (url, options) => (await load()).requestForPage(url, options),
    openProxy: async (url, limits) => (await load()).openProxy(url, limits),
    fingerprint: async (url, prefers) => (await load()).fingerprint(url, prefers),
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}
