/** A request before it is sent: its parsed body, its exact JSON text where it is posted, and where it goes. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { applyEdits, type Edit, peekMember, spliceEdits } from "../../system/json-edits.ts";
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

/** What is known of a request without parsing it. */
export type SentRequest = {
  readonly dialect: Dialect;
  readonly target: Target;
  readonly bytes: number;
  /** Samples of a body that is too large to be parsed without need. */
  readonly sample?: () => readonly string[];
};

/** Where a body is posted, and with which headers. */
export type Posting = { readonly dialect: Dialect; readonly url: URL; header(name: string): string | null | undefined };

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
    const model = "model" in request ? String(request.model) : modelOfPath(url);
    const target = { endpoint: url.host, model, caller: callerOf(posting) };
    return { dialect, request: request as RequestBody, json, target };
  } catch {
    return undefined; // The provider reports what is wrong with it.
  }
}

/** Some providers have the model in the address. */
const modelOfPath = ({ pathname }: URL): string => /models\/([^:/]+):/.exec(pathname)?.[1] ?? "";

/** Where a body goes, read without parsing all of it. */
function findTarget(url: URL, json: string): Target {
  const model = peekMember(json, "model");
  return { endpoint: url.host, model: typeof model === "string" ? model : modelOfPath(url) };
}

/** The model is usually among the first fields, so most bodies need not be decoded to find it. */
const FIRST_LOOK_BYTES = 64 * 1024;

/** Bytes of a body: its beginning, and all of it where that is needed. */
type BodyBytes = {
  readonly sizeBytes: number;
  readonly start: Uint8Array;
  read(): Uint8Array;
  /** Reads a piece of a body that is not in memory. */
  readAt?(offset: number, maxBytes: number): Buffer;
};

/** Describes a body given as bytes, or as a text whose characters are counted in place of bytes: that is much faster. */
export function describeBody(dialect: Dialect, url: URL, body: string | BodyBytes): SentRequest {
  if (typeof body === "string") return { dialect, target: findTarget(url, body), bytes: body.length };
  const { sizeBytes: bytes, start } = body;
  const target = findTarget(url, toLatin1(start.subarray(0, FIRST_LOOK_BYTES)));
  const isFound = target.model !== "" || bytes <= Math.min(start.length, FIRST_LOOK_BYTES);
  const { readAt } = body;
  return {
    dialect,
    target: isFound ? target : findTarget(url, toLatin1(body.read())),
    bytes,
    ...(readAt === undefined ? {} : { sample: () => readSamples(bytes, readAt) }),
  };
}

const SAMPLE_COUNT = 64;
const SAMPLE_BYTES = 1_024;

/** Pieces of a body at equal distances. */
function readSamples(bytes: number, readAt: NonNullable<BodyBytes["readAt"]>): string[] {
  const step = Math.floor(bytes / SAMPLE_COUNT);
  return Array.from({ length: SAMPLE_COUNT }, (_, index) => readAt(index * step, SAMPLE_BYTES).toString("utf8"));
}

/** The names of models are ASCII, so any encoding that keeps ASCII will do. */
function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
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

/** One exchange needs the hash of its request several times. */
const hashes = new WeakMap<OutgoingRequest, string>();

/** A key that only the same request of the same caller to the same target has. */
export function hashOutgoing(outgoing: OutgoingRequest): string {
  const { endpoint, model, caller = "" } = outgoing.target;
  const hash =
    hashes.get(outgoing) ??
    createHash("sha256").update([endpoint, model, caller, ""].join("\n")).update(writeBody(outgoing)).digest("hex");
  hashes.set(outgoing, hash);
  return hash;
}

const writeBody = ({ json, request }: OutgoingRequest): string => json ?? JSON.stringify(request, bytesAsBase64);

function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
