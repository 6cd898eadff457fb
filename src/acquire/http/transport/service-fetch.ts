/** A `fetch` for services that the user's settings name: through the user's proxy, with the user's certificates. */
import { Readable } from "node:stream";
import { permissiveGuard } from "../guard/address-guard.ts";
import { systemDialler } from "./guarded-connect.ts";
import { openTransport, type TransportOptions } from "./undici-transport.ts";

type ServiceFetch = AsyncDisposable & { readonly fetch: typeof globalThis.fetch };

/**
 * Only connecting has a timeout. No address is checked, because the user chose it; no redirect is followed, so that a
 * key is sent nowhere else.
 */
export function openServiceFetch(options: Pick<TransportOptions, "settings" | "env">): ServiceFetch {
  const transport = openTransport({ ...options, dialler: systemDialler, guard: permissiveGuard });
  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = request.method === "POST" ? { body: await request.text() } : {};
      const method = request.method === "DELETE" ? { method: "DELETE" as const } : {};
      const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
      const answer = await transport.request(new URL(request.url), headers, request.signal, { ...body, ...method });
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
