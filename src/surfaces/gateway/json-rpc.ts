/** Messages of JSON-RPC as a relay sees them: one line each, parsed only as far as the relay needs. */
import { formatDuration } from "../../system/quantities.ts";

export type JsonObject = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

/** A message with the line it came in; the line is what is passed on. */
export type Message = { readonly line: string; readonly json: JsonObject };

/** The message of a line; undefined for a line that is not one JSON object, which is passed on as it is. */
export function parseMessage(line: string): Message | undefined {
  const start = line.trimStart().charAt(0);
  if (start !== "{") return undefined;
  try {
    const json: unknown = JSON.parse(line);
    return isObject(json) ? { line, json } : undefined;
  } catch {
    return undefined; // Not ours to judge: the other side answers it.
  }
}

/** The messages of a batch (revision 2025-03-26), one line each; undefined for any other line. */
export function splitBatch(line: string): readonly string[] | undefined {
  if (line.trimStart().charAt(0) !== "[") return undefined;
  try {
    const batch: unknown = JSON.parse(line);
    return Array.isArray(batch) && batch.every(isObject) ? batch.map((message) => JSON.stringify(message)) : undefined;
  } catch {
    return undefined; // Not ours to judge: the other side answers it.
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The id of a request or response; undefined for a notification. */
export function readId({ id }: JsonObject): RequestId | undefined {
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** The revision that a message itself names; undefined in revisions with a handshake. */
export function readRevision(json: JsonObject): string | undefined {
  return toText(toObject(toObject(json.params)._meta)["io.modelcontextprotocol/protocolVersion"]);
}

/** The same for equal ids: 1 and "1" are two. */
export const keyOf = (id: RequestId): string => JSON.stringify(id);

/** A line with the response to a request. */
export const writeResult = (id: RequestId, result: object): string => JSON.stringify({ jsonrpc: "2.0", id, result });

/** A line with an error as the response to a request. */
export const writeError = (id: RequestId, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });

/** A line with the response to a call that took too long. */
export const writeTimeout = (id: RequestId, timeoutMs: number): string =>
  writeError(
    id,
    -32001,
    `The server did not answer within ${formatDuration(timeoutMs)}, and the call was cancelled. Ask for less, or raise the setting gateway.call_timeout.`,
  );
