/** The first look at a success: what comes before the first meaningful event is held back, everything after it is not. */
import { classify } from "./classify.ts";
import type { Refusal } from "./recovery.ts";
import { isOverflow, type Verdict } from "./verdict.ts";

/** What the beginning of a stream says: wait for more of it, hand it on, or it is a refusal. */
export type FirstLook =
  | { readonly is: "open" }
  | { readonly is: "fine" }
  | { readonly is: "refused"; readonly verdict: Verdict; readonly body: string };

/** A stream that opens with more than this is not held any longer. */
const mostEvents = 8;
const mostBytes = 256 * 1024;

/** Looks at chunks as they come until the first event that means something. */
export function firstLook(): { look(chunk: Uint8Array): FirstLook } {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  let events = 0;
  return {
    look(chunk) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      for (let end = eventEnd(text); end > 0; end = eventEnd(text)) {
        const event = text.slice(0, end);
        text = text.slice(end);
        if (isLifecycle(event) && ++events < mostEvents) continue;
        return verdictOn(event);
      }
      return bytes > mostBytes ? { is: "fine" } : { is: "open" };
    },
  };
}

/** The place after the blank line that ends an event, or 0. */
function eventEnd(text: string): number {
  const found = /\r?\n\r?\n/.exec(text);
  return found ? found.index + found[0].length : 0;
}

/** Comments, pings, and the events by which a provider only says that it has begun. */
function isLifecycle(event: string): boolean {
  if (!/^data:/m.test(event)) return true;
  return (
    /"type"\s*:\s*"(?:ping|response\.(?:created|in_progress|queued))"/.test(event.slice(0, 400)) ||
    /^event: ?ping/m.test(event)
  );
}

function verdictOn(event: string): FirstLook {
  const verdict = classify({ streamEvent: event });
  return isOverflow(verdict) ? { is: "refused", verdict, body: event } : { is: "fine" };
}

/** The refusal inside a JSON answer with a success status: an error, or an answer cut before its first token. */
export function refusalInside(body: string, status: number): Refusal | undefined {
  if (!/"(?:length|max_tokens|MAX_TOKENS|error|model_context_window_exceeded)"/.test(body)) return undefined;
  const verdict = classify({ status, body });
  return isOverflow(verdict) ? { verdict, status, body } : undefined;
}
