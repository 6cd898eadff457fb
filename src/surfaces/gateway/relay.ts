/**
 * Relays MCP messages between a client and one server, line by line. Lines pass as they are, except the listing of
 * tools, results that are too large, and calls of the tool that reads them on, which are answered here.
 */
import { clip } from "../../system/safe-names.ts";
import {
  isObject,
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  splitBatch,
  toObject,
  toText,
  writeError,
} from "./json-rpc.ts";
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

export type RelayOptions = Omit<EditorOptions, "readTool" | "listsReadTool"> & {
  /** The tool that reads on, where it is listed and called elsewhere. */
  readonly readTool?: ReadTool | undefined;
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  toClient(line: string): Promise<void>;
  toServer(line: string): Promise<void>;
};

/** A request that the server has not answered. */
type Pending = SentRequest & { readonly id: RequestId };

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
  const pending = new Map<string, Pending>();
  let client: ClientIdentity = { name: options.client };

  async function fromClient(line: string): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) return takeBatch(line, fromClient, toServer);
    const { json } = message;
    const [id, method, params] = [readId(json), toText(json.method), toObject(json.params)];
    if (method === "notifications/cancelled") readTool.cancel(readRequestId(params));
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
    if (pending.size >= MAX_PENDING) return toClient(writeError(id, -32000, "Too many requests are open."));
    pending.set(keyOf(id), { ...request, id });
    return toServer(line);
  }

  async function answerRead(id: RequestId, params: JsonObject): Promise<void> {
    const line = await readTool.answer(id, params, profileOf(client));
    if (line !== undefined) await toClient(line);
  }

  async function fromServer(line: string): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) return takeBatch(line, fromServer, toClient);
    const id = message.json.method === undefined ? readId(message.json) : undefined;
    if (id === undefined) return toClient(line);
    const request = takePending(id);
    const { result } = message.json;
    // Every request of the client was noted, so this one was answered before, perhaps by us.
    if (request === undefined) return options.log(`a second answer to request ${clip(keyOf(id))} was dropped`);
    if (!isObject(result)) return toClient(line);
    const changed = await editor.edit(request, result);
    await toClient(changed === undefined ? line : JSON.stringify({ ...message.json, result: changed }));
  }

  function takePending(id: RequestId): Pending | undefined {
    const request = pending.get(keyOf(id));
    pending.delete(keyOf(id));
    return request;
  }

  async function fail(reason: string): Promise<void> {
    const open = [...pending.values()];
    pending.clear();
    for (const { id } of open) await toClient(writeError(id, -32000, reason));
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
