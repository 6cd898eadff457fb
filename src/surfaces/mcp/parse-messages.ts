/** Parses one line of input into JSON-RPC messages. A request that is not valid is answered, never dropped. */
import { isJSONRPCRequest, type JSONRPCMessage, ProtocolErrorCode, type RequestId } from "@modelcontextprotocol/server";
import { createRequestFinder, isRequestId } from "./find-requests.ts";

/** A message, an error to answer a request with, or a sentence for the log about something that cannot be answered. */
export type ParsedItem =
  | { readonly message: JSONRPCMessage }
  | { readonly refused: RequestId; readonly code: number; readonly reason: string }
  | { readonly skipped: string };

/** The messages of a line: one, or a batch as in an older revision of the protocol. */
export function parseMessages(line: string): ParsedItem[] {
  if (line.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).map(parseItem);
  } catch {
    return refuseBrokenLine(line);
  }
}

/** The ids that can be found are answered; the sentence for the log repeats nothing of the line. */
function refuseBrokenLine(line: string): ParsedItem[] {
  const finder = createRequestFinder();
  finder.push(Buffer.from(line, "utf8"));
  const refusals = finder
    .finish()
    .map((refused) => ({ refused, code: ProtocolErrorCode.ParseError, reason: "The message is not valid JSON." }));
  return [{ skipped: `skipped a line of ${line.length} characters that is not JSON` }, ...refusals];
}

function parseItem(value: unknown): ParsedItem {
  if (!isRecord(value)) return { skipped: notAMessage };
  const { id, method } = value;
  const isResponse = method === undefined && ("result" in value || "error" in value);
  const isRequest = id !== undefined && !isResponse;
  // Without a usable id no answer would reach the caller.
  if (isRequest && !isRequestId(id)) return { skipped: notAMessage };
  const problem = findProblem(value);
  if (isRequest && isRequestId(id) && problem !== null) return { refused: id, ...problem };
  return isMessage(value) ? { message: normalizeArguments(value) } : { skipped: notAMessage };
}

/** Checks the outermost form only; the SDK checks the rest. */
export function isMessage(value: object): value is JSONRPCMessage {
  return "jsonrpc" in value && value.jsonrpc === "2.0";
}

const notAMessage = "skipped an item that is not a JSON-RPC message";

type Problem = { readonly code: number; readonly reason: string };

/** What is wrong with a request, before its method is looked at. */
function findProblem(value: Readonly<Record<string, unknown>>): Problem | null {
  const { jsonrpc, method, params } = value;
  if (jsonrpc !== "2.0") return invalidRequest('jsonrpc must be "2.0".');
  if (typeof method !== "string") return invalidRequest("method must be text.");
  if (params !== undefined && !isRecord(params)) return invalidParams("params must be an object.");
  if (params?._meta !== undefined && !isRecord(params._meta)) return invalidParams("_meta must be an object.");
  return isJSONRPCRequest(value) ? null : invalidRequest("The request has a form that the protocol does not allow.");
}

const invalidRequest = (reason: string): Problem => ({ code: ProtocolErrorCode.InvalidRequest, reason });
const invalidParams = (reason: string): Problem => ({ code: ProtocolErrorCode.InvalidParams, reason });

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Brings the arguments of a tool into a form that the SDK passes to callTool, which accepts lenient input. */
export function normalizeArguments(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message) || message.method !== "tools/call" || !message.params) return message;
  const { arguments: input, ...params } = message.params;
  if (input === undefined || input === null) return { ...message, params };
  const parsed = typeof input === "string" ? parseOrKeep(input) : input;
  return { ...message, params: { ...params, arguments: isRecord(parsed) ? parsed : { arguments: parsed } } };
}

function parseOrKeep(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text; // callTool reports what it cannot use.
  }
}
