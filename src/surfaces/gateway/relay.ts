/**
 * Relays MCP messages between a client and one server, line by line. Lines pass as they are, except the listing of
 * tools, results that are too large, and calls of the tool that reads them on, which are answered here.
 */
import { type ClientProfile, findClientProfile, findModel } from "../../config/clients.ts";
import { lowerBudget, makeSourceBudget } from "../../fit/budget.ts";
import type { Session } from "../../session/session.ts";
import { callTool } from "../../tools/call-tool.ts";
import { inputSchema } from "../../tools/parameters.ts";
import { readArtifactTool } from "../../tools/read-artifact.ts";
import { boundResult } from "./bound-result.ts";
import {
  isObject,
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  toList,
  toObject,
  toText,
  writeError,
  writeResult,
} from "./json-rpc.ts";

/** What is done with results: bounded, or passed with a ref appended, or passed untouched. */
export type RelayMode = "bound" | "annotate" | "off";

export type RelayOptions = {
  readonly session: Session;
  /** The name of the server, in records and errors. */
  readonly server: string;
  readonly mode: RelayMode;
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  toClient(line: string): Promise<void>;
  toServer(line: string): Promise<void>;
  log(sentence: string): void;
};

/** A request that the server has not answered. */
type Pending = { readonly id: RequestId; readonly method: string; readonly tool: string };

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
  const { session, server, mode, toClient, toServer } = options;
  const pending = new Map<string, Pending>();
  const schemas = new Map<string, boolean>();
  const calls = new Map<string, AbortController>();
  let clientName = options.client;
  let model: string | undefined;
  let profile: ClientProfile | undefined = findClientProfile(clientName);
  let readTool = readArtifactTool.name;

  async function fromClient(line: string): Promise<void> {
    const message = mode === "off" ? undefined : parseMessage(line);
    if (message === undefined) return toServer(line);
    const { json } = message;
    const [id, method, params] = [readId(json), toText(json.method), toObject(json.params)];
    if (method === "notifications/cancelled") calls.get(keyOf(readRequestId(params)))?.abort();
    if (id === undefined || method === undefined) return toServer(line);
    learnClient(method, params);
    if (method === "tools/call" && params.name === readTool) {
      void answerRead(id, params); // Other lines, such as its cancellation, must not wait for it.
      return;
    }
    if (pending.size >= MAX_PENDING) return toClient(writeError(id, -32000, "Too many requests are open."));
    pending.set(keyOf(id), { id, method, tool: toText(params.name) ?? "" });
    return toServer(line);
  }

  /** The client names itself in the handshake or, in newer revisions, with each request; some name their model in calls. */
  function learnClient(method: string, params: JsonObject): void {
    const info =
      method === "initialize" ? params.clientInfo : toObject(params._meta)["io.modelcontextprotocol/clientInfo"];
    if (isObject(info) && options.client === undefined) clientName = toText(info.name);
    model = findModel(toObject(params._meta)) ?? model;
    profile = findClientProfile(clientName, model);
  }

  async function fromServer(line: string): Promise<void> {
    const message = mode === "off" || pending.size === 0 ? undefined : parseMessage(line);
    const id = message === undefined ? undefined : readId(message.json);
    const request = id === undefined || message?.json.method !== undefined ? undefined : takePending(id);
    const result = message?.json.result;
    if (message === undefined || request === undefined || !isObject(result)) return toClient(line);
    const changed = await change(request, result);
    await toClient(changed === undefined ? line : JSON.stringify({ ...message.json, result: changed }));
  }

  function takePending(id: RequestId): Pending | undefined {
    const request = pending.get(keyOf(id));
    pending.delete(keyOf(id));
    return request;
  }

  /** The result as it passes, or undefined if it passes unchanged. A fault of ours never costs a result. */
  async function change({ method, tool }: Pending, result: JsonObject): Promise<JsonObject | undefined> {
    try {
      if (method === "tools/list") return addReadTool(result);
      return method === "tools/call" ? await bound(tool, result) : undefined;
    } catch (error) {
      options.log(`a result of ${tool} passed as it is: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Our tool is listed once, on the last page. A server's own tool of that name keeps it. */
  function addReadTool(result: JsonObject): JsonObject {
    const tools = toList(result.tools).filter(isObject);
    for (const tool of tools) schemas.set(toText(tool.name) ?? "", canTrim(tool.outputSchema));
    if (tools.some(({ name }) => name === readArtifactTool.name)) readTool = `spillway_${readArtifactTool.name}`;
    const listed = tools.map((tool) => (canTrim(tool.outputSchema) ? tool : withoutSchema(tool)));
    return { ...result, tools: result.nextCursor === undefined ? [...listed, describeReadTool(readTool)] : listed };
  }

  async function bound(tool: string, result: JsonObject): Promise<JsonObject | undefined> {
    const client = profile?.limit;
    const budget = lowerBudget(makeSourceBudget(session.settings).inline, { client });
    const hasSchema = schemas.get(tool) ?? false;
    const bounded = await boundResult(result, { budget, session, tool, server, readTool, hasSchema });
    return mode === "annotate" && bounded !== undefined ? annotate(result, bounded) : bounded;
  }

  async function answerRead(id: RequestId, params: JsonObject): Promise<void> {
    const controller = new AbortController();
    calls.set(keyOf(id), controller);
    try {
      const signal = AbortSignal.any([session.signal, controller.signal]);
      const client = profile && { ...profile, form: "text" as const };
      const reply = await callTool(readArtifactTool, params.arguments ?? {}, { ...session, signal, client });
      const content = reply.blocks.map(({ text }) => ({ type: "text", text }));
      await toClient(writeResult(id, { content, isError: reply.isError }));
    } catch (error) {
      if (!controller.signal.aborted) await toClient(writeError(id, -32603, describe(error)));
    } finally {
      calls.delete(keyOf(id));
    }
  }

  async function fail(reason: string): Promise<void> {
    const open = [...pending.values()];
    pending.clear();
    for (const { id } of open) await toClient(writeError(id, -32000, reason));
  }

  return { fromClient, fromServer, fail };
}

const readRequestId = ({ requestId }: JsonObject): RequestId =>
  typeof requestId === "number" ? requestId : String(requestId);

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a declared shape allows fewer items: an object with a list that may be shorter. Without a shape, nothing breaks. */
function canTrim(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return Object.values(toObject(schema.properties)).some(
    (property) => isObject(property) && property.type === "array" && !Number(property.minItems ?? 0),
  );
}

/** A shape that could not be kept when a result is bounded leaves the listing, or clients would reject the result. */
function withoutSchema(tool: JsonObject): JsonObject {
  const { outputSchema: _, ...rest } = tool;
  return rest;
}

function describeReadTool(name: string): JsonObject {
  const { title, about, input, hints } = readArtifactTool;
  return {
    name,
    title,
    description: about,
    inputSchema: { ...inputSchema(input), type: "object" },
    annotations: { title, ...hints },
    _meta: { "anthropic/alwaysLoad": true },
  };
}

/** Everything passes, and the ref of the kept copy is added. */
function annotate(result: JsonObject, bounded: JsonObject): JsonObject {
  const ref = toObject(bounded._meta)["spillway/artifact_ref"];
  if (typeof ref !== "string") return result;
  const note = { type: "text", text: `[Kept as artifact_ref=${ref}.]` };
  return {
    ...result,
    content: [...toList(result.content), note],
    _meta: { ...toObject(result._meta), "spillway/artifact_ref": ref },
  };
}
