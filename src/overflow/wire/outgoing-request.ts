/** A request on its way out: what it says, and where it is posted as JSON, the exact text of it. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Dialect, Request } from "../dialects/dialect.ts";
import { applyEdits, type Edit, spliceEdits } from "./json-edits.ts";

export type Outgoing = {
  readonly dialect: Dialect;
  readonly request: Request;
  /** The body as it is sent, or undefined where a library makes it later. */
  readonly json?: string;
  /** Where it goes and to which model: what a learned limit belongs to. */
  readonly target: Target;
};

export type Target = {
  readonly endpoint: string;
  readonly model: string;
  /** Tells one caller from another without holding what it signs in with. */
  readonly caller?: string;
};

/** Where a body is posted, by whom. */
export type Posting = { readonly dialect: Dialect; readonly url: URL; header(name: string): string | null | undefined };

/** What callers sign in with; it is hashed and never kept. */
const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

function callerOf({ url, header }: Posting): string {
  const shown = [...credentialHeaders.map((name) => header(name) ?? ""), url.searchParams.get("key") ?? ""];
  return createHash("sha256").update(shown.join("\n")).digest("hex");
}

/** The text of a body; undefined where writing it again would change bytes that are no edit of ours. */
export function textOfJson(body: Uint8Array): string | undefined {
  return isUtf8(body) ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8") : undefined;
}

/** Reads a body that is to be posted; undefined when it is no JSON object, which is then not ours to judge. */
export function outgoingOf(posting: Posting, json: string): Outgoing | undefined {
  const { dialect, url } = posting;
  try {
    const request: unknown = JSON.parse(json.startsWith("\uFEFF") ? json.slice(1) : json);
    if (typeof request !== "object" || request === null || Array.isArray(request)) return undefined;
    const model = "model" in request ? String(request.model) : (/models\/([^:/]+):/.exec(url.pathname)?.[1] ?? "");
    const target = { endpoint: url.host, model, caller: callerOf(posting) };
    return { dialect, request: request as Request, json, target };
  } catch {
    return undefined; // The provider will say what is wrong with it.
  }
}

/** The request with the edits made, and its text with nothing else changed. */
export function edited(outgoing: Outgoing, edits: readonly Edit[]): Outgoing {
  if (edits.length === 0) return outgoing;
  const request = applyEdits(outgoing.request, edits);
  const { json } = outgoing;
  return json === undefined ? { ...outgoing, request } : { ...outgoing, request, json: spliceEdits(json, edits) };
}

/** Bytes on the wire, or what they will come to. */
export function wireBytes(outgoing: Outgoing): number {
  return Buffer.byteLength(wireText(outgoing));
}

/** The same for the same request of the same caller, and for no other. */
export function wireHash(outgoing: Outgoing): string {
  const { endpoint, model, caller = "" } = outgoing.target;
  return createHash("sha256")
    .update([endpoint, model, caller, wireText(outgoing)].join("\n"))
    .digest("hex");
}

const wireText = ({ json, request }: Outgoing): string => json ?? JSON.stringify(request, bytesAsBase64);

function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
