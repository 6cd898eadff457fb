/** What the messages of a client with a session mean for the session itself. */
import { type InitializeRequest, isInitializeRequest, type RequestId } from "@modelcontextprotocol/server";
import { isRecord, toFields } from "../../../system/json-values.ts";

/** The messages of a body, of which a batch of older revisions has several. */
export const toMessages = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body]);

/** The handshake, if that is the only message. */
export function findHandshake(body: unknown): InitializeRequest | undefined {
  const [message, ...others] = toMessages(body);
  return others.length === 0 && isInitializeRequest(message) ? message : undefined;
}

/** The ids of the requests, as JSON: "1" and 1 are different ids. */
export function listRequestIds(body: unknown): string[] {
  return toMessages(body).flatMap((message) => {
    const { id, method } = toFields(message);
    return typeof method === "string" && isRequestId(id) ? [JSON.stringify(id)] : [];
  });
}

/** The ids of the requests that are to be cancelled. */
export function listCancelledIds(body: unknown): string[] {
  return toMessages(body).flatMap((message) => {
    const { method, params } = toFields(message);
    const { requestId } = toFields(params);
    return method === "notifications/cancelled" && isRequestId(requestId) ? [JSON.stringify(requestId)] : [];
  });
}

/** The log level that the client asks for, if it does. */
export function findLogLevel(body: unknown): string | undefined {
  const request = toMessages(body).find((message) => toFields(message).method === "logging/setLevel");
  const { level } = toFields(toFields(request).params);
  return typeof level === "string" && level.length <= MAX_LEVEL_CHARS ? level : undefined;
}

const MAX_LEVEL_CHARS = 20;

const isRequestId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";

/** How the client introduced itself: what a replica needs to answer it. */
export function writeHandshake({ params }: InitializeRequest): string {
  const { protocolVersion, capabilities, clientInfo } = params;
  return JSON.stringify({ protocolVersion, capabilities, clientInfo });
}

/** The messages that bring a new server to where the session is. */
export function replayMessages(handshake: string, logLevel: string | null): unknown[] {
  const params: unknown = JSON.parse(handshake);
  if (!isRecord(params)) throw new Error("The handshake of a session is not an object.");
  return [
    { jsonrpc: "2.0", id: "replayed-initialize", method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...(logLevel === null
      ? []
      : [{ jsonrpc: "2.0", id: "replayed-level", method: "logging/setLevel", params: { level: logLevel } }]),
  ];
}
