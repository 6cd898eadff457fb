/** The MCP server of one caller: the same tools as over stdio, on the caller's own session and in its turn. */
import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { LoadedConfig } from "../../../config/load-config.ts";
import { createMcpServer, type McpServerOptions, type RunCall } from "../../mcp/mcp-server.ts";
import { type FairQueue, QueueFullError } from "../guard/fair-queue.ts";
import type { Owners } from "../owners.ts";
import type { MakeServer } from "./mcp-endpoint.ts";

export type CreateServer = (options: McpServerOptions) => Server;

export type OwnerServersOptions = {
  readonly owners: Owners;
  readonly queue: FairQueue;
  readonly config: LoadedConfig;
  readonly createServer?: CreateServer;
};

export function makeOwnerServers({
  owners,
  queue,
  config,
  createServer = createMcpServer,
}: OwnerServersOptions): MakeServer {
  // Problems of the operator's settings are in the operator's log.
  const quietConfig = { ...config, problems: [] };
  return async (caller, clientName) => {
    const opened = await owners.open(caller);
    const runCall: RunCall = (signal, work) => runInTurn(queue, caller.owner, signal, work);
    const server = createServer({
      session: opened.session,
      config: quietConfig,
      client: clientName,
      isRemote: true,
      runCall,
    });
    return { server, [Symbol.dispose]: () => opened[Symbol.dispose]() };
  };
}

async function runInTurn<T>(queue: FairQueue, owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await queue.run(owner, signal, work);
  } catch (error) {
    if (error instanceof QueueFullError) throw new ProtocolError(BUSY_CODE, error.message);
    throw error;
  }
}

/** The same code as over stdio when too many requests wait. */
const BUSY_CODE = -32000;
