/**
 * Relays MCP messages between a client and one server, line by line. Lines pass as they are, except the listing of
 * tools, results that are too large, and calls of the tool that reads them on, which are answered here.
 */
import { clip } from "../../system/safe-names.ts";
import { startCallSpan } from "./call-span.ts";
import {
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  splitBatch,
  toObject,
  toText,
  writeError,
  writeTimeout,
} from "./json-rpc.ts";
import { createOpenRequests, type OpenRequest } from "./open-requests.ts";
import {
  type ClientIdentity,
  createEditor,
  type EditorOptions,
  learnClient,
  profileOf,
  readRequest,
  refuseCall,
  type SentRequest,
} from "./result-editor.ts";
import { createReadTool, type ReadTool } from "./tools/read-tool.ts";
import { openTurns, type Turns } from "./turns.ts";

export type RelayOptions = Omit<EditorOptions, "readTool" | "listsReadTool"> & {
  /** The tool that reads on, where it is listed and called elsewhere. */
  readonly readTool?: ReadTool | undefined;
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  /** The turns of the client, where it has several servers. */
  readonly turns?: Turns | undefined;
  /** How long a call may take; by default the setting says. */
  readonly timeoutMs?: number | undefined;
  toClient(line: string): Promise<void>;
  toServer(line: string): Promise<void>;
};

export type Relay = {
  /** Takes a line from the client. */
  fromClient(line: string): Promise<void>;
  /** Takes a line from the server. */
  fromServer(line: string): Promise<void>;
  /** Answers every open request with an error, because the server is gone. */
  fail(reason: string): Promise<void>;
};

/** Requests of a client that are open at once; more are refused, because each is remembered. */
const MAX_PENDING = 10_000;

/** Creates the relay of one connection. */
export function createRelay(options: RelayOptions): Relay {
  const { session, toClient, toServer } = options;
  const readTool = options.readTool ?? createReadTool(session);
  const editor = createEditor({ ...options, readTool, listsReadTool: options.readTool === undefined });
  const turns = options.turns ?? openTurns(session);
  const timeoutMs = options.timeoutMs ?? session.settings["gateway.call_timeout"];
  const open = createOpenRequests({ timeoutMs, expire: (request) => void expire(request) });
  let client: ClientIdentity = { name: options.client };

  async function fromClient(line: string): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) return takeBatch(line, fromClient, toServer);
    const { json } = message;
    const [id, method, params] = [readId(json), toText(json.method), toObject(json.params)];
    if (method === "notifications/cancelled") cancel(readRequestId(params));
    if (id === undefined || method === undefined) return toServer(line);
    client = { ...learnClient(client, method, params), ...(options.client && { name: options.client }) };
    return takeRequest(line, id, readRequest(method, params, profileOf(client)), params);
  }

  async function takeRequest(line: string, id: RequestId, request: SentRequest, params: JsonObject): Promise<void> {
    if (request.method === "tools/call" && request.tool === readTool.name) {
      void answerRead(id, params); // Other lines, such as its cancellation, must not wait for it.
      return;
    }
    const refusal = refuseCall(id, request, options);
    if (refusal !== undefined) return toClient(refusal);
    if (open.size >= MAX_PENDING) return toClient(writeError(id, -32000, "Too many requests are open."));
    const call =
      request.method === "tools/call" ? { turn: turns.join(), span: startSpan(id, request, params) } : undefined;
    open.add({ ...request, id, ...call }, toObject(params._meta).progressToken);
    return toServer(line);
  }

  function startSpan(id: RequestId, { tool, client: profile }: SentRequest, params: JsonObject) {
    return startCallSpan(session, { id, tool, server: options.server, client: profile?.name, params });
  }

  /** The client does not wait for the answer any more, and neither does its turn. */
  function cancel(id: RequestId): void {
    readTool.cancel(id);
    const request = open.take(id);
    request?.turn?.finish(0);
    request?.span?.failed("cancelled");
  }

  /** The client gets an error, and the server hears that its answer is not wanted any more. */
  async function expire({ id, turn, span }: OpenRequest): Promise<void> {
    turn?.finish(0);
    span?.failed("timeout");
    await toClient(writeTimeout(id, timeoutMs));
    const params = { requestId: id, reason: "timeout" };
    await toServer(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
  }

  async function answerRead(id: RequestId, params: JsonObject): Promise<void> {
    const line = await readTool.answer(id, params, profileOf(client));
    if (line !== undefined) await toClient(line);
  }

  async function fromServer(line: string): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) return takeBatch(line, fromServer, toClient);
    const { method, params } = message.json;
    if (method === "notifications/progress") open.extend(toObject(params).progressToken);
    const id = method === undefined ? readId(message.json) : undefined;
    if (id === undefined) return toClient(line);
    const request = open.take(id);
    // Every request of the client was noted, so this one was answered or cancelled before.
    if (request === undefined) return options.log(`a second or late answer to request ${clip(keyOf(id))} was dropped`);
    await toClient(await editor.edit(request, message));
  }

  async function fail(reason: string): Promise<void> {
    for (const { id, turn, span } of open.takeAll()) {
      turn?.finish(0);
      span?.failed("server_gone");
      await toClient(writeError(id, -32000, reason));
    }
  }

  return { fromClient, fromServer, fail };
}

/** The messages of a batch are taken one by one; a line that is not one passes as it is. */
async function takeBatch(
  line: string,
  take: (message: string) => Promise<void>,
  pass: (line: string) => Promise<void>,
): Promise<void> {
  const messages = splitBatch(line);
  if (messages === undefined) return pass(line);
  for (const message of messages) await take(message);
}

const readRequestId = ({ requestId }: JsonObject): RequestId =>
  typeof requestId === "number" ? requestId : String(requestId);
