/** The smallest HTTP server on the same SDK: no token, no checks, one tool that answers with a word. Prints its address. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

function makeServer(): Server {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object" as const, properties: { artifact_ref: { type: "string" } } };
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "read_artifact", inputSchema }] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "nothing" }] }));
  return server;
}

const stateless = createMcpHandler(makeServer, { legacy: "reject" });
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function serveSession(request: Request, parsedBody: unknown): Promise<Response> {
  const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
  if (known !== undefined) return known.handleRequest(request, { parsedBody });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

const server = createServer(async (request, response) => {
  const chunks = await Array.fromAsync(request);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const web = new Request(`http://localhost${request.url}`, { method: "POST", headers });
  const reply = (await isLegacyRequest(web, body))
    ? await serveSession(web, body)
    : await stateless.fetch(web, { parsedBody: body });
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body !== null) for await (const chunk of reply.body) response.write(chunk);
  response.end();
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })}\n`,
  );
});
