/** An MCP server for tests of the gateway. Its tools answer as much, as late or as wrong as their arguments say. */
import { createInterface } from "node:readline";

type Request = {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly chars?: number } };
};

const write = (line: string) => void process.stdout.write(`${line}\n`);
const answer = (id: unknown, result: object) => write(JSON.stringify({ jsonrpc: "2.0", id, result }));

const refuse = ({ id }: Request) =>
  write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32602, message: "There is no such tool." } }));

const tools: Readonly<Record<string, (request: Request) => void>> = {
  text: ({ id, params }) => {
    const words = "The quick brown fox jumps over the lazy dog. ";
    const text = words.repeat(Math.ceil((params?.arguments?.chars ?? 100) / words.length));
    answer(id, { content: [{ type: "text", text: `${text}\nNEEDLE 4711\n${text}` }] });
  },
  twice: ({ id }) => {
    answer(id, { content: [] });
    answer(id, { content: [] });
  },
  garbage: ({ id }) => {
    write("this is not JSON");
    answer(id, { content: [] });
  },
  silence: () => undefined,
  crash: () => process.exit(3),
  pid: ({ id }) => answer(id, { content: [{ type: "text", text: String(process.pid) }] }),
  flood: ({ id }) => {
    const data = "x".repeat(1_000);
    for (let count = 0; count < 20_000; count++)
      write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } }));
    answer(id, { content: [{ type: "text", text: "flooded" }] });
  },
  owner: ({ id }) => answer(id, { content: [{ type: "text", text: String(process.env.OWNER) }] }),
  env: ({ id }) => answer(id, { content: [{ type: "text", text: Object.keys(process.env).join("\n") }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(line);
  const { id, method, params } = request;
  if (method === "initialize") {
    const serverInfo = { name: "flooding", version: "1" };
    answer(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    answer(id, { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) });
  } else if (method === "tools/call") (tools[params?.name ?? ""] ?? refuse)(request);
}
