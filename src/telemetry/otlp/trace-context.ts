/** The W3C trace context: which trace a span belongs to, and how a caller says so. */
import { randomBytes } from "node:crypto";

export type TraceContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  readonly traceState?: string | undefined;
};

/** A longer state is dropped whole, as the recommendation allows. */
const MAX_STATE_CHARS = 512;

/** The caller's context in `_meta` of an MCP request or in HTTP headers; undefined if there is none, or not a valid one. */
export function readTraceContext(carrier: unknown): TraceContext | undefined {
  if (typeof carrier !== "object" || carrier === null) return undefined;
  const { traceparent, tracestate } = carrier as { readonly traceparent?: unknown; readonly tracestate?: unknown };
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent.trim()) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, traceState: readState(tracestate) };
}

function readState(given: unknown): string | undefined {
  const text = Array.isArray(given) ? given.join(",") : given;
  if (typeof text !== "string" || text.length > MAX_STATE_CHARS) return undefined;
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

/** The context of a new span: in the trace of its parent, or in a new one. */
export function makeChildContext(parent: TraceContext | undefined): TraceContext {
  const spanId = makeId(8);
  return parent === undefined ? { traceId: makeId(16), spanId, isSampled: true } : { ...parent, spanId };
}

const isZero = (id: string): boolean => /^0*$/.test(id);

/** Only zeros would mean "none". */
function makeId(bytes: number): string {
  const id = randomBytes(bytes).toString("hex");
  return isZero(id) ? makeId(bytes) : id;
}
