/** The first look at a success: what comes before the first meaningful event is held back, everything after it is not. */
import { classify } from "../classify/classify.ts";
import { isOverflow, type Verdict } from "../classify/verdict.ts";
import { dialects } from "../dialects/dialects.ts";

/** What the beginning of an answer says: wait for more of it, hand it on, or it is a refusal. */
export type FirstLook =
  | { readonly is: "open" }
  | { readonly is: "fine" }
  | { readonly is: "refused"; readonly verdict: Verdict; readonly body: string };

/** Looks at chunks as they come; `end` judges what is left when no more do. */
export type Look = { look(chunk: Uint8Array): FirstLook; end(): FirstLook };

/** An answer that opens with more than this, or for longer, is not held any longer. */
const mostEvents = 8;
const mostBytes = 256 * 1024;
const mostMs = 15_000;

const open: FirstLook = { is: "open" };
const fine: FirstLook = { is: "fine" };

/** The look at a success of this content type, or undefined where no refusal can be in it. */
export function firstLook(contentType: string, now: () => number = () => performance.now()): Look | undefined {
  const framing = framingOf(contentType);
  if (framing === undefined) return undefined;
  const decoder = new TextDecoder();
  const started = now();
  let text = "";
  let bytes = 0;
  let events = 0;

  function look(chunk: Uint8Array): FirstLook {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    for (let end = framing?.(text) ?? 0; end > 0; end = framing?.(text) ?? 0) {
      const event = text.slice(0, end);
      text = text.slice(end);
      if (!isLifecycle(event)) return verdictOn(event);
      if (/^data:/m.test(event) && ++events >= mostEvents) return fine;
    }
    return bytes > mostBytes || now() - started > mostMs ? fine : open;
  }

  return { look, end: () => (text.trim() === "" ? fine : verdictOn(text)) };
}

/** Where the first event of a text ends, or 0 while it has not ended. */
type Framing = (text: string) => number;

function framingOf(contentType: string): Framing | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return eventEnd;
  if (/ndjson|jsonl|json-?lines|json-seq/i.test(contentType)) return lineEnd;
  return /json/i.test(contentType) ? elementEnd : undefined;
}

/** The place after the blank line that ends an event. */
function eventEnd(text: string): number {
  const found = /\r?\n\r?\n/.exec(text);
  return found ? found.index + found[0].length : 0;
}

const lineEnd: Framing = (text) => text.indexOf("\n") + 1;

/** A list is a stream of its elements, of which the first is enough; an object is judged when it has ended. */
function elementEnd(text: string): number {
  if (!/^\s*\[/.test(text)) return 0;
  let depth = 0;
  for (let at = text.indexOf("[") + 1; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') at = quoteEnd(text, at);
    else if (unit === "{" || unit === "[") depth++;
    else if ((unit === "}" || unit === "]") && --depth <= 0) return at + 1;
  }
  return 0;
}

function quoteEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Comments, pings, and the events by which a provider only says that it has begun. */
function isLifecycle(event: string): boolean {
  if (!/^\s*(?:data:|[{[])/m.test(event)) return true;
  const start = event.slice(0, 400);
  const types = [...start.matchAll(/"type"\s*:\s*"([^"]*)"/g)].map(([, type = ""]) => type);
  return types.some((type) => lifecycleTypes.has(type)) || /^event: ?ping/m.test(start) || isEmptyDelta(event);
}

/** Gateways translate between dialects, so those of all dialects count everywhere. */
const lifecycleTypes = new Set(dialects.flatMap(({ lifecycleEvents }) => lifecycleEvents));

/** The chunk with which a chat begins: a role and not a word yet. */
function isEmptyDelta(event: string): boolean {
  const data = /^data:\s*(\{.{0,2000}\})\s*$/m.exec(event)?.[1] ?? "";
  const [, delta = ""] = /"delta"\s*:\s*\{([^{}]*)\}/.exec(data) ?? [];
  return /^\s*"role"\s*:\s*"\w+"\s*(?:,\s*"(?:content|refusal)"\s*:\s*(?:""|null)\s*)*$/.test(delta);
}

/** An error, or an answer that was cut before its first token. */
function verdictOn(event: string): FirstLook {
  const body = event.replace(/^\s*\[(?=\s*\{)/, "");
  if (body.length > unparsedFrom && !mayRefuse.test(body)) return fine;
  const verdict = classify({ streamEvent: body });
  return isOverflow(verdict) ? { is: "refused", verdict, body: event } : fine;
}

/** A longer answer is parsed only where it holds a word without which it is no refusal. */
const unparsedFrom = 2_000;
const mayRefuse =
  /"(?:length|max_tokens|max_output_tokens|failed|errors?|error_\w+|base_resp|model_context_window_exceeded|\w+exception)"/i;
