/** Serves MCP over standard streams until the input ends or the signal is aborted. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describeProblems } from "../../config/config-problem.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import { type ConnectionEnd, createLineTransport, type LineStreams } from "./stdio-transport.ts";

/** Serves one client, in the protocol revision it uses. Returns when and how the connection has ended. */
export async function serveMcp(options: McpServerOptions, streams: LineStreams): Promise<ConnectionEnd> {
  for (const problem of describeProblems(options.config.problems)) streams.log(problem);
  const transport = createLineTransport(streams);
  const onerror = (error: Error) => streams.log(error.message);
  const handle = serveStdio(() => createMcpServer(options), { transport, onerror });
  const end = await transport.ended;
  await handle.close();
  return end;
}
