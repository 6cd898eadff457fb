/** An MCP server over HTTP with SSE, the transport of 2024: a stream of answers, and an address to post messages to. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { startServer } from "./server.ts";

/** What is wrong with it. */
export type SseFault = "refuses" | "elsewhere" | "ends";

/** Serves until it is disposed. It has one tool that answers as long as it is asked to. */
export async function serveSse(fault?: SseFault) {
  const streams = new Map<string, ServerResponse>();

  function listen(response: ServerResponse): void {
    if (fault === "refuses") return void response.writeHead(401).end();
    const id = crypto.randomUUID();
    streams.set(id, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const origin = fault === "elsewhere" ? "http://127.0.0.1:1" : "";
    response.write(`event: endpoint\ndata: ${origin}/messages?id=${id}\n\n`);
  }

  async function take(request: IncomingMessage, response: ServerResponse, stream: ServerResponse): Promise<void> {
    const { id, method, params } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
    response.writeHead(202).end("Accepted");
    if (fault === "ends") return void stream.end();
    const result = id === undefined ? undefined : answer(method, params);
    if (result !== undefined)
      stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  }

  return startServer((request, response) => {
    if (request.method === "GET") return listen(response);
    const stream = streams.get(new URL(request.url ?? "", "http://localhost").searchParams.get("id") ?? "");
    if (stream === undefined) response.writeHead(404).end();
    else void take(request, response, stream);
  });
}

function answer(method: string, params: { readonly arguments?: { readonly chars?: number } }): object {
  if (method === "initialize")
    return { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "sse", version: "1" } };
  if (method === "tools/list") return { tools: [{ name: "text", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: "The level fell. ".repeat((params.arguments?.chars ?? 16) / 16) }] };
}
