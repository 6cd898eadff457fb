/** A `fetch` to services that the user's own settings name: through the user's proxy, trusting the user's certificates. */
import { Readable } from "node:stream";
import { permissiveGuard } from "./address-guard.ts";
import { systemDialler } from "./guarded-connect.ts";
import { openTransport, type TransportOptions } from "./undici-transport.ts";

export type ServiceFetch = AsyncDisposable & { readonly fetch: typeof globalThis.fetch };

/**
 * Takes as long as an answer takes: only connecting is bounded. No address is judged, for the user chose it; and no
 * redirect is followed, so that a key goes nowhere else.
 */
export function openServiceFetch(options: Pick<TransportOptions, "settings" | "env">): ServiceFetch {
  const transport = openTransport({ ...options, dialler: systemDialler, guard: permissiveGuard });
  return {
    async fetch(input, init) {
      const asked = new Request(input, init);
      const body = asked.method === "POST" ? { body: await asked.text() } : {};
      const headers = { ...Object.fromEntries(asked.headers), "accept-encoding": "identity" };
      const answer = await transport.request(new URL(asked.url), headers, asked.signal, body);
      const { status } = answer;
      if (bodiless.includes(status)) answer.discard();
      const stream = bodiless.includes(status) ? null : Readable.toWeb(answer.body);
      return new Response(stream, { status, headers: answer.headers });
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** These statuses have none, and a response with one cannot be made. */
const bodiless: readonly number[] = [204, 205, 304];
