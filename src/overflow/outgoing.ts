/** A request on its way out: what it says, and where it is posted as JSON, the exact text of it. */
import type { Dialect, Request } from "./dialects/dialect.ts";
import { applyEdits, type Edit, spliceEdits } from "./edits.ts";

export type Outgoing = {
  readonly dialect: Dialect;
  readonly request: Request;
  /** The body as it is sent, or undefined where a library makes it later. */
  readonly json?: string;
  /** Where it goes and to which model: what a learned limit belongs to. */
  readonly target: Target;
};

export type Target = { readonly endpoint: string; readonly model: string };

/** Reads a body that is to be posted; undefined when it is no JSON object, which is then not ours to judge. */
export function outgoingOf(dialect: Dialect, json: string, endpoint: string, pathname: string): Outgoing | undefined {
  try {
    const request: unknown = JSON.parse(json);
    if (typeof request !== "object" || request === null || Array.isArray(request)) return undefined;
    const model = "model" in request ? String(request.model) : (/models\/([^:/]+):/.exec(pathname)?.[1] ?? "");
    return { dialect, request: request as Request, json, target: { endpoint, model } };
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
export function wireBytes({ json, request }: Outgoing): number {
  return Buffer.byteLength(json ?? JSON.stringify(request, bytesAsBase64));
}

function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
