/** A request before it is sent: its parsed body, its exact JSON text where it is posted, and where it goes. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { applyEdits, type Edit, spliceEdits } from "../../system/json-edits.ts";
import type { Dialect, RequestBody } from "../dialects/dialect.ts";

export type OutgoingRequest = {
  readonly dialect: Dialect;
  readonly request: RequestBody;
  /** The body as it is sent, or undefined where a library writes it later. */
  readonly json?: string;
  /** Where it goes. A learned limit belongs to a target. */
  readonly target: Target;
};

/** An endpoint, a model and a caller. */
export type Target = {
  readonly endpoint: string;
  readonly model: string;
  /** A hash of the caller's credentials: distinguishes callers without holding a secret. */
  readonly caller?: string;
};

/** Where a body is posted, and with which headers. */
type Posting = { readonly dialect: Dialect; readonly url: URL; header(name: string): string | null | undefined };

/** Headers with credentials. They are hashed and never stored. */
const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

function callerOf({ url, header }: Posting): string {
  const credentials = [...credentialHeaders.map((name) => header(name) ?? ""), url.searchParams.get("key") ?? ""];
  return createHash("sha256").update(credentials.join("\n")).digest("hex");
}

/** The text of a body, or undefined where it is not UTF-8: writing it again would change bytes that no edit touches. */
export function decodeBody(body: Uint8Array): string | undefined {
  return isUtf8(body) ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8") : undefined;
}

/** Parses a body, or returns undefined where it is not a JSON object. The provider answers that one on its own. */
export function parseOutgoing(posting: Posting, json: string): OutgoingRequest | undefined {
  const { dialect, url } = posting;
  try {
    const request: unknown = JSON.parse(json.startsWith("\uFEFF") ? json.slice(1) : json);
    if (typeof request !== "object" || request === null || Array.isArray(request)) return undefined;
    const model = "model" in request ? String(request.model) : (/models\/([^:/]+):/.exec(url.pathname)?.[1] ?? "");
    const target = { endpoint: url.host, model, caller: callerOf(posting) };
    return { dialect, request: request as RequestBody, json, target };
  } catch {
    return undefined; // The provider reports what is wrong with it.
  }
}

/** The request with the edits applied to its body and to its JSON text. */
export function editOutgoing(outgoing: OutgoingRequest, edits: readonly Edit[]): OutgoingRequest {
  if (edits.length === 0) return outgoing;
  const request = applyEdits(outgoing.request, edits);
  const { json } = outgoing;
  return json === undefined ? { ...outgoing, request } : { ...outgoing, request, json: spliceEdits(json, edits) };
}

/** The bytes of the body; an approximation where a library writes it later. */
export function countWireBytes(outgoing: OutgoingRequest): number {
  return Buffer.byteLength(writeBody(outgoing));
}

/** A key that only the same request of the same caller to the same target has. */
export function hashOutgoing(outgoing: OutgoingRequest): string {
  const { endpoint, model, caller = "" } = outgoing.target;
  return createHash("sha256")
    .update([endpoint, model, caller, writeBody(outgoing)].join("\n"))
    .digest("hex");
}

const writeBody = ({ json, request }: OutgoingRequest): string => json ?? JSON.stringify(request, bytesAsBase64);

function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
