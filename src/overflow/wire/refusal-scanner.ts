/** Finds a refusal inside a response with status 200. Only what precedes the first event with content is held back. */
import { classify } from "../classify/classify.ts";
import { isOverflow, type Verdict } from "../classify/verdict.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { dialects } from "../dialects/dialects.ts";

/** What the beginning of a response shows: not enough yet, no refusal, or a refusal. */
export type ScanResult =
  | { readonly status: "undecided" }
  | { readonly status: "accepted" }
  | { readonly status: "refused"; readonly verdict: Verdict; readonly body: string };

/** Scans chunks as they arrive; `finish` decides when there are no more. */
export type RefusalScanner = { scan(chunk: Uint8Array): ScanResult; finish(): ScanResult };

/** A response that begins with more than this, or takes longer, is passed on. */
const MAX_EVENTS = 8;
const MAX_BYTES = 256 * 1024;
const MAX_WAIT_MS = 15_000;

const undecided: ScanResult = { status: "undecided" };
const accepted: ScanResult = { status: "accepted" };

/** Options of a scanner. */
type ScannerOptions = {
  /** Gateways translate between dialects, so the lifecycle events of all these count. Default: the built-in ones. */
  readonly dialects?: readonly Dialect[];
  readonly now?: () => number;
};

/** A scanner for this content type, or undefined where it cannot hold a refusal. */
export function createRefusalScanner(contentType: string, options: ScannerOptions = {}): RefusalScanner | undefined {
  const { now = () => performance.now() } = options;
  const lifecycleTypes = options.dialects ? listLifecycleTypes(options.dialects) : builtInLifecycleTypes;
  const findFrameEnd = framingOf(contentType);
  if (findFrameEnd === undefined) return undefined;
  const decoder = new TextDecoder();
  const startMs = now();
  let text = "";
  let bytes = 0;
  let events = 0;

  function scan(chunk: Uint8Array): ScanResult {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    for (let end = findFrameEnd?.(text) ?? 0; end > 0; end = findFrameEnd?.(text) ?? 0) {
      const event = text.slice(0, end);
      text = text.slice(end);
      if (!isLifecycle(event, lifecycleTypes)) return judgeEvent(event);
      if (/^data:/m.test(event) && ++events >= MAX_EVENTS) return accepted;
    }
    return bytes > MAX_BYTES || now() - startMs > MAX_WAIT_MS ? accepted : undecided;
  }

  return { scan, finish: () => (text.trim() === "" ? accepted : judgeEvent(text)) };
}

/** Where the first event of a text ends, or 0 while it is incomplete. */
type Framing = (text: string) => number;

function framingOf(contentType: string): Framing | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return eventEnd;
  if (/ndjson|jsonl|json-?lines|json-seq/i.test(contentType)) return lineEnd;
  return /json/i.test(contentType) ? elementEnd : undefined;
}

/** After the blank line that ends an event. */
function eventEnd(text: string): number {
  const blankLine = /\r?\n\r?\n/.exec(text);
  return blankLine ? blankLine.index + blankLine[0].length : 0;
}

const lineEnd: Framing = (text) => text.indexOf("\n") + 1;

/** After the first element of a list, which is a stream of elements. An object is judged when the response ends. */
function elementEnd(text: string): number {
  if (!/^\s*\[/.test(text)) return 0;
  let depth = 0;
  for (let offset = text.indexOf("[") + 1; offset < text.length; offset++) {
    const unit = text[offset];
    if (unit === '"') offset = quoteEnd(text, offset);
    else if (unit === "{" || unit === "[") depth++;
    else if ((unit === "}" || unit === "]") && --depth <= 0) return offset + 1;
  }
  return 0;
}

function quoteEnd(text: string, start: number): number {
  let offset = start + 1;
  while (offset < text.length && text[offset] !== '"') offset += text[offset] === "\\" ? 2 : 1;
  return offset;
}

/** Comments, pings, and the events with which a stream begins before its content. */
function isLifecycle(event: string, lifecycleTypes: ReadonlySet<string>): boolean {
  if (!/^\s*(?:data:|[{[])/m.test(event)) return true;
  const start = event.slice(0, 400);
  const types = [...start.matchAll(/"type"\s*:\s*"([^"]*)"/g)].map(([, type = ""]) => type);
  return types.some((type) => lifecycleTypes.has(type)) || /^event: ?ping/m.test(start) || isEmptyDelta(event);
}

const listLifecycleTypes = (all: readonly Dialect[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ lifecycleEvents }) => lifecycleEvents));

const builtInLifecycleTypes = listLifecycleTypes(dialects);

/** The first chunk of a chat: a role without any content. */
function isEmptyDelta(event: string): boolean {
  const data = /^data:\s*(\{.{0,2000}\})\s*$/m.exec(event)?.[1] ?? "";
  const [, delta = ""] = /"delta"\s*:\s*\{([^{}]*)\}/.exec(data) ?? [];
  return /^\s*"role"\s*:\s*"\w+"\s*(?:,\s*"(?:content|refusal)"\s*:\s*(?:""|null)\s*)*$/.test(delta);
}

/** A refusal is an error, or an answer that was cut before its first token. */
function judgeEvent(event: string): ScanResult {
  const body = event.replace(/^\s*\[(?=\s*\{)/, "");
  if (body.length > MAX_PARSED_CHARS && !refusalHint.test(body)) return accepted;
  const verdict = classify({ streamEvent: body });
  return isOverflow(verdict) ? { status: "refused", verdict, body: event } : accepted;
}

/** A longer event is parsed only if it has a name that every refusal has. */
const MAX_PARSED_CHARS = 2_000;
const refusalHint =
  /"(?:length|max_tokens|max_output_tokens|failed|errors?|error_\w+|base_resp|model_context_window_exceeded|\w+exception)"/i;
