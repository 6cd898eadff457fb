/** A relay on loopback in front of an HTTP server that answers some requests itself, where the server cannot be made to. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request as sendRequest } from "node:http";
import { pipeline } from "node:stream/promises";
import { listen } from "./tcp-relay.ts";

export type RelayedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
};

export type RelayAnswer = { readonly status: number; readonly body: string };

export type HttpRelay = { readonly port: number; readonly seen: readonly RelayedRequest[] } & AsyncDisposable;

/** Relays requests as they are, their Host header included, except those that `answer` answers. */
export async function startHttpRelay(
  toPort: number,
  answer: (request: RelayedRequest) => RelayAnswer | undefined,
): Promise<HttpRelay> {
  const seen: RelayedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers };
    seen.push(request);
    const own = answer(request);
    if (own !== undefined) {
      incoming.resume();
      outgoing.writeHead(own.status, { "content-type": "application/xml" }).end(own.body);
      return;
    }
    const onward = sendRequest({ host: "127.0.0.1", port: toPort, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, outgoing).catch(() => outgoing.destroy());
    });
    pipeline(incoming, onward).catch(() => outgoing.destroy());
  });
  const port = await listen(server);
  return {
    port,
    seen,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The body of an error as services of objects write it. */
export const errorBody = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
