/** An MCP server made with the SDK, for tests of the gateway: over HTTP in this process, or over stdio as a program. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { startServer } from "./server.ts";

const charsSchema = { type: "object" as const, properties: { chars: { type: "number" } }, required: ["chars"] };

/** A server with one tool that answers as long as it is asked to, and one that reports progress. */
export function makeSdkServer(name = "sdk"): McpServer {
  const server = new McpServer({ name, version: "1.0.0" });
  server.registerTool("text", { inputSchema: fromJsonSchema<{ chars: number }>(charsSchema) }, async ({ chars }) => {
    const words = "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(chars / 45));
    return { content: [{ type: "text", text: `${words}\nNEEDLE 4711\n${words}` }] };
  });
  server.registerTool("name", { description: `The name of ${name}` }, async () => ({
    content: [{ type: "text", text: name }],
  }));
  server.registerPrompt("greet", { description: `A greeting of ${name}` }, async () => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello from ${name}` } }],
  }));
  server.registerResource("about", `${name}://about`, {}, async (uri) => ({
    contents: [{ uri: uri.href, text: `About ${name}` }],
  }));
  return server;
}

type Fetch = (request: Request) => Promise<Response>;

/** Serves a handler for web requests over loopback. */
async function serveFetch(handle: Fetch) {
  return startServer((request, response) => void answer(request, response, handle));
}

async function answer(request: IncomingMessage, response: ServerResponse, handle: Fetch): Promise<void> {
  const hasBody = request.method === "POST";
  const init = hasBody ? { body: Buffer.concat(await Array.fromAsync(request)), duplex: "half" as const } : {};
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const reply = await handle(
    new Request(`http://${request.headers.host}${request.url}`, { method: request.method ?? "GET", headers, ...init }),
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body === null) response.end();
  else
    Readable.fromWeb(reply.body)
      .on("error", () => response.destroy())
      .pipe(response);
}

/** Both eras, without sessions. */
export function serveSdkStateless(name?: string) {
  const handler = createMcpHandler(() => makeSdkServer(name));
  return serveFetch((request) => handler.fetch(request));
}

/** The older era, with sessions. `forget` ends all of them, as a server that is started again does. */
export async function serveSdkSessions(name?: string) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = await serveFetch(async (request) => {
    const id = request.headers.get("mcp-session-id");
    const known = sessions.get(id ?? "");
    if (known !== undefined) return known.handleRequest(request);
    if (id !== null)
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
        { status: 404 },
      );
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
      onsessionclosed: (sessionId) => void sessions.delete(sessionId),
    });
    await makeSdkServer(name).connect(transport);
    return transport.handleRequest(request);
  });
  return { ...server, sessions, forget: () => sessions.clear() };
}

if (process.argv[1] === import.meta.filename) serveStdio(() => makeSdkServer(process.argv[2]));
