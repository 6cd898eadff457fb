/** Answers a request with an error, in the form that MCP clients read, and never with anything that the request said. */
import type { ServerResponse } from "node:http";

/** Why a request is not served. */
export type Refusal = {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends the refusal. The connection is closed: what else it carries was not checked. */
export function refuse(response: ServerResponse, { status, message, headers = {} }: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(body);
}
