// The smallest server on the same SDK: one tool that answers with a word.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: { url: { type: "string" } } };
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "fetch", description: "Nothing.", inputSchema }] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "nothing" }] }));
  return server;
});
