/**
 * A client of `spillway serve` without a library: MCP over HTTP is JSON in a POST. Start the server, then use the token that it
 * prints:
 *
 *   SERVER_URL=http://127.0.0.1:8403/mcp SERVER_TOKEN=... node examples/serve-client.ts
 */
const url = process.env.SERVER_URL ?? "http://127.0.0.1:8403/mcp";
let sessionId: string | null = null;

async function send(message: object): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${process.env.SERVER_TOKEN}`,
      ...(sessionId !== null && { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  sessionId ??= response.headers.get("mcp-session-id");
  return response.text();
}

const clientInfo = { name: "serve-client", version: "1.0.0" };
await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
await send({ method: "notifications/initialized" });
const call = { name: "fetch_content", arguments: { url: "data:text/plain,What a weir holds back" } };
console.log(await send({ id: 2, method: "tools/call", params: call }));
