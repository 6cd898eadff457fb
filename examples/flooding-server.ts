/**
 * An MCP server whose one tool answers with far more than a model can read. Behind the gateway its result becomes a first page
 * and a ref:
 *
 *   spillway gateway -- node examples/flooding-server.ts
 */
import { createInterface } from "node:readline";

const LINES = 20_000;
const report = Array.from({ length: LINES }, (_, index) => `station ${index}: level ${(index % 7) + 210} m`).join("\n");

const results: Readonly<Record<string, (params: { readonly protocolVersion?: string }) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "flooding-server", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{ name: "report", description: "The levels of all stations.", inputSchema: { type: "object" } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: report }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  const result = results[method]?.(params);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }));
}
