/** Serves MCP over standard streams until the input ends or the signal is aborted. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { settingsProblems } from "./health.ts";
import { createServer, type ServerSetting } from "./mcp-server.ts";
import { type LineStreams, lineTransport } from "./stdio-transport.ts";

/** Answers whoever is at the other end, in the revision of the protocol that it speaks. */
export async function serveMcp(setting: ServerSetting, streams: LineStreams): Promise<void> {
  for (const problem of settingsProblems(setting.config)) streams.log(problem);
  const transport = lineTransport(streams);
  const onerror = (error: Error) => streams.log(error.message);
  const handle = serveStdio(() => createServer(setting), { transport, onerror });
  await transport.ended;
  await handle.close();
}
