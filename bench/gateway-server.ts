/** A small MCP server for the bench of the gateway: its one tool answers with as many characters as it is asked for. */
import { createInterface } from "node:readline";

const row = (id: number) => ({ id, name: `river ${id}`, length_km: (id * 37) % 900, tags: ["water", "europe"] });
const texts = new Map<number, string>();

let calls = 0;

/** A JSON list of about so many characters, a new one for each call: what a store has already is not kept again. */
function makeText(chars: number): string {
  const rows = texts.get(chars) ?? JSON.stringify(Array.from({ length: Math.ceil(chars / 75) }, (_, id) => row(id)));
  texts.set(chars, rows);
  return `[{"call":${++calls}},${rows.slice(1)}`;
}

const tools = [{ name: "rivers", inputSchema: { type: "object", properties: { chars: { type: "number" } } } }];
const serverInfo = { name: "bench", version: "1" };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = (result: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  if (method === "initialize")
    answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  else if (method === "tools/list") answer({ tools });
  else if (method === "tools/call") answer({ content: [{ type: "text", text: makeText(params.arguments.chars) }] });
  else answer({});
}
